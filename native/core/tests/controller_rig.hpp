// SPDX-License-Identifier: Apache-2.0
// One controller driven by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/core/controller.hpp"

namespace fairlead::core {

inline constexpr HostId kHosts = 5;

inline ControllerConfig config_of(HostId self, const BaseSettings& base = {}) {
    ControllerConfig config(self, kHosts);
    config.settings.base = base;
    config.base = BaseTable(kHosts, base);
    for (HostId a = 0; a < kHosts; ++a) {
        for (HostId b = 0; b < kHosts; ++b) {
            if (a == b) continue;
            config.base.set_latency({a, b}, 64, 150e-6, -1.0);
            config.base.set_latency({a, b}, 65536, 2.8e-3, -1.0);
            config.base.set_throughput({a, b}, 200e6, -1.0);
            config.sharing.set_hurts({a, b}, {a, b});  // known: nothing shares anything else
        }
    }
    config.settings.suspicion.watched_s = 0.0;  // tests begin in the midst of a run
    config.seed = 5;
    return config;
}

/// Whether a burst is among them, not only a probe of the background.
inline bool looks_at(HostId peer, const std::vector<Action>& actions) {
    return std::ranges::any_of(actions, [peer](const Action& action) {
        const auto* probes = std::get_if<SendProbes>(&action);
        return probes != nullptr && probes->peer == peer && probes->count > 1;
    });
}

/// Host 0's controller with the answers that its surroundings would give.
class Rig {
  public:
    explicit Rig(ControllerConfig config = config_of(0)) : controller(std::move(config)) {}

    std::vector<Action> on(const Event& event, double after_s = 0.0) {
        now += after_s;
        std::vector<Action> actions = controller.on(event, now);
        all.insert(all.end(), actions.begin(), actions.end());
        return actions;
    }
    void greet_all() {
        on(Tick{});
        for (HostId host = 1; host < kHosts; ++host) on(Received{host, wire::Hello{kHosts, true}});
    }
    /// Answers every burst and query of `actions` with these queueing delays, and what that leads to in turn, for a
    /// quarter of a second.
    void surroundings(std::vector<Action> actions, double direct_queue_s, double leg_queue_s) {
        for (int round = 0; round < 40; ++round) {
            std::vector<Action> next;
            for (const Action& action : actions) {
                for (const Event& event : answers(action, direct_queue_s, leg_queue_s)) {
                    for (Action& more : on(event)) next.push_back(std::move(more));
                }
            }
            for (Action& more : on(Tick{}, 0.006)) next.push_back(std::move(more));
            actions = std::move(next);
        }
    }
    /// One event, then the answers to what the step before led to: what is asked takes as long as a step.
    std::vector<Action> step(const Event& event, double after_s, double direct_queue_s, double leg_queue_s) {
        std::vector<Action> next = on(event, after_s);
        for (const Action& action : open) {
            for (const Event& answer : answers(action, direct_queue_s, leg_queue_s)) {
                for (Action& more : on(answer)) next.push_back(std::move(more));
            }
        }
        open = next;
        return next;
    }
    std::vector<Event> answers(const Action& action, double direct_queue_s, double leg_queue_s) {
        std::vector<Event> events;
        if (const auto* probes = std::get_if<SendProbes>(&action)) {
            for (int i = 0; i < probes->count; ++i) {
                const bool direct = probes->peer == destination || probes->peer == second;
                const double queue_s = direct ? direct_queue_s : leg_queue_s;
                events.push_back(ProbeResult{probes->peer, probes->burst, now + i * probes->spacing_s, queue_s < 0.0,
                                             300e-6 + std::max(0.0, queue_s), std::max(0.0, queue_s), 0.0, 0.0});
            }
        } else if (const auto* sent = std::get_if<SendEcho>(&action)) {
            const wire::Echo& echo = sent->echo;
            if (sent->trial && tells_left) events.push_back(EchoLeft{echo.destination, echo.relay, echo.token});
            const bool arrives = echoes && echo.relay != broken && echo.destination != silent;
            if (arrives) events.push_back(Received{echo.destination, reply_to(echo), 0, free_departure()});
        } else if (std::holds_alternative<SampleSockets>(action)) {
            events.push_back(sample(20e-3));
            if (second != kNoHost) events.push_back(second_sample(20e-3));
            events.push_back(Tick{});
        } else if (const auto* send = std::get_if<Send>(&action)) {
            const auto* echo = std::get_if<wire::Echo>(&send->message);
            if (send->to == deaf) return events;
            if (send->to == silent || (echo != nullptr && echo->destination == silent)) return events;
            if (std::holds_alternative<wire::Heartbeat>(send->message)) {
                events.push_back(Received{send->to, wire::Heartbeat{true}});
            } else if (echo != nullptr) {
                const HostId from = echo->destination == deaf ? echo->relay : echo->destination;
                if (echoes) events.push_back(Received{from, reply_to(*echo)});
            } else if (const auto* query = std::get_if<wire::PathQuery>(&send->message)) {
                events.push_back(Received{
                    send->to, wire::PathReport{query->token, query->destination, 3, 3, leg_queue_s, 150e-6, 0.0}});
            } else if (const auto* request = std::get_if<wire::RelayRequest>(&send->message)) {
                if (grant)
                    events.push_back(Received{send->to, wire::RelayGrant{request->token, request->destination, 0}});
                else
                    events.push_back(Received{
                        send->to, wire::RelayRefuse{request->token, request->destination, wire::RefuseReason::budget}});
            }
        } else if (const auto* reroute = std::get_if<Reroute>(&action); reroute != nullptr && answers_reroutes) {
            if (reroute_works)
                events.push_back(RerouteDone{reroute->destination, reroute->relay});
            else
                events.push_back(RerouteFailed{reroute->destination, reroute->relay, "no such device"});
        } else if (const auto* back = std::get_if<Restore>(&action)) {
            events.push_back(RestoreDone{back->destination});
        }
        return events;
    }
    /// Where answers tell when their echoes arrived: the 6 ms that these take in `surroundings` are those of the way
    /// back.
    std::optional<Time> free_departure() const { return tells_arrival ? std::optional(now - 6e-3) : std::nullopt; }
    static wire::EchoReply reply_to(const wire::Echo& echo) {
        return {echo.token, echo.source, echo.destination, echo.relay};
    }
    SocketSample sample(double srtt_s) {
        delivered_B += sample_B;
        return SocketSample{destination, srtt_s, 300e-6, 20000, delivered_B, 0, 0, false, 0.0, delivery_bps};
    }
    SocketSample second_sample(double srtt_s) {
        second_delivered_B += sample_B;
        return SocketSample{second, srtt_s, 300e-6, 20000, second_delivered_B, 0, 0, false};
    }
    /// A pair in use meets a queue.
    void congestion(double direct_queue_s, double leg_queue_s) {
        on(sample(300e-6), 0.02);
        surroundings(on(sample(20e-3), 0.02), direct_queue_s, leg_queue_s);
    }
    template <typename T>
    std::vector<T> seen() const {
        std::vector<T> found;
        for (const Action& action : all) {
            if (const T* match = std::get_if<T>(&action)) found.push_back(*match);
        }
        return found;
    }
    template <typename M>
    std::vector<M> messages(HostId to) const {
        std::vector<M> found;
        for (const Action& action : all) {
            const Send* send = std::get_if<Send>(&action);
            if (send == nullptr || send->to != to) continue;
            if (const M* message = std::get_if<M>(&send->message)) found.push_back(*message);
        }
        return found;
    }
    template <typename M>
    int sent(HostId to) const {
        return static_cast<int>(messages<M>(to).size());
    }

    Controller controller;
    double now = 100.0;
    HostId destination = 1;
    HostId second = kNoHost;  ///< another destination behind the same queue
    std::uint64_t delivered_B = 0;
    std::uint64_t second_delivered_B = 0;
    double delivery_bps = 200e6;    ///< of the pair's connections, as the kernel tells
    std::uint64_t sample_B = 2000;  ///< acknowledged between two samples
    bool grant = true;
    bool answers_reroutes = true;
    bool reroute_works = true;
    HostId silent = kNoHost;  ///< answers nothing that is sent to its agent
    HostId deaf = kNoHost;    ///< the direct path to it is silent: what goes over a relay is answered over that
    HostId broken = kNoHost;  ///< a relay that answers, but forwards nothing
    bool echoes = true;       ///< what takes a detour arrives
    bool tells_arrival = false;
    bool tells_left = false;  ///< trials' echoes leave only when they are answered, and that is told
    std::vector<Action> all;
    std::vector<Action> open;  ///< not answered yet, see step()
};

}  // namespace fairlead::core
