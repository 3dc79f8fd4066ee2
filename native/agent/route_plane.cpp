// SPDX-License-Identifier: Apache-2.0
#include "route_plane.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/epoll.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>

#include "bytes.hpp"
#include "system_error.hpp"

namespace fairlead::agent {
namespace {

constexpr std::uint32_t kOverlayPorts = guardian::kLastOverlayPort - guardian::kFirstOverlayPort + 1;

/// Spawned programs inherit blocked signals; the guardian shall not inherit ours.
class SignalsUnblocked {
  public:
    SignalsUnblocked() {
        sigset_t none;
        sigemptyset(&none);
        checked(sigprocmask(SIG_SETMASK, &none, &before_), "sigprocmask");
    }
    ~SignalsUnblocked() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
    SignalsUnblocked(const SignalsUnblocked&) = delete;
    SignalsUnblocked& operator=(const SignalsUnblocked&) = delete;

  private:
    sigset_t before_{};
};

std::string describe(const guardian::Reply& reply) {
    if (reply.error == 0) return {};
    return reply.reason.empty() ? "the guardian refused: error " + std::to_string(reply.error) : reply.reason;
}

}  // namespace

std::string interface_with(in_addr address) {
    ifaddrs* all = nullptr;
    checked(getifaddrs(&all), "getifaddrs");
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, &freeifaddrs);
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
        if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
        if (reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr.s_addr == address.s_addr) {
            return each->ifa_name;
        }
    }
    throw std::runtime_error("no interface has this host's address");
}

RoutePlane::~RoutePlane() {
    if (client_) loop_.forget(client_->fd());
}

void RoutePlane::start() {
    if (config_.guardian.empty()) return;
    try {
        const SignalsUnblocked unblocked;
        client_ = std::make_unique<guardian::Client>(config_.guardian);
    } catch (const guardian::ClientError& error) {
        reason_ = error.what();
    }
}

/// Network id and port of the overlay follow from the secret, so that all hosts of the job have the same.
guardian::Setup RoutePlane::make_setup() const {
    const SecretKey key = derive(config_.secret, KeyUse::overlay);
    guardian::Setup setup;
    setup.job = config_.job;
    setup.device = interface_with(config_.own().address);
    setup.self = config_.self;
    for (const Host& host : config_.hosts) setup.hosts.push_back({ntohl(host.address.s_addr), host.port});
    setup.network_id = 1 + load<std::uint32_t>(key.bytes().data()) % guardian::kMaxNetworkId;
    std::uint32_t port = load<std::uint32_t>(key.bytes().data() + 4) % kOverlayPorts;
    const auto taken = [this](std::uint32_t candidate) {
        return std::any_of(config_.hosts.begin(), config_.hosts.end(), [candidate](const Host& host) {
            return host.port == guardian::kFirstOverlayPort + candidate;
        });
    };
    while (taken(port)) port = (port + 1) % kOverlayPorts;
    setup.overlay_port = static_cast<std::uint16_t>(guardian::kFirstOverlayPort + port);
    setup.uid_first = setup.uid_last = config_.uid;
    return setup;
}

void RoutePlane::set_up(Done done, std::function<void(const std::string&)> lost) {
    if (!client_) return done(reason_);
    loop_.watch(client_->fd(), EPOLLIN, [this](std::uint32_t) { read_replies(); });
    guardian::Setup setup;
    try {
        setup = make_setup();
    } catch (const std::exception& error) {
        lose(error.what());
        return done(reason_);
    }
    request(setup, [this, done, lost = std::move(lost)](const std::string& error) {
        if (error.empty()) {
            up_ = true;
            reason_.clear();
            lost_ = lost;
        } else {
            lose(error);
        }
        done(error);
    });
}

template <typename Body>
void RoutePlane::request(const Body& body, Done done) {
    if (!client_) return done("there is no route plane: " + reason_);
    try {
        const std::uint32_t id = client_->send(body);
        waiting_[id] = {std::move(done), loop_.after(kAnswer_s, [this] { lose("the guardian does not answer"); })};
    } catch (const guardian::ClientError& error) {
        lose(error.what());
        done(reason_);
    }
}

void RoutePlane::move(core::HostId destination, core::HostId relay, Done done) {
    request(guardian::Move{destination, relay}, std::move(done));
}

void RoutePlane::back(core::HostId destination, Done done) {
    request(guardian::Return{destination}, std::move(done));
}

void RoutePlane::read_replies() {
    try {
        while (client_) {
            const auto reply = client_->receive();
            if (!reply) return;
            const auto found = waiting_.find(reply->id);
            if (found == waiting_.end()) continue;
            const Waiting waiting = std::move(found->second);
            waiting_.erase(found);
            loop_.cancel(waiting.timer);
            waiting.done(describe(*reply));
        }
    } catch (const guardian::ClientError& error) {
        lose(error.what());
    }
}

void RoutePlane::lose(const std::string& reason) {
    if (!client_) return;
    loop_.forget(client_->fd());
    client_.reset();
    up_ = false;
    reason_ = reason;
    const auto waiting = std::exchange(waiting_, {});
    for (const auto& [id, each] : waiting) {
        loop_.cancel(each.timer);
        each.done(reason);
    }
    if (const auto lost = std::exchange(lost_, nullptr)) lost(reason);
}

std::string RoutePlane::tear_down() {
    if (!client_) return {};
    loop_.forget(client_->fd());
    const std::unique_ptr<guardian::Client> client = std::move(client_);
    for (const auto& [id, each] : waiting_) loop_.cancel(each.timer);
    waiting_.clear();
    up_ = false;
    try {
        return describe(client->call(guardian::Teardown{}, kTearDown));
    } catch (const guardian::ClientError& error) {
        return error.what();
    }
}

}  // namespace fairlead::agent
