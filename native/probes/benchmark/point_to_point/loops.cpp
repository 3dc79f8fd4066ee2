// SPDX-License-Identifier: Apache-2.0
#include "benchmark/point_to_point/loops.hpp"

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <thread>

#include "common/mpi.hpp"

namespace fairlead::benchmark {
namespace {

// The first rank decides when to stop; the tag of what it sends tells the second.
enum Tag : int { kMore = 1, kLast, kReply };

using Buffer = std::vector<char>;

void send(const Buffer& buffer, int to, int tag) {
    check(MPI_Send(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD), "MPI_Send");
}

int receive(Buffer& buffer, int from) {
    MPI_Status status;
    check(
        MPI_Recv(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status),
        "MPI_Recv");
    return status.MPI_TAG;
}

// The second rank says that its buffers are there: on a fast network, making them takes longer than filling them, and
// the first message would wait for that. To be called by both ranks once they have theirs.
void await_buffers(int peer, bool first) {
    Buffer empty;
    if (first) {
        receive(empty, peer);
    } else {
        send(empty, peer, kReply);
    }
}

// Calls `transfer(tag)` again and again and takes the time of each; `begun_s`: when the first one began.
template <typename Transfer>
std::vector<double> timed(const Request& request, Transfer&& transfer, double* begun_s = nullptr) {
    const Stop& stop = request.stop;
    std::vector<double> samples_s(static_cast<std::size_t>(stop.most));
    int taken = 0;
    const double begin_s = MPI_Wtime();
    if (begun_s != nullptr) {
        *begun_s = begin_s;
    }
    for (double before_s = begin_s;;) {
        const bool last = taken + 1 >= stop.most || (taken + 1 >= stop.least && before_s - begin_s >= stop.limit_s);
        transfer(last ? kLast : kMore);
        const double now_s = MPI_Wtime();
        samples_s[static_cast<std::size_t>(taken++)] = now_s - before_s;
        before_s = now_s;
        if (last) {
            samples_s.resize(static_cast<std::size_t>(taken));
            return samples_s;
        }
    }
}

// Lets `pause_s` pass since `start_s`.
void pause(double start_s, double pause_s, bool asleep) {
    if (asleep && pause_s > 0.0) {
        std::this_thread::sleep_for(std::chrono::duration<double>(pause_s));
        return;
    }
    while (MPI_Wtime() - start_s < pause_s) {
    }
}

// The messages of a window. Receives have a buffer each, as MPI demands; sends share one.
class Window {
  public:
    Window(const Request& request, int peer, bool sends, bool receives)
        : peer_(peer), out_(static_cast<std::size_t>(request.size_B)) {
        const auto count = static_cast<std::size_t>(request.window);
        sends_.resize(sends ? count : 0);
        in_.assign(receives ? count : 0, Buffer(static_cast<std::size_t>(request.size_B)));
        requests_.resize(sends_.size() + in_.size());
        statuses_.resize(requests_.size());
    }

    // Receives and sends all of it. Returns the tag of what came, or `tag` where nothing is received.
    int transfer(int tag) {
        std::size_t next = 0;
        for (Buffer& buffer : in_) {
            check(MPI_Irecv(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, peer_, MPI_ANY_TAG,
                            MPI_COMM_WORLD, &requests_[next++]),
                  "MPI_Irecv");
        }
        for (std::size_t i = 0; i < sends_.size(); ++i) {
            check(MPI_Isend(out_.data(), static_cast<int>(out_.size()), MPI_BYTE, peer_, tag, MPI_COMM_WORLD,
                            &requests_[next++]),
                  "MPI_Isend");
        }
        check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses_.data()), "MPI_Waitall");
        return in_.empty() ? tag : statuses_.front().MPI_TAG;
    }

  private:
    int peer_;
    Buffer out_;
    std::vector<char> sends_;
    std::vector<Buffer> in_;
    std::vector<MPI_Request> requests_;
    std::vector<MPI_Status> statuses_;
};

}  // namespace

std::vector<double> round_trips(const Request& request, int peer, bool first, std::vector<double>* moments_s) {
    Buffer buffer(static_cast<std::size_t>(request.size_B));
    await_buffers(peer, first);
    if (first) {
        double now_s = 0.0;
        const std::vector<double> samples_s = timed(
            request,
            [&](int tag) {
                send(buffer, peer, tag);
                receive(buffer, peer);
            },
            &now_s);
        if (moments_s != nullptr) {
            for (const double sample_s : samples_s) {
                moments_s->push_back(now_s);
                now_s += sample_s;
            }
        }
        return samples_s;
    }
    if (moments_s != nullptr) {
        moments_s->reserve(static_cast<std::size_t>(request.stop.most));
    }
    for (int tag = kMore; tag != kLast;) {
        tag = receive(buffer, peer);
        if (moments_s != nullptr) {
            moments_s->push_back(MPI_Wtime());
        }
        send(buffer, peer, kReply);
    }
    return {};
}

std::vector<double> parametrised_round_trips(const Request& request, int peer, bool first) {
    Buffer buffer(static_cast<std::size_t>(request.size_B));
    const double delay_s = request.pauses_s.empty() ? 0.0 : request.pauses_s.front();
    await_buffers(peer, first);
    if (first) {
        return timed(request, [&](int tag) {
            for (int sent = 0;;) {
                send(buffer, peer, tag);
                if (++sent == request.train) {
                    break;
                }
                if (delay_s > 0.0) {
                    pause(MPI_Wtime(), delay_s, false);
                }
            }
            receive(buffer, peer);
        });
    }
    for (int tag = kMore; tag != kLast;) {
        for (int received = 0; received < request.train; ++received) {
            tag = receive(buffer, peer);
        }
        send(buffer, peer, kReply);
    }
    return {};
}

std::vector<double> bursts(const Request& request, int peer, bool first) {
    Buffer buffer(static_cast<std::size_t>(request.size_B));
    std::vector<double> samples_s;
    samples_s.reserve(request.pauses_s.size() * static_cast<std::size_t>(request.stop.most));
    await_buffers(peer, first);
    for (const double pause_s : request.pauses_s) {
        for (int i = 0; i < request.stop.most; ++i) {
            // Before the train, so that the first sample after the pause has changed is of the new one, too.
            if (first || request.both_pause) {
                pause(MPI_Wtime(), pause_s, request.asleep);
            }
            const double before_s = MPI_Wtime();
            for (int exchange = 0; exchange < request.train; ++exchange) {
                if (first) {
                    send(buffer, peer, kMore);
                    receive(buffer, peer);
                } else {
                    receive(buffer, peer);
                    send(buffer, peer, kReply);
                }
            }
            samples_s.push_back(MPI_Wtime() - before_s);
        }
    }
    return samples_s;
}

std::vector<double> windows(const Request& request, int peer, bool first) {
    Buffer acknowledgement;
    Window window(request, peer, first || request.both, !first || request.both);
    await_buffers(peer, first);
    if (first) {
        return timed(request, [&](int tag) {
            window.transfer(tag);
            receive(acknowledgement, peer);
        });
    }
    for (int tag = kMore; tag != kLast;) {
        tag = window.transfer(kReply);
        send(acknowledgement, peer, kReply);
    }
    return {};
}

}  // namespace fairlead::benchmark
