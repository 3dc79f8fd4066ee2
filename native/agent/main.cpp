// SPDX-License-Identifier: Apache-2.0
// fairlead-agent: JSON lines on stdin and stdout (docs/reference/agent-protocol.md); it ends with its input.
#include <sodium.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "agent.hpp"
#include "control/lease.hpp"
#include "generated/answers.hpp"
#include "process/system_error.hpp"

namespace fairlead::agent {
namespace {

constexpr double kLastWords_s = 0.5;
constexpr int kLeaseRanOut = 3;

/// From the first line to the last: configuration, commands, end.
class Conversation {
  public:
    Conversation() : output_(loop_, STDOUT_FILENO, [this] { end(); }) {
        loop_.watch(STDIN_FILENO, EPOLLIN, [this](std::uint32_t) { read_some(); });
        watch_signals();
    }

    /// Throws what has ended an agent that works.
    int run() {
        try {
            loop_.run();
        } catch (const std::exception& error) {
            if (agent_ && agent_->ready()) throw;  // nobody waits for an answer any more
            output_.answer(line_of(ErrorAnswer{error.what()}));
            exit_code_ = 1;
        }
        agent_.reset();
        // When all is taken back: nobody may read it, and a full pipe would keep us here.
        if (exit_code_ == kLeaseRanOut) std::fprintf(stderr, "fairlead-agent: %s\n", abandoned_.c_str());
        output_.finish(kLastWords_s);
        return exit_code_;
    }

  private:
    void watch_signals() {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGINT);
        checked(sigprocmask(SIG_BLOCK, &set, nullptr), "sigprocmask");
        signals_.reset(checked(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"));
        loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) {
            loop_.forget(signals_.get());  // one is enough, and unread it would wake the loop again and again
            end();
        });
    }

    void read_some() {
        // Wiped after use: the first line holds the secret.
        std::array<char, 65536> buffer;
        const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (count <= 0) {
            loop_.forget(STDIN_FILENO);
            return end();
        }
        lines_.feed(std::span(buffer).first(static_cast<std::size_t>(count)));
        sodium_memzero(buffer.data(), static_cast<std::size_t>(count));
        while (auto line = lines_.next()) take(std::move(*line));
    }

    void take(WipedLine line) {
        if (exit_code_ != 0 || line.empty()) return;
        if (lease_) lease_->renew();
        if (agent_) return agent_->on_line(std::string_view(line.data(), line.size()));
        Config config = parse_config(std::move(line));
        if (config.lease_s > 0.0) begin_lease(config.lease_s);
        agent_ = std::make_unique<Agent>(loop_, output_, std::move(config));
        agent_->start();
    }

    void begin_lease(double length_s) {
        lease_.emplace(loop_, length_s, STDIN_FILENO, [this, length_s] {
            std::array<char, 128> text{};
            std::snprintf(text.data(), text.size(),
                          "nothing was heard from the supervisor for %g s: all reroutes were undone", length_s);
            abandoned_ = text.data();
            exit_code_ = kLeaseRanOut;
            end();
        });
    }

    void end() {
        if (agent_) {
            agent_->stop(false);
        } else {
            loop_.stop();
        }
    }

    EventLoop loop_;
    Output output_;
    LineReader lines_;
    UniqueFd signals_;
    std::optional<Lease> lease_;
    std::string abandoned_;  ///< what is said if it ran out
    std::unique_ptr<Agent> agent_;
    int exit_code_ = 0;
};

int serve() {
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialized");
    std::signal(SIGPIPE, SIG_IGN);  // a supervisor that is gone shows as EPIPE
    return Conversation().run();
}

}  // namespace
}  // namespace fairlead::agent

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--version") {
        std::puts("fairlead-agent " FAIRLEAD_VERSION);
        return 0;
    }
    if (argc != 1) {
        std::fprintf(stderr, "usage: fairlead-agent < CONFIGURATION AND COMMANDS (JSON lines)\n");
        return 2;
    }
    try {
        return fairlead::agent::serve();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fairlead-agent: %s\n", error.what());
        return 1;
    }
}
