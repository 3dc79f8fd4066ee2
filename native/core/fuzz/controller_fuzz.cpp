// SPDX-License-Identifier: Apache-2.0
// Any sequence of events, also impossible ones. What must hold: a reroute names three different hosts of the job, or
// one of its ways; nothing is asked of the guardian about a destination before its last answer; restorations only of
// detours; bounded output.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "fairlead/core/controller.hpp"

namespace {

using namespace fairlead::core;
constexpr HostId kHosts = 5;
constexpr HostId kSelf = 1;
constexpr int kWays = 2;

class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
    bool empty() const { return size_ == 0; }
    std::uint8_t byte() {
        if (size_ == 0) return 0;
        --size_;
        return *data_++;
    }
    HostId host() { return byte() % (kHosts + 1); }
    /// Mostly milliseconds, now and then something odd.
    double seconds() {
        const std::uint8_t value = byte();
        constexpr double kOdd[] = {
            0.0,   -1.0,  std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
            1e300, 1e-300};
        return value >= 250 ? kOdd[value - 250] : value * 1e-3;
    }
    std::uint32_t token() { return byte(); }
    std::span<const std::uint8_t> bytes(std::size_t wanted) {
        const std::size_t length = wanted < size_ ? wanted : size_;
        const std::span<const std::uint8_t> result(data_, length);
        data_ += length;
        size_ -= length;
        return result;
    }

  private:
    const std::uint8_t* data_;
    std::size_t size_;
};

/// Whether the controller may send it: all but what the agent sends by itself, probes and what is about single messages
/// of the program.
bool is_control(const wire::Message& message) {
    return !std::holds_alternative<wire::Probe>(message) && !std::holds_alternative<wire::ProbeReply>(message) &&
           !std::holds_alternative<wire::SendQuery>(message) && !std::holds_alternative<wire::SendReport>(message) &&
           !std::holds_alternative<wire::RanksHere>(message);
}

/// The guardian's view: what it was asked and what it holds.
struct Guardian {
    struct Route {
        HostId relay = kNoHost;
        bool asked_reroute = false;
        bool asked_restore = false;
        HostId asked_relay = kNoHost;
    };
    Route routes[kHosts];

    void check(const Action& action) {
        if (const auto* reroute = std::get_if<Reroute>(&action)) {
            const bool way = is_way(reroute->relay) && way_number(reroute->relay) < kWays;
            if (reroute->destination >= kHosts || (reroute->relay >= kHosts && !way)) std::abort();
            if (reroute->destination == kSelf || reroute->relay == kSelf || reroute->relay == reroute->destination)
                std::abort();
            Route& route = routes[reroute->destination];
            if (route.asked_reroute || route.asked_restore) std::abort();
            route.asked_reroute = true;
            route.asked_relay = reroute->relay;
        } else if (const auto* back = std::get_if<Restore>(&action)) {
            if (back->destination >= kHosts || back->destination == kSelf) std::abort();
            Route& route = routes[back->destination];
            if (route.asked_reroute || route.asked_restore || route.relay == kNoHost) std::abort();
            route.asked_restore = true;
        } else if (const auto* send = std::get_if<Send>(&action)) {
            if (send->to >= kHosts || send->to == kSelf || !is_control(send->message)) std::abort();
            std::uint8_t out[wire::kMaxMessage_B];
            const std::size_t length = wire::encode(send->message, out);
            if (length == 0) std::abort();
            if (!std::holds_alternative<wire::Message>(wire::decode({out, length}, kHosts))) std::abort();
        } else if (const auto* sent = std::get_if<SendEcho>(&action)) {
            if (sent->echo.destination >= kHosts || sent->echo.destination == kSelf) std::abort();
            if (sent->echo.relay >= kHosts && !is_way(sent->echo.relay)) std::abort();
        } else if (const auto* probes = std::get_if<SendProbes>(&action)) {
            if (probes->peer >= kHosts || probes->peer == kSelf || probes->count < 1 || probes->count > 30)
                std::abort();
        }
    }
};

ControllerConfig config_of(Input& in) {
    ControllerConfig config(kSelf, kHosts);
    const std::uint8_t options = in.byte();
    config.seed = options;
    config.automatic = (options & 1) == 0;
    config.can_relay = (options & 2) == 0;
    config.learns = (options & 8) != 0;
    config.proves = (options & 16) != 0;
    config.ways = (options & 32) != 0 ? kWays : 0;
    if ((options & 4) == 0) {
        for (HostId a = 0; a < kHosts; ++a) {
            for (HostId b = 0; b < kHosts; ++b) {
                if (a == b) continue;
                config.base.set_latency({a, b}, 64, 150e-6, 0.0);
                config.base.set_throughput({a, b}, 200e6, 0.0);
                config.sharing.set_hurts({a, b}, {b, a});
            }
        }
    }
    return config;
}

Event guardian_event(Input& in, Guardian& guardian) {
    const HostId destination = in.host();
    const bool works = in.byte() % 4 != 0;
    if (destination >= kHosts) return RerouteDone{destination, in.host()};
    Guardian::Route& route = guardian.routes[destination];
    if (route.asked_reroute) {
        route.asked_reroute = false;
        if (works) route.relay = route.asked_relay;
        if (works) return RerouteDone{destination, route.asked_relay};
        return RerouteFailed{destination, route.asked_relay, "fuzz"};
    }
    if (route.asked_restore) {
        route.asked_restore = false;
        if (works) route.relay = kNoHost;
        if (works) return RestoreDone{destination};
        return RestoreFailed{destination, "fuzz"};
    }
    // Unasked answers must be ignored.
    if (works) return RestoreDone{destination};
    return RerouteDone{destination, in.host()};
}

/// An answer that fits what was asked last, or nearly.
Event fitting(Input& in, const std::vector<Action>& asked) {
    if (asked.empty()) return Tick{0.0};
    const Action& action = asked[in.byte() % asked.size()];
    const double delay_s = in.seconds();
    if (const auto* probes = std::get_if<SendProbes>(&action)) {
        return ProbeResult{probes->peer, probes->burst, in.seconds(), in.byte() % 8 == 0,
                           delay_s,      delay_s,       in.seconds(), 0.0};
    }
    if (const auto* sent = std::get_if<SendEcho>(&action)) {
        const wire::Echo& echo = sent->echo;
        if (in.byte() % 2 == 0) return EchoLeft{echo.destination, echo.relay, echo.token};
        return Received{echo.destination, wire::EchoReply{echo.token, echo.source, echo.destination, echo.relay}, 0,
                        in.byte() % 2 == 0 ? std::optional(delay_s) : std::nullopt};
    }
    const auto* send = std::get_if<Send>(&action);
    if (send == nullptr) return Tick{delay_s};
    if (const auto* query = std::get_if<wire::PathQuery>(&send->message)) {
        return Received{send->to, wire::PathReport{query->token, query->destination, 3, 3, 0.0, 1e-4, 0.0}};
    }
    if (const auto* query = std::get_if<wire::LoadQuery>(&send->message)) {
        return Received{send->to, wire::LoadReport{query->token, {}}};
    }
    if (const auto* request = std::get_if<wire::RelayRequest>(&send->message)) {
        return Received{send->to, wire::RelayGrant{request->token, request->destination, 0}};
    }
    return Received{send->to, wire::Hello{kHosts, true}, in.byte() % 2U};
}

Event next_event(Input& in, Guardian& guardian, const std::vector<Action>& asked, std::uint64_t& delivered_B) {
    switch (in.byte() % 16) {
        case 0:
        case 1:
            return fitting(in, asked);
        case 2: {
            delivered_B += in.byte();
            return SocketSample{in.host(),    in.seconds(),        in.seconds(), in.byte() * 1000ULL,
                                delivered_B,  in.byte() * 1000ULL, in.byte(),    in.byte() % 2 == 0,
                                in.seconds(), in.seconds() * 1e9};
        }
        case 3:
            return ProbeResult{in.host(),    in.token(),   in.seconds(), in.byte() % 4 == 0,
                               in.seconds(), in.seconds(), in.seconds(), in.seconds()};
        case 4: {
            const HostId from = in.host();
            const auto decoded = wire::decode(in.bytes(in.byte() % 48), kHosts);
            if (const auto* message = std::get_if<wire::Message>(&decoded)) return Received{from, *message};
            return Tick{0.0};
        }
        case 5:
        case 6:
            return guardian_event(in, guardian);
        case 7:
            return ManualReroute{in.host(), in.byte() % 4 == 0 ? way_of(in.byte() % (kWays + 1)) : in.host()};
        case 8:
            return ManualRestore{in.host()};
        case 9:
            return PairMix{in.host(), {{in.token(), in.seconds()}}};
        case 10: {
            SharingRelation sharing(kHosts);
            for (int left = in.byte() % 8; left > 0; --left) {
                const Pair injected{in.host(), in.host()};
                const Pair hurt{in.host(), in.host()};
                if (valid(injected, kHosts) && valid(hurt, kHosts)) sharing.set_hurts(injected, hurt);
            }
            return SharingChanged{std::move(sharing)};
        }
        case 11:
            return MessageTime{in.host(), in.token(), in.seconds(), in.seconds()};
        case 12:
            return InterfaceBusy{in.seconds() * 1e9};
        case 13:
            return Pause{in.byte() % 4 == 0 ? 0.0 : in.seconds()};
        case 14:
            return EchoLeft{in.host(), in.host(), in.token()};
        default:
            if (in.byte() == 0) return Stop{};
            if (in.byte() == 0) return PlaneLost{};
            return Tick{in.seconds()};
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input in(data, size);
    Controller controller(config_of(in));
    Guardian guardian;
    std::vector<Action> asked;
    std::uint64_t delivered_B = 0;
    double now = 10.0;
    for (HostId host = 0; host < kHosts; ++host) controller.on(Received{host, wire::Hello{kHosts, true}}, now);
    while (!in.empty()) {
        const double step_s = in.seconds();
        if (std::isfinite(step_s) && step_s > 0.0 && step_s < 1.0) now += step_s;
        const Event event = next_event(in, guardian, asked, delivered_B);
        std::vector<Action> actions = controller.on(event, std::isfinite(step_s) ? now : step_s);
        if (actions.size() > 200) std::abort();
        for (const Action& action : actions) guardian.check(action);
        for (HostId host = 0; host < kHosts; ++host) {
            if (host != kSelf && controller.view(host).relay != guardian.routes[host].relay) std::abort();
        }
        if (std::isnan(controller.next_wakeup())) std::abort();
        if (!actions.empty()) asked = std::move(actions);
    }
    return 0;
}
