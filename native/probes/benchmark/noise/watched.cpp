// SPDX-License-Identifier: Apache-2.0
#include "benchmark/noise/watched.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "benchmark/noise/noise_loops.hpp"
#include "benchmark/noise/regular_least.hpp"
#include "benchmark/noise/ticks.hpp"
#include "common/mpi.hpp"

namespace fairlead::benchmark {
namespace {

enum Tag : int { kMore = 1, kLast, kReply, kDetours, kNobodySends, kCalibrated };
enum Kind : int { kReading, kEmptyTest, kArrival, kSend };  // as watched.hpp numbers them

constexpr int kReadings = 32;  // between two MPI_Tests: most of the time is watched, and a message waits for about 1 us
constexpr std::uint64_t kThreshold = 9;  // times the least (netgauge's default; noise, 4.5)
constexpr int kCalibration = 10'000;     // empty MPI_Tests

// A time that was longer than it need be, or might be: start and length in ticks.
struct Detour {
    std::uint64_t start;
    std::uint64_t length;
    int kind;
    int message;
};

// Waits for messages, and notes detours meanwhile.
class Watch {
  public:
    Watch(const Request& request, int peer)
        : peer_(peer), buffer_(static_cast<std::size_t>(request.size_B)), least_reading_(least_iteration()) {
        detours_.reserve(static_cast<std::size_t>(request.stop.most));
        calls_.reserve(2 * static_cast<std::size_t>(request.stop.most));
        calibrate();
    }

    void send(int tag) {
        const std::uint64_t before = ticks();
        check(MPI_Send(buffer_.data(), static_cast<int>(buffer_.size()), MPI_BYTE, peer_, tag, MPI_COMM_WORLD),
              "MPI_Send");
        calls_.push_back({before, ticks() - before, kSend, message_});
    }

    // Receives a message and returns its tag.
    int receive() {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status{};
        check(MPI_Irecv(buffer_.data(), static_cast<int>(buffer_.size()), MPI_BYTE, peer_, MPI_ANY_TAG, MPI_COMM_WORLD,
                        &request),
              "MPI_Irecv");
        std::uint64_t before = ticks();
        for (int arrived = 0;;) {
            check(MPI_Test(&request, &arrived, &status), "MPI_Test");
            std::uint64_t now = ticks();
            if (arrived != 0) {
                calls_.push_back({before, now - before, kArrival, message_});
                return status.MPI_TAG;
            }
            note(before, now, kThreshold * least_test_, kEmptyTest);
            for (int reading = 0; reading < kReadings; ++reading) {
                before = now;
                now = ticks();
                note(before, now, kThreshold * least_reading_, kReading);
            }
            before = now;
        }
    }

    void next_message() { ++message_; }

    // All detours, when the last message is over: what a call takes at least is known only then.
    std::vector<Detour> detours() const {
        std::vector<Detour> found = detours_;
        for (const int kind : {kArrival, kSend}) {
            RegularLeast least;
            for (const Detour& call : calls_) {
                least.add(call.kind == kind ? call.length : 0);
            }
            const std::uint64_t threshold = kThreshold * least.value();
            std::ranges::copy_if(calls_, std::back_inserter(found),
                                 [&](const Detour& call) { return call.kind == kind && call.length > threshold; });
        }
        return found;
    }
    std::uint64_t least_reading() const { return least_reading_; }
    std::uint64_t least_test() const { return least_test_; }

  private:
    void note(std::uint64_t before, std::uint64_t now, std::uint64_t threshold, int kind) {
        if (now - before > threshold) {
            detours_.push_back({before, now - before, kind, message_});
        }
    }

    // The least MPI_Test of a message that nobody sends.
    void calibrate() {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Irecv(nullptr, 0, MPI_BYTE, peer_, kNobodySends, MPI_COMM_WORLD, &request), "MPI_Irecv");
        RegularLeast least;
        for (int i = 0; i < kCalibration; ++i) {
            int arrived = 0;
            const std::uint64_t before = ticks();
            check(MPI_Test(&request, &arrived, MPI_STATUS_IGNORE), "MPI_Test");
            least.add(ticks() - before);
        }
        least_test_ = least.value();
        check(MPI_Cancel(&request), "MPI_Cancel");
        check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }

    int peer_;
    std::vector<char> buffer_;
    std::uint64_t least_reading_;
    std::uint64_t least_test_ = 0;
    std::vector<Detour> detours_;
    std::vector<Detour> calls_;  // every MPI_Send, and every MPI_Test that found its message
    int message_ = 0;
};

// Returns when the peer's watch is there, too: the first message would wait for it, and pass for a slow one.
void meet_calibrated(int peer) {
    check(MPI_Sendrecv(nullptr, 0, MPI_BYTE, peer, kCalibrated, nullptr, 0, MPI_BYTE, peer, kCalibrated, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
}

void answer_all(Watch& watch, int peer) {
    const TickRate rate;
    for (int tag = kMore; tag != kLast;) {
        tag = watch.receive();
        watch.send(kReply);
        watch.next_message();
    }
    const double tick_s = 1.0 / rate.per_s();
    std::vector<double> told;
    for (const Detour& detour : watch.detours()) {
        told.push_back(detour.message);
        told.push_back(static_cast<double>(detour.length) * tick_s);
        told.push_back(detour.kind);
    }
    check(MPI_Send(told.data(), static_cast<int>(told.size()), MPI_DOUBLE, peer, kDetours, MPI_COMM_WORLD), "MPI_Send");
}

std::vector<double> peers_detours(int peer) {
    MPI_Status status{};
    check(MPI_Probe(peer, kDetours, MPI_COMM_WORLD, &status), "MPI_Probe");
    int count = 0;
    check(MPI_Get_count(&status, MPI_DOUBLE, &count), "MPI_Get_count");
    std::vector<double> told(static_cast<std::size_t>(count));
    check(MPI_Recv(told.data(), count, MPI_DOUBLE, peer, kDetours, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    return told;
}

}  // namespace

std::vector<double> watched_round_trips(const Request& request, int peer, bool first) {
    Watch watch(request, peer);
    meet_calibrated(peer);
    if (!first) {
        answer_all(watch, peer);
        return {};
    }
    const Stop& stop = request.stop;
    std::vector<std::uint64_t> starts(static_cast<std::size_t>(stop.most));
    std::vector<std::uint64_t> lengths(static_cast<std::size_t>(stop.most));
    const TickRate rate;
    const double begin_s = MPI_Wtime();
    const std::uint64_t begin = ticks();
    std::size_t taken = 0;
    for (bool last = false; !last; ++taken) {
        const int number = static_cast<int>(taken) + 1;
        last = number >= stop.most || (number >= stop.least && MPI_Wtime() - begin_s >= stop.limit_s);
        starts[taken] = ticks();
        watch.send(last ? kLast : kMore);
        watch.receive();
        lengths[taken] = ticks() - starts[taken];
    }
    const double tick_s = 1.0 / rate.per_s();
    const std::vector<double> far = peers_detours(peer);
    const std::vector<Detour> near = watch.detours();
    std::vector<double> row{static_cast<double>(watch.least_reading()) * tick_s,
                            static_cast<double>(watch.least_test()) * tick_s, static_cast<double>(taken),
                            static_cast<double>(near.size()), static_cast<double>(far.size() / 3)};
    for (std::size_t i = 0; i < taken; ++i) {
        row.push_back(static_cast<double>(starts[i] - begin) * tick_s);
        row.push_back(static_cast<double>(lengths[i]) * tick_s);
    }
    for (const Detour& detour : near) {
        row.push_back(static_cast<double>(detour.start - begin) * tick_s);
        row.push_back(static_cast<double>(detour.length) * tick_s);
        row.push_back(detour.kind);
    }
    row.insert(row.end(), far.begin(), far.end());
    return row;
}

}  // namespace fairlead::benchmark
