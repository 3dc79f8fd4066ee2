// SPDX-License-Identifier: Apache-2.0
// The ranks of this host that take part in the relay plane: they come by a Unix socket, and are gone when it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "planes/rank_channel.hpp"
#include "process/event_loop.hpp"

namespace fairlead::agent {

class LocalRanks {
  public:
    /// On one host; more are refused.
    static constexpr std::size_t kMostRanks = 1024;
    /// Connections that have not said who they are; more wait to be accepted.
    static constexpr std::size_t kMostStrangers = 64;
    /// So long they may take for it.
    static constexpr double kStranger_s = 2.0;

    struct Handlers {
        /// All of them are of one world, and the first of another comes when none of the one before is left.
        std::function<void(RankChannel&)> joined;
        std::function<void(RankChannel&)> rang;              ///< it has written, or read where room was waited for
        std::function<void(RankChannel&)> left;              ///< before its channel goes
        std::function<bool(const relay::Hello&)> elsewhere;  ///< whether its world has such a rank on another host
        std::function<void(const std::string&)> log;         ///< what went wrong with one
    };

    /// Listens in `directory`, which it makes, and removes, if it is gone. uid: whose ranks are wanted, besides the
    /// agent's own user's. Throws std::system_error, or std::runtime_error for a name that is too long.
    LocalRanks(EventLoop& loop, const std::string& directory, std::uint32_t uid, std::uint64_t ring_B,
               Handlers handlers);
    ~LocalRanks();
    LocalRanks(const LocalRanks&) = delete;
    LocalRanks& operator=(const LocalRanks&) = delete;

    /// Null if no such rank is here.
    RankChannel* find(relay::Process rank);
    /// The channels, by rank. Not to be kept over a return to the loop.
    const std::map<relay::Process, std::unique_ptr<RankChannel>>& all() const { return ranks_; }
    /// Ends the connection of a rank that broke the protocol, or is gone.
    void remove(relay::Process rank);

  private:
    struct Stranger {
        UniqueFd socket;
        EventLoop::TimerId patience = 0;
    };

    void accept_some();
    void meet(int socket);
    void remove_ended();
    bool of_another_world(const relay::Hello& hello) const;
    /// Why it is not admitted; empty: it is.
    std::string unlike_a_rank_of_this_job(const relay::Hello& hello) const;
    /// Throws std::system_error.
    void admit(UniqueFd socket, const relay::Hello& hello);
    /// Once: who is refused asks again and again.
    void log_refusal(const std::string& why);
    bool wanted(int socket) const;
    void beat();

    EventLoop& loop_;
    /// Where ranks find the agent. It is made if it is gone, and then removed at the end.
    class Directory {
      public:
        /// Throws std::runtime_error if it belongs to neither the agent's user nor `uid`.
        Directory(std::string path, std::uint32_t uid);
        ~Directory();
        Directory(const Directory&) = delete;
        Directory& operator=(const Directory&) = delete;

      private:
        std::string path_;
        bool made_;
    };

    Directory directory_;
    std::string path_;
    std::uint32_t uid_;
    std::uint64_t ring_B_;
    Handlers handlers_;
    UniqueFd listener_;
    EventLoop::TimerId accept_again_ = 0;
    EventLoop::TimerId pulse_timer_ = 0;  ///< runs while there are ranks
    std::map<int, Stranger> strangers_;
    std::map<relay::Process, std::unique_ptr<RankChannel>> ranks_;
    std::vector<std::size_t> free_slots_;
    std::set<std::string> refusals_;  ///< told of since the present program's ranks came
};

}  // namespace fairlead::agent
