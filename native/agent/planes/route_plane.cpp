// SPDX-License-Identifier: Apache-2.0
#include "planes/route_plane.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <limits>
#include <stdexcept>

#include "process/bytes.hpp"
#include "process/clock.hpp"
#include "process/system_error.hpp"
#include "process/unique_fd.hpp"
#include "protocol/names.hpp"

namespace fairlead::agent {
namespace {

constexpr std::uint32_t kOverlayPorts = guardian::kLastOverlayPort - guardian::kFirstOverlayPort + 1;

/// How long, and how often, a set-up is tried where an earlier guardian of the job has not ended yet.
constexpr double kPredecessor_s = 4.0;
constexpr double kAgain_s = 0.1;
/// A renewal may wait so much longer for a wake that something else needs.
constexpr double kRenewSlack_s = 0.5;

constexpr const char* kNotKilled = "could not be killed: its routes may remain until it goes on or is killed as root";

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

std::string device_of(const std::string& label) {
    return label.substr(0, label.find(':'));
}

std::string interface_with(const Address& address) {
    ifaddrs* all = nullptr;
    checked(getifaddrs(&all), "getifaddrs");
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, &freeifaddrs);
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
        if (each->ifa_addr != nullptr && address_of(*each->ifa_addr) == address) return device_of(each->ifa_name);
    }
    throw std::runtime_error("no interface has this host's address");
}

RoutePlane::RoutePlane(EventLoop& loop, const Config& config)
    : loop_(loop),
      config_(config),
      trials_(
          [this](const core::wire::Echo& echo, TrialQueue::Made made) {
              const guardian::Reroute by = reroute_of(echo.destination, echo.relay);
              request(guardian::Try{by.destination, by.relay, by.leg_mtu_B, by.way},
                      [made = std::move(made)](const std::string& error) { made(error.empty()); });
          },
          [this](const core::wire::Echo& echo) {
              echoes_->send(echo, true);
              if (trial_left_) trial_left_(echo);
          }) {}

RoutePlane::~RoutePlane() {
    loop_.cancel(lease_timer_);
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
    for (const Host& host : config_.hosts) setup.hosts.push_back({host.address, host.port});
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
    setup.ways = static_cast<std::uint32_t>(ways_);
    return setup;
}

void RoutePlane::set_up(UdpChannel& channel, Done done, Lost lost) {
    if (!client_) return done(reason_);
    channel_ = &channel;
    loop_.watch(client_->fd(), EPOLLIN, [this](std::uint32_t) { read_replies(); });
    guardian::Setup setup;
    try {
        setup = make_setup();
    } catch (const std::exception& error) {
        lose(error.what());
        return done(reason_);
    }
    set_up(std::move(setup), monotonic_s() + kPredecessor_s, std::move(done), std::move(lost));
}

/// The guardian of an agent of this job that has just died is there for its grace time.
void RoutePlane::set_up(guardian::Setup setup, double patience_until_s, Done done, Lost lost) {
    request(setup, [this, setup, patience_until_s, done, lost = std::move(lost)](const std::string& error) {
        if (error.empty()) {
            lead_echoes(setup, [this, done, lost](const std::string& not_led) {
                if (not_led.empty()) {
                    up_ = true;
                    reason_.clear();
                    lost_ = lost;
                } else {
                    lose(not_led);
                }
                done(not_led);
            });
        } else if (refused_with_ == EADDRINUSE && monotonic_s() < patience_until_s) {
            loop_.after(kAgain_s,
                        [this, setup, patience_until_s, done, lost] { set_up(setup, patience_until_s, done, lost); });
        } else {
            lose(error);
            done(error);
        }
    });
}

/// Without a proof of its path nothing is rerouted, so the plane is up only if its echoes are led.
void RoutePlane::lead_echoes(const guardian::Setup& setup, Done done) {
    try {
        echoes_ = std::make_unique<EchoSender>(config_, *channel_,
                                               [&](std::uint16_t port) { return guardian::taken(port, setup); });
        channel_->take_echoes_from(guardian::device_name(config_.job));
        for (std::uint32_t way = 1; way <= setup.ways; ++way) {
            channel_->take_echoes_from(guardian::way_device_name(config_.job, way));
        }
    } catch (const std::system_error& error) {
        return done(error.what());
    }
    request(guardian::Echoes{echoes_->lasting_port(), echoes_->trial_port()}, std::move(done));
}

void RoutePlane::echo(const core::wire::Echo& echo, bool trial) {
    if (!up_) return;
    if (trial) {
        trials_.add(echo);
    } else {
        echoes_->send(echo, false);
    }
}

template <typename Body>
void RoutePlane::request(const Body& body, Done done) {
    refused_with_ = 0;  // an earlier answer says nothing of this one, if the guardian dies before
    if (!client_) return done("there is no route plane: " + reason_);
    try {
        const std::uint32_t id = client_->send(body);
        waiting_[id] = {std::move(done), loop_.after(kAnswer_s, [this] { lose_silent(); })};
    } catch (const guardian::ClientError& error) {
        lose(error.what());
        done(reason_);
    }
}

void RoutePlane::reroute(core::HostId destination, core::HostId relay, Done done) {
    const std::uint64_t number = ask(destination, relay);
    if (lease_timer_ == 0) hold_lease();
    request(reroute_of(destination, relay),
            [this, destination, relay, number, done = std::move(done)](const std::string& error) {
                Route& route = routes_[destination];
                if (error.empty()) route.relay = relay;
                if (number == route.number) route.asked.reset();
                done(error);
                if (number != route.number) return;
                const Done failed = std::exchange(route.learned, nullptr);
                if (failed && error.empty()) make_anew(destination, relay, failed);
            });
}

void RoutePlane::restore(core::HostId destination, Done done) {
    const std::uint64_t number = ask(destination, core::kNoHost);
    request(guardian::Restore{destination},
            [this, destination, number, done = std::move(done)](const std::string& error) {
                Route& route = routes_[destination];
                if (error.empty()) route.relay = core::kNoHost;
                if (number == route.number) route.asked.reset();
                done(error);
            });
}

/// Notes what is asked of the guardian; returns the request's number among those of this destination.
std::uint64_t RoutePlane::ask(core::HostId destination, core::HostId relay) {
    trials_.drop(destination);
    Route& route = routes_[destination];
    route.asked = relay;
    route.learned = nullptr;
    return ++route.number;
}

bool RoutePlane::reroutes() const {
    return std::any_of(routes_.begin(), routes_.end(), [](const auto& each) {
        return each.second.relay != core::kNoHost || each.second.asked.value_or(core::kNoHost) != core::kNoHost;
    });
}

/// Until nothing is rerouted any more.
void RoutePlane::hold_lease() {
    lease_timer_ = 0;
    if (!client_ || !reroutes()) return;
    request(guardian::Lease{static_cast<std::uint32_t>(kLease.count())}, [](const std::string&) {});
    lease_timer_ = loop_.after(
        kRenew_s, [this] { hold_lease(); }, kRenewSlack_s);
}

/// By a way the guardian leads straight to the destination.
guardian::Reroute RoutePlane::reroute_of(core::HostId destination, core::HostId relay) const {
    static_assert(core::kMaxWays == guardian::kMaxWays);
    if (core::is_way(relay)) {
        return {destination, destination, 0, static_cast<std::uint32_t>(core::way_number(relay)) + 1};
    }
    return {destination, relay, leg_mtu_B(destination, relay), 0};
}

/// As the relay told; 0: not yet.
std::uint16_t RoutePlane::leg_mtu_B(core::HostId destination, core::HostId relay) const {
    const auto leg = leg_mtus_B_.find({destination, relay});
    return leg == leg_mtus_B_.end() ? std::uint16_t{0} : leg->second;
}

/// Asked of a socket to the peer's agent: its packets stay on the direct path.
std::uint16_t RoutePlane::route_mtu_B(core::HostId peer) const {
    const SocketAddress from = config_.own().any_port();
    const SocketAddress to = config_.hosts[peer].socket_address();
    const UniqueFd fd(socket(config_.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!fd || bind(fd.get(), from.get(), from.size_B()) < 0 || connect(fd.get(), to.get(), to.size_B()) < 0) return 0;
    const int mtu_B = path_mtu_B(fd.get(), config_.family()).value_or(0);
    return static_cast<std::uint16_t>(std::clamp<int>(mtu_B, 0, std::numeric_limits<std::uint16_t>::max()));
}

/// A detour by hand does not wait for its relay's answer: it is made anew where that tells something new. Only where
/// there is one: the controller hears nothing of this.
void RoutePlane::learn_leg(core::HostId destination, core::HostId relay, std::uint16_t mtu_B, Done failed) {
    std::uint16_t& known_B = leg_mtus_B_[{destination, relay}];
    if (std::exchange(known_B, mtu_B) == mtu_B) return;
    Route& route = routes_[destination];
    if (route.asked == relay) {
        route.learned = std::move(failed);  // the guardian may refuse it yet
    } else if (!route.asked && route.relay == relay) {
        make_anew(destination, relay, std::move(failed));
    }
}

void RoutePlane::make_anew(core::HostId destination, core::HostId relay, Done failed) {
    reroute(destination, relay, [failed = std::move(failed)](const std::string& error) {
        if (!error.empty()) failed(error);
    });
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
            refused_with_ = reply->error;
            waiting.done(describe(*reply));
        }
    } catch (const guardian::ClientError& error) {
        lose(error.what());
    }
}

/// One that is stopped would keep its routes, and whoever is to remove what is left takes it for alive. Where it is
/// root's, by sudo, only `--clean` can have it go on; it then sees that its agent has left it.
void RoutePlane::lose_silent() {
    if (!up_) return lose("the guardian does not answer");  // it has rerouted nothing
    if (client_ && client_->kill()) return lose("the guardian does not answer and was killed");
    std::string reason = "the guardian does not answer, and ";
    reason += kNotKilled;
    lose(reason);
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
        // One that is stopped would be taken for alive, and what it made would stay.
        return client->kill() ? error.what() : std::string(error.what()) + ", and " + kNotKilled;
    }
}

}  // namespace fairlead::agent
