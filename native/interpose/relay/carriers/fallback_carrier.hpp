// SPDX-License-Identifier: Apache-2.0
// Carries frames by the agents to processes that they reach, and by MPI to the others. What is sent again goes by MPI
// too: nothing that may have happened to the agents' way keeps a frame for ever. So do new frames to that process: an
// agent that hangs would keep each window of them for a timeout. Now and then one goes by the agents as well, until the
// process says that it has heard us by them, which a frame of its own that comes by them does not show: agents may
// carry in one direction alone. Who gets a frame by MPI although agents reach its sender answers by both ways until it
// hears that process by the agents, since the agents' way back may have lost what it sent too.
//
// A look for frames by MPI is a step of the library's progress, which asks the kernel about every connection, and may
// give up the processor when it finds nothing. While none goes that way, they are looked for seldom.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/relay/wire.hpp"
#include "relay/carriers/agent_carrier.hpp"
#include "relay/carriers/carrier.hpp"

namespace fairlead::relay {

class FallbackCarrier final : public Carrier {
  public:
    /// Between attempts to join an agent.
    static constexpr std::chrono::milliseconds kRejoin{500};
    /// The same where the agent has another program's ranks: most of those stay, and these may be of a program that the
    /// job has started.
    static constexpr std::chrono::milliseconds kUnwanted{10'000};

    /// Joins another agent, where one is there; throws std::runtime_error where none is.
    using Join = std::function<std::unique_ptr<AgentJoin>()>;

    /// processes: as the agents' carrier has them. join: none where an agent that died, or is not there, is done
    /// without. unwanted: tests may wait for less.
    FallbackCarrier(std::unique_ptr<AgentCarrier> agents, std::unique_ptr<Carrier> mpi, Process processes,
                    Join join = {}, std::chrono::milliseconds unwanted = kUnwanted)
        : agents_(std::move(agents)),
          mpi_(std::move(mpi)),
          processes_(processes),
          join_(std::move(join)),
          unwanted_(unwanted),
          was_joined_(!agents_->gone()) {}

    /// The first attempt to join an agent, which may wait for so long. Throws std::runtime_error, which says what is
    /// wrong: polls go on trying.
    void join(std::chrono::milliseconds longest) {
        if (attempt([&] { return joining_->wait(longest); })) return;
        throw std::runtime_error("no relay plane yet: the agent does not answer");
    }
    /// While an agent's ring has had no room for kFull, it waits behind what hangs: frames go by MPI.
    bool ready(Process to) override {
        const bool by_agents = agents_->ready(to);  // first: it sees what has become of the agent
        if (!agents_->reaches(to) || ways_to(to) != Ways::agents) return mpi_->ready(to);
        if (by_agents) {
            full_since_.reset();
            return true;
        }
        const auto now = Clock::now();
        if (!full_since_) full_since_ = now;
        return now - *full_since_ > kFull && mpi_->ready(to);
    }
    void send(Process to, std::vector<std::uint8_t> frame) override {
        say_whether_heard(to, frame);
        const Ways ways = ways_to(to);
        // Asked again: the agents may have lost the process since ready(), and MPI takes any frame.
        const bool by_agents = ways != Ways::mpi && agents_->ready(to);
        if (by_agents && ways == Ways::agents) return agents_->send(to, std::move(frame));
        if (by_agents) {
            agents_->send(to, frame);
            doubted_.at(to).tried = Clock::now();
        }
        send_by_mpi(to, std::move(frame));
    }
    void send_again(Process to, std::vector<std::uint8_t> frame) {
        doubted_[to].sent_again = true;
        send_by_mpi(to, std::move(frame));
    }
    void poll(const Sink& arrived) override {
        poll_agents(arrived);
        if (!due()) return;
        mpi_->poll([&](std::span<const std::uint8_t> frame) {
            used_ = looked_;
            doubt(frame);
            arrived(frame);
        });
    }

    AgentCarrier& agents() { return *agents_; }
    /// What of this one needs no call of the MPI library.
    Carrier& without_mpi() { return without_mpi_; }
    /// As the agents' carrier has it, over all agents that there were.
    std::uint32_t changes() const { return changes_before_ + agents_->changes(); }

  private:
    using Clock = std::chrono::steady_clock;

    class WithoutMpi final : public Carrier {
      public:
        explicit WithoutMpi(FallbackCarrier& of) : of_(of) {}
        bool ready(Process to) override { return of_.agents_->ready(to); }
        void send(Process to, std::vector<std::uint8_t> frame) override {
            of_.say_whether_heard(to, frame);
            of_.agents_->send(to, std::move(frame));
        }
        void poll(const Sink& arrived) override { of_.poll_agents(arrived); }

      private:
        FallbackCarrier& of_;
    };

    static constexpr std::uint32_t kSeldom = 16;  // polls
    static constexpr std::chrono::milliseconds kLongest{1};
    /// After a frame by MPI, in which the next one is looked for at every poll.
    static constexpr std::chrono::milliseconds kOften{10};
    static constexpr std::chrono::seconds kFull{1};
    /// Who was heard by the agents of late is not doubted for what comes by MPI: it may have gone both ways.
    static constexpr std::chrono::milliseconds kHeard{500};
    /// Between frames by the agents to a process to which something had to be sent again.
    static constexpr std::chrono::milliseconds kTry{250};

    enum class Ways : std::uint8_t { agents, both, mpi };
    struct Doubt {
        bool sent_again = false;    ///< the way there may be broken; else the way back
        Clock::time_point tried{};  ///< the way there, last
    };

    void send_by_mpi(Process to, std::vector<std::uint8_t> frame) {
        used_ = Clock::now();
        mpi_->send(to, std::move(frame));
    }
    void say_whether_heard(Process to, std::vector<std::uint8_t>& frame) {
        if (heard_since_.erase(to) != 0) wire::say_heard(frame);
    }
    void poll_agents(const Sink& arrived) {
        agents_->poll([&](std::span<const std::uint8_t> frame) {
            trust(frame);
            arrived(frame);
        });
        if (agents_->gone() && join_) rejoin();
    }

    /// An agent that is started again finds its ranks by their joining it, and so does one that was not there when they
    /// began. After a death the first attempt comes a while later: whoever follows the agents has seen it, too, and has
    /// had what was lost sent again.
    void rejoin() {
        const auto now = Clock::now();
        if (!next_join_) next_join_ = now + kRejoin;
        if (!joining_ && now < *next_join_) return;
        try {
            attempt([this] { return joining_->poll(); });
        } catch (const std::runtime_error&) {
            // None is there yet, or it does not want us: it may be that it still keeps the connection before.
        }
    }
    /// One attempt, or a look at the one that goes on: an agent that is stopped answers once it runs, and the end of
    /// one that died ends the connection. Returns whether there is an agent now.
    bool attempt(const std::function<std::unique_ptr<AgentCarrier>()>& answer) {
        try {
            if (!joining_) {
                next_join_ = Clock::now() + kRejoin;
                joining_ = join_();
            }
            if (std::unique_ptr<AgentCarrier> joined = answer()) {
                take(std::move(joined));
                return true;
            }
            return false;
        } catch (const Unwanted&) {
            if (!was_joined_) next_join_ = Clock::now() + unwanted_;
            joining_.reset();
            throw;
        } catch (const std::runtime_error&) {
            joining_.reset();
            throw;
        }
    }
    void take(std::unique_ptr<AgentCarrier> joined) {
        changes_before_ = changes() + 1 - joined->changes();
        agents_ = std::move(joined);
        was_joined_ = true;
        joining_.reset();
        next_join_.reset();
        full_since_.reset();
    }

    /// Whether to look for frames by MPI: a program that polls seldom itself needs each step of the library's progress.
    bool due() {
        const auto now = Clock::now();
        if (now - used_ >= kOften && ++polls_ % kSeldom != 0 && now - looked_ < kLongest) return false;
        looked_ = now;
        return true;
    }

    Ways ways_to(Process to) const {
        const auto found = doubted_.find(to);
        if (found == doubted_.end()) return Ways::agents;
        const Doubt& doubt = found->second;
        return doubt.sent_again && Clock::now() - doubt.tried < kTry ? Ways::mpi : Ways::both;
    }
    /// It came by MPI.
    void doubt(std::span<const std::uint8_t> frame) {
        const std::optional<Process> from = listen(frame);
        if (!from || !agents_->reaches(*from)) return;
        const auto heard = heard_.find(*from);
        if (heard == heard_.end() || Clock::now() - heard->second >= kHeard) doubted_.try_emplace(*from);
    }
    /// It came by the agents: their way from its sender is in order.
    void trust(std::span<const std::uint8_t> frame) {
        const std::optional<Process> from = listen(frame);
        if (!from) return;
        heard_[*from] = Clock::now();
        heard_since_.insert(*from);
        if (const auto found = doubted_.find(*from); found != doubted_.end() && !found->second.sent_again) {
            doubted_.erase(found);
        }
    }
    /// Whose it is, if it is whole: it may say that the agents' way there is in order.
    std::optional<Process> listen(std::span<const std::uint8_t> frame) {
        const auto ends = wire::ends_of(frame, processes_);
        const auto* known = std::get_if<wire::Ends>(&ends);
        if (known == nullptr) return std::nullopt;
        if (known->heard) doubted_.erase(known->from);
        return known->from;
    }

    WithoutMpi without_mpi_{*this};
    std::unique_ptr<AgentCarrier> agents_;
    std::unique_ptr<Carrier> mpi_;
    Process processes_;
    Join join_;
    std::chrono::milliseconds unwanted_;
    std::unique_ptr<AgentJoin> joining_;
    std::optional<Clock::time_point> next_join_;  ///< while there is no agent
    bool was_joined_;                             ///< an agent has taken this rank
    std::uint32_t changes_before_ = 0;            ///< of agents that died
    std::map<Process, Clock::time_point> heard_;  ///< by the agents, last
    std::set<Process> heard_since_;               ///< by the agents, since the last frame to it
    std::map<Process, Doubt> doubted_;            ///< processes to or from which the agents' way may be broken
    std::uint32_t polls_ = 0;
    Clock::time_point looked_{};                   ///< for frames by MPI, last
    Clock::time_point used_{};                     ///< MPI, by frames, last
    std::optional<Clock::time_point> full_since_;  ///< the ring to the agent
};

}  // namespace fairlead::relay
