// SPDX-License-Identifier: Apache-2.0
#include "planes/local_ranks.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "process/system_error.hpp"

namespace fairlead::agent {
namespace {

UniqueFd listen_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        throw std::runtime_error(path + " is too long for the path of a socket (at most 107 characters)");
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    UniqueFd fd(checked(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "Unix socket"));
    unlink(path.c_str());  // of an agent that died; the directory is this run's and this host's
    if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0 ||
        listen(fd.get(), SOMAXCONN) < 0) {
        throw_errno("the ranks' socket " + path);
    }
    return fd;
}

bool valid(const relay::Hello& hello) {
    return hello.magic == relay::kChannelMagic && hello.version == relay::kChannelVersion &&
           hello.self < hello.processes && hello.processes <= relay::kMostProcesses && hello.world != relay::kNoWorld;
}

}  // namespace

// It is gone where the connection of what keeps it was lost, and no rank was there. Its name is no secret.
LocalRanks::Directory::Directory(std::string path, std::uint32_t uid)
    : path_(std::move(path)), made_(mkdir(path_.c_str(), S_IRWXU) == 0) {
    struct stat facts {};
    if (lstat(path_.c_str(), &facts) != 0) throw_errno("the ranks' directory " + path_);
    if (facts.st_uid != geteuid() && facts.st_uid != uid) {
        throw std::runtime_error("the ranks' directory " + path_ + " belongs to another user");
    }
}

LocalRanks::Directory::~Directory() {
    if (made_) rmdir(path_.c_str());
}

LocalRanks::LocalRanks(EventLoop& loop, const std::string& directory, std::uint32_t uid, std::uint64_t ring_B,
                       Handlers handlers)
    : loop_(loop),
      directory_(directory, uid),
      path_(directory + "/" + relay::kChannelSocket),
      uid_(uid),
      ring_B_(ring_B),
      handlers_(std::move(handlers)),
      listener_(listen_at(path_)) {
    for (std::size_t slot = kMostRanks; slot-- > 0;) free_slots_.push_back(slot);
    loop_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_some(); });
}

LocalRanks::~LocalRanks() {
    loop_.cancel(accept_again_);
    loop_.cancel(pulse_timer_);
    loop_.forget(listener_.get());
    unlink(path_.c_str());
    for (const auto& [fd, stranger] : strangers_) {
        loop_.forget(fd);
        loop_.cancel(stranger.patience);
    }
    for (const auto& [rank, channel] : ranks_) {
        loop_.forget(channel->socket());
        loop_.forget(channel->bell());
    }
}

RankChannel* LocalRanks::find(relay::Process rank) {
    const auto found = ranks_.find(rank);
    return found == ranks_.end() ? nullptr : found->second.get();
}

void LocalRanks::accept_some() {
    // Without a pause the loop would spin on what stays in the queue.
    const auto rest = [this] {
        loop_.change(listener_.get(), 0);
        accept_again_ = loop_.after(kAcceptPause_s, [this] { loop_.change(listener_.get(), EPOLLIN); });
    };
    if (strangers_.size() >= kMostStrangers) return rest();
    UniqueFd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ? void() : rest();
    if (!wanted(socket.get())) return handlers_.log("a process of another user asked for the relay plane");
    const int fd = socket.get();
    try {
        loop_.watch(fd, EPOLLIN, [this, fd](std::uint32_t) { meet(fd); });
    } catch (const std::system_error& error) {
        return log_refusal(std::string("a process that asked for the relay plane cannot be heard: ") + error.what());
    }
    strangers_[fd] = {std::move(socket), loop_.after(kStranger_s, [this, fd] {
                          loop_.forget(fd);
                          strangers_.erase(fd);
                      })};
}

void LocalRanks::log_refusal(const std::string& why) {
    if (refusals_.insert(why).second) handlers_.log(why);
}

bool LocalRanks::wanted(int socket) const {
    ucred peer{};
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return false;
    return peer.uid == uid_ || peer.uid == geteuid();
}

void LocalRanks::meet(int fd) {
    loop_.forget(fd);
    auto entry = strangers_.extract(fd);
    UniqueFd socket = std::move(entry.mapped().socket);
    loop_.cancel(entry.mapped().patience);
    relay::Hello hello{};
    const ssize_t size_B = recv(fd, &hello, sizeof hello, MSG_DONTWAIT | MSG_TRUNC);
    if (size_B != sizeof hello || !valid(hello))
        return handlers_.log("a process that is not a rank asked for the relay plane");
    if (of_another_world(hello)) remove_ended();
    if (const std::string why = unlike_a_rank_of_this_job(hello); !why.empty()) return log_refusal(why);
    if (free_slots_.empty()) return handlers_.log("too many ranks for the relay plane");
    try {
        admit(std::move(socket), hello);
    } catch (const std::system_error& error) {
        log_refusal("rank " + std::to_string(hello.self) + " runs without the relay plane: " + error.what());
    }
}

/// A program may follow another one in its slot. Its ranks come when the other's have ended, but what tells of an end
/// may be looked at after what tells of a beginning.
void LocalRanks::remove_ended() {
    std::vector<relay::Process> ended;
    for (const auto& [rank, channel] : ranks_) {
        char byte = 0;
        const ssize_t size_B = recv(channel->socket(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
        if (size_B >= 0 || (errno != EAGAIN && errno != EINTR)) ended.push_back(rank);
    }
    for (const relay::Process rank : ended) remove(rank);
}

bool LocalRanks::of_another_world(const relay::Hello& hello) const {
    return !ranks_.empty() && ranks_.begin()->second->world() != hello.world;
}

/// Programs of a job may start other MPI jobs, whose ranks have the same numbers.
std::string LocalRanks::unlike_a_rank_of_this_job(const relay::Hello& hello) const {
    const std::string who = " rank " + std::to_string(hello.self);
    if (of_another_world(hello)) {
        return "a" + who + " of another MPI program asked for the relay plane; the job's still has ranks here";
    }
    if (ranks_.contains(hello.self)) return "a second" + who + " asked for the relay plane";
    if (handlers_.elsewhere(hello)) {
        return "a" + who + " asked for the relay plane; the job's is on another host";
    }
    if (ranks_.empty() || ranks_.begin()->second->processes() == hello.processes) return {};
    return "a" + who + " of " + std::to_string(hello.processes) + " asked for the relay plane; the job has " +
           std::to_string(ranks_.begin()->second->processes());
}

void LocalRanks::admit(UniqueFd socket, const relay::Hello& hello) {
    auto made = std::make_unique<RankChannel>(std::move(socket), hello, ring_B_, free_slots_.back());
    RankChannel& channel = *made;
    const relay::Process rank = hello.self;
    try {
        loop_.watch(channel.socket(), EPOLLIN, [this, rank](std::uint32_t) { remove(rank); });  // it has nothing to say
        loop_.watch(channel.bell(), EPOLLIN, [this, &channel](std::uint32_t) {
            channel.silence_bell();
            handlers_.rang(channel);
        });
        handlers_.joined(channel);  // its table is written before it sees it
        channel.sleep();
        channel.welcome();
    } catch (...) {
        loop_.forget(channel.socket());
        loop_.forget(channel.bell());
        throw;
    }
    free_slots_.pop_back();
    ranks_[rank] = std::move(made);
    if (pulse_timer_ == 0) beat();
}

void LocalRanks::beat() {
    pulse_timer_ = ranks_.empty() ? 0 : loop_.after(relay::kPulse_s, [this] { beat(); });
    for (const auto& [rank, channel] : ranks_) channel->beat();
}

void LocalRanks::remove(relay::Process rank) {
    const auto found = ranks_.find(rank);
    if (found == ranks_.end()) return;
    const std::shared_ptr<RankChannel> channel = std::move(found->second);
    ranks_.erase(found);
    if (ranks_.empty()) refusals_.clear();
    loop_.forget(channel->socket());
    loop_.forget(channel->bell());
    handlers_.left(*channel);
    free_slots_.push_back(channel->slot());
    // Closed when this round of events is over: a new descriptor of the same number would get what is left of it.
    loop_.after(0.0, [channel] {});
}

}  // namespace fairlead::agent
