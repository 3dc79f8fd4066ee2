// SPDX-License-Identifier: Apache-2.0
// relay-frames: a rank of the relay plane without MPI. Two of them exchange frames through their agents; what that
// takes, one line of JSON says. See bench/agents/relayed.py.
#include <sched.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "fairlead/relay/wire.hpp"
#include "relay/carriers/agent_carrier.hpp"

namespace fairlead::relay {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{20};
constexpr std::chrono::milliseconds kGreeting{10};
constexpr int kFailure = 1;
constexpr WorldId kWorld = 1;  // of both ends

struct Options {
    std::string directory;
    Process self = 0;
    Process peer = 0;
    Process processes = 2;
    std::size_t size_B = 64;
    std::uint64_t frames = 0;
    std::uint64_t warmup = 0;
};

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// This process's end: numbered frames out, numbers in. Every byte of a payload follows from its number.
class End {
  public:
    /// Returns once both ends are there: agents drop frames for a process that is not.
    explicit End(const Options& options)
        : options_(options),
          carrier_(AgentJoin(options.directory, options.self, options.processes, kWorld).wait(kPatience)) {
        if (!carrier_) throw std::runtime_error("the agent does not answer");
        Clock::time_point greeted;
        wait_until([&] {
            if (carrier_->ready(options_.peer) && Clock::now() - greeted > kGreeting) {
                greeted = Clock::now();
                greet();
            }
            return heard_;
        });
        // The other one may have come after all earlier ones.
        wait_until([&] { return carrier_->ready(options_.peer); });
        greet();
    }

    void send(std::uint64_t number) {
        wait_until([&] { return carrier_->ready(options_.peer); });
        std::vector<std::uint8_t> bytes(wire::kHeader_B + wire::kMaxBody_B + options_.size_B);
        payload_.assign(options_.size_B, static_cast<std::uint8_t>(number));
        const Envelope envelope{number, 0, 0, 0, 0, options_.size_B, false, true};
        bytes.resize(wire::encode({options_.self, options_.peer, number, {}, envelope, kWorld}, payload_, bytes));
        if (bytes.empty()) throw std::runtime_error("the frame size is too large");
        carrier_->send(options_.peer, std::move(bytes));
    }
    /// Waits for a frame; its number.
    std::uint64_t receive() {
        wait_until([&] { return taken_ < arrived_.size(); });
        const std::uint64_t number = arrived_[taken_++];
        if (taken_ == arrived_.size()) {
            arrived_.clear();
            taken_ = 0;
        }
        return number;
    }
    void poll() {
        carrier_->poll([this](std::span<const std::uint8_t> frame) {
            const std::uint64_t number = number_of(frame);
            heard_ = true;
            if (number != 0) arrived_.push_back(number);
        });
    }
    bool relayed() const { return carrier_->wished(options_.peer) == Path::relay; }

  private:
    /// A frame without a number.
    void greet() {
        std::vector<std::uint8_t> bytes(wire::kHeader_B + wire::kMaxBody_B);
        bytes.resize(wire::encode({options_.self, options_.peer, 0, {}, Pull{}, kWorld}, {}, bytes));
        carrier_->send(options_.peer, std::move(bytes));
    }
    template <typename Condition>
    void wait_until(Condition condition) {
        if (condition()) return;
        const Clock::time_point begin = Clock::now();
        for (int polls = 0;; ++polls) {
            poll();
            if (condition()) return;
            if (!carrier_->alive()) throw std::runtime_error("the agent is gone");
            if (polls % 64 == 0 && Clock::now() - begin > kPatience) throw std::runtime_error("no progress");
            sched_yield();  // hosts of a lab share processors
        }
    }
    std::uint64_t number_of(std::span<const std::uint8_t> frame) const {
        const auto decoded = wire::decode(frame, options_.processes);
        const auto* const whole = std::get_if<wire::Decoded>(&decoded);
        if (whole == nullptr || whole->frame.from != options_.peer) {
            throw std::runtime_error("received data differs from what was sent");
        }
        const std::uint64_t number = whole->frame.sequence;
        if (number != 0 && whole->payload.size() != options_.size_B)
            throw std::runtime_error("a frame's length changed");
        for (const std::uint8_t byte : whole->payload) {
            if (byte != static_cast<std::uint8_t>(number)) throw std::runtime_error("a frame was corrupted");
        }
        return number;
    }

    Options options_;
    std::unique_ptr<AgentCarrier> carrier_;
    bool heard_ = false;  ///< anything of the other end
    std::vector<std::uint64_t> arrived_;
    std::size_t taken_ = 0;
    std::vector<std::uint8_t> payload_;
};

/// Round trips of single frames.
Json ping(End& end, const Options& options) {
    std::vector<double> round_trip_s;
    for (std::uint64_t number = 1; number <= options.warmup + options.frames; ++number) {
        const Clock::time_point begin = Clock::now();
        end.send(number);
        if (end.receive() != number) throw std::runtime_error("another frame came back");
        if (number > options.warmup) round_trip_s.push_back(seconds_since(begin));
    }
    return {{"relayed", end.relayed()}, {"round_trip_s", round_trip_s}};
}

Json pong(End& end, const Options& options) {
    for (std::uint64_t number = 1; number <= options.warmup + options.frames; ++number) {
        if (end.receive() != number) throw std::runtime_error("frames were lost or reordered");
        end.send(number);
    }
    return {{"relayed", end.relayed()}, {"frames", options.frames}};
}

/// Frames one way, as many as there is room for; done when the other end has them all.
Json send(End& end, const Options& options) {
    const Clock::time_point begin = Clock::now();
    for (std::uint64_t number = 1; number <= options.frames; ++number) end.send(number);
    if (end.receive() != options.frames) throw std::runtime_error("the other end has a different number of frames");
    return {{"relayed", end.relayed()}, {"frames", options.frames}, {"duration_s", seconds_since(begin)}};
}

/// By its own clock, from the first frame's arrival to the last one's.
Json take(End& end, const Options& options) {
    Clock::time_point begin;
    for (std::uint64_t number = 1; number <= options.frames; ++number) {
        if (end.receive() != number) throw std::runtime_error("frames were lost or reordered");
        if (number == 1) begin = Clock::now();
    }
    const double duration_s = seconds_since(begin);
    end.send(options.frames);
    const auto bytes = static_cast<double>((options.frames - 1) * options.size_B);
    return {{"frames", options.frames}, {"duration_s", duration_s}, {"rate_bps", 8.0 * bytes / duration_s}};
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Frames between two processes through their agents; a line of JSON says what that took",
                 "fairlead-relay-frames");
    app.add_option("--directory", options.directory, "where the agent of this host listens")->required();
    app.add_option("--self", options.self, "rank of this process")->required();
    app.add_option("--peer", options.peer, "rank of the other one")->required();
    app.add_option("--processes", options.processes, "ranks in all")->capture_default_str();
    app.add_option("--size", options.size_B, "payload of a frame in bytes")->capture_default_str();
    app.add_option("--frames", options.frames, "how many")->required()->check(CLI::Range(2, 100'000'000));
    app.add_option("--warmup", options.warmup, "more of them first, not measured (ping, pong)");
    using Exchange = Json (*)(End&, const Options&);
    const std::vector<std::pair<std::string, Exchange>> exchanges{
        {"ping", ping}, {"pong", pong}, {"send", send}, {"take", take}};
    for (const auto& [name, exchange] : exchanges) app.add_subcommand(name);
    app.require_subcommand(1);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    End end(options);
    for (const auto& [name, exchange] : exchanges) {
        if (app.got_subcommand(name)) std::cout << exchange(end, options).dump() << std::endl;
    }
    return 0;
}

}  // namespace
}  // namespace fairlead::relay

int main(int argc, char** argv) {
    try {
        return fairlead::relay::run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "fairlead-relay-frames: " << error.what() << '\n';
        return fairlead::relay::kFailure;
    }
}
