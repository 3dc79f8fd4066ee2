// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/settings.hpp"

#include <cmath>
#include <cstdio>

namespace fairlead::core {

namespace {

template <auto Group, auto Member>
double& real(Settings& settings) {
    return settings.*Group.*Member;
}
template <auto Group, auto Member>
int& whole(Settings& settings) {
    return settings.*Group.*Member;
}

#define REAL(group, Type, member, unit, min, max)                                             \
    SettingInfo {                                                                             \
#group "." #member, unit, min, max, &real < &Settings::group, &Type::member>, nullptr \
    }
#define WHOLE(group, Type, member, unit, min, max)                                             \
    SettingInfo {                                                                              \
#group "." #member, unit, min, max, nullptr, &whole < &Settings::group, &Type::member> \
    }

const SettingInfo kTable[] = {
    REAL(zones, ZoneSettings, medium_factor, "1", 1.01, 1e3),
    REAL(zones, ZoneSettings, high_factor, "1", 1.02, 1e4),
    REAL(zones, ZoneSettings, floor_s, "s", 0.0, 10.0),
    REAL(zones, ZoneSettings, return_fraction, "1", 0.0, 1.0),
    REAL(zones, ZoneSettings, window_s, "s", 1e-3, 60.0),
    WHOLE(zones, ZoneSettings, min_samples, "samples", 1, 30),
    REAL(zones, ZoneSettings, min_span_s, "s", 0.0, 10.0),
    REAL(zones, ZoneSettings, quantile, "1", 0.0, 0.5),
    REAL(zones, ZoneSettings, low_quantile, "1", 0.0, 0.5),
    REAL(looks, LookSettings, period_s, "s", 1e-3, 10.0),
    REAL(looks, LookSettings, rest_share, "1", 0.0, 1.0),
    REAL(looks, LookSettings, rest_max_s, "s", 1e-3, 10.0),
    REAL(suspicion, SuspicionSettings, stall_s, "s", 1e-3, 10.0),
    REAL(suspicion, SuspicionSettings, stuck_s, "s", 0.01, 60.0),
    REAL(suspicion, SuspicionSettings, stuck_timeouts, "1", 0.0, 100.0),
    WHOLE(suspicion, SuspicionSettings, stuck_retransmits, "segments", 1, 1000),
    WHOLE(suspicion, SuspicionSettings, retransmits, "segments", 1, 1000),
    REAL(suspicion, SuspicionSettings, backoff_min_s, "s", 1e-3, 60.0),
    REAL(suspicion, SuspicionSettings, backoff_max_s, "s", 1e-3, 600.0),
    REAL(suspicion, SuspicionSettings, growth_factor, "1", 1.0, 1e3),
    REAL(suspicion, SuspicionSettings, rate_factor, "1", 1.01, 1e3),
    WHOLE(suspicion, SuspicionSettings, rate_samples, "samples", 1, 1000),
    WHOLE(suspicion, SuspicionSettings, shortfall_retransmits, "segments", 0, 1000),
    REAL(suspicion, SuspicionSettings, shortfall_window_s, "s", 1e-3, 10.0),
    REAL(suspicion, SuspicionSettings, active_s, "s", 1e-3, 600.0),
    REAL(probes, ProbeSettings, spacing_s, "s", 1e-4, 1.0),
    WHOLE(probes, ProbeSettings, burst, "probes", 1, 30),
    REAL(probes, ProbeSettings, background_period_s, "s", 0.01, 3600.0),
    REAL(probes, ProbeSettings, background_growth, "1", 1.0, 100.0),
    REAL(probes, ProbeSettings, background_max_s, "s", 0.01, 3600.0),
    REAL(probes, ProbeSettings, background_slack, "1", 0.0, 0.9),
    REAL(probes, ProbeSettings, answer_timeout_s, "s", 1e-3, 10.0),
    REAL(probes, ProbeSettings, extend_run_delay_s, "s", 1e-5, 10.0),
    WHOLE(probes, ProbeSettings, max_extensions, "bursts", 0, 100),
    REAL(probes, ProbeSettings, max_rate_per_s, "probes/s", 1.0, 1e5),
    REAL(probes, ProbeSettings, max_probes_at_once, "probes", 1.0, 1e5),
    WHOLE(probes, ProbeSettings, hosts_at_full_rate, "hosts", 1, 1024),
    REAL(probes, ProbeSettings, first_contacts_s, "s", 0.0, 3600.0),
    REAL(own_load, OwnLoadSettings, foreign_share, "1", 0.0, 1.0),
    REAL(own_load, OwnLoadSettings, brief_share, "1", 0.0, 1.0),
    REAL(own_load, OwnLoadSettings, broken_share, "1", 0.0, 1.0),
    REAL(own_load, OwnLoadSettings, broken_s, "s", 2e-3, 10.0),
    REAL(own_load, OwnLoadSettings, certain_s, "s", 2e-3, 10.0),
    REAL(own_load, OwnLoadSettings, min_elapsed_s, "s", 2e-3, 1.0),
    WHOLE(own_load, OwnLoadSettings, max_recounts, "1", 0, 100),
    REAL(own_load, OwnLoadSettings, min_busy_s, "s", 0.0, 1.0),
    REAL(own_load, OwnLoadSettings, answer_timeout_s, "s", 1e-3, 10.0),
    WHOLE(own_load, OwnLoadSettings, max_unanswered, "searches", 1, 1000),
    REAL(own_load, OwnLoadSettings, late_answer_s, "s", 0.0, 1.0),
    REAL(own_load, OwnLoadSettings, earlier_s, "s", 0.0, 1.0),
    REAL(own_load, OwnLoadSettings, samples_timeout_s, "s", 0.0, 1.0),
    REAL(own_load, OwnLoadSettings, told_s, "s", 0.0, 600.0),
    REAL(own_load, OwnLoadSettings, window_s, "s", 1e-3, 10.0),
    REAL(own_load, OwnLoadSettings, fill_window_s, "s", 1e-3, 10.0),
    REAL(own_load, OwnLoadSettings, less_share, "1", 0.0, 1.0),
    REAL(own_load, OwnLoadSettings, sure_share, "1", 0.0, 1.0),
    REAL(choice, ChoiceSettings, margin, "1", 0.0, 0.99),
    REAL(choice, ChoiceSettings, min_gain_s, "s", 0.0, 10.0),
    REAL(choice, ChoiceSettings, flagged_margin, "1", 0.0, 0.99),
    REAL(choice, ChoiceSettings, max_leg_queue, "1", 0.0, 1.0),
    REAL(choice, ChoiceSettings, alike_share, "1", 0.0, 10.0),
    REAL(choice, ChoiceSettings, settle_s, "s", 0.0, 10.0),
    REAL(choice, ChoiceSettings, good_within, "1", 0.0, 100.0),
    REAL(choice, ChoiceSettings, relay_cost_s, "s", 0.0, 1.0),
    REAL(choice, ChoiceSettings, overlay_share, "1", 0.0, 0.9),
    WHOLE(choice, ChoiceSettings, max_queries, "relays", 1, 64),
    REAL(choice, ChoiceSettings, query_timeout_s, "s", 1e-3, 10.0),
    REAL(choice, ChoiceSettings, query_extended_s, "s", 1e-3, 10.0),
    REAL(choice, ChoiceSettings, ask_timeout_s, "s", 1e-3, 10.0),
    REAL(relay, RelaySettings, budget_share, "1", 0.0, 10.0),
    REAL(relay, RelaySettings, budget_bps, "bit/s", 0.0, 1e15),
    REAL(relay, RelaySettings, request_factor, "1", 1.0, 100.0),
    REAL(relay, RelaySettings, request_min_bps, "bit/s", 0.0, 1e15),
    REAL(relay, RelaySettings, peak_memory_s, "s", 0.1, 3600.0),
    REAL(relay, RelaySettings, lease_s, "s", 0.05, 600.0),
    REAL(relay, RelaySettings, heartbeat_s, "s", 0.01, 60.0),
    WHOLE(relay, RelaySettings, heartbeats_missed, "heartbeats", 1, 100),
    REAL(relay, RelaySettings, fresh_s, "s", 0.0, 10.0),
    REAL(detour, DetourSettings, direct_period_s, "s", 0.01, 600.0),
    REAL(detour, DetourSettings, legs_period_s, "s", 0.01, 600.0),
    REAL(detour, DetourSettings, legs_apart_s, "s", 0.0, 600.0),
    REAL(detour, DetourSettings, fills_share, "1", 0.0, 1.0),
    REAL(detour, DetourSettings, dwell_s, "s", 0.0, 3600.0),
    REAL(detour, DetourSettings, slow_dwell_s, "s", 0.0, 3600.0),
    REAL(detour, DetourSettings, dwell_max_s, "s", 0.0, 36000.0),
    REAL(detour, DetourSettings, relapse_s, "s", 0.0, 3600.0),
    REAL(detour, DetourSettings, hold_s, "s", 0.0, 3600.0),
    REAL(detour, DetourSettings, hold_max_s, "s", 0.0, 36000.0),
    REAL(detour, DetourSettings, hold_jitter, "1", 0.0, 0.9),
    REAL(detour, DetourSettings, idle_return_s, "s", 0.1, 36000.0),
    REAL(detour, DetourSettings, failed_backoff_s, "s", 0.01, 600.0),
    REAL(detour, DetourSettings, shun_s, "s", 0.0, 3600.0),
    REAL(echo, EchoSettings, period_s, "s", 0.01, 60.0),
    REAL(echo, EchoSettings, idle_s, "s", 0.01, 60.0),
    REAL(echo, EchoSettings, quick_s, "s", 0.005, 60.0),
    WHOLE(echo, EchoSettings, missed, "echoes", 1, 1000),
    REAL(echo, EchoSettings, patience_first_s, "s", 1e-3, 60.0),
    REAL(echo, EchoSettings, patience_min_s, "s", 1e-3, 60.0),
    REAL(echo, EchoSettings, patience_max_s, "s", 1e-3, 60.0),
    REAL(echo, EchoSettings, trial_s, "s", 1e-3, 10.0),
    REAL(echo, EchoSettings, by_hand_s, "s", 0.01, 60.0),
    WHOLE(service, ServiceSettings, samples, "samples", 1, 1000),
    REAL(service, ServiceSettings, margin, "1", 0.0, 10.0),
    REAL(service, ServiceSettings, collapse, "1", 0.0, 1.0),
    REAL(service, ServiceSettings, deaf_s, "s", 0.0, 10.0),
    WHOLE(pattern, PatternSettings, intervals, "uses", 1, 7),
    REAL(pattern, PatternSettings, spread, "1", 0.0, 10.0),
    REAL(pattern, PatternSettings, lead_s, "s", 0.0, 60.0),
    REAL(report, ReportSettings, notice_period_s, "s", 1e-3, 60.0),
    REAL(report, ReportSettings, stayed_period_s, "s", 0.0, 3600.0),
    REAL(report, ReportSettings, stay_backoff_s, "s", 1e-3, 60.0),
    REAL(report, ReportSettings, stay_backoff_max_s, "s", 1e-3, 600.0),
    REAL(base, BaseSettings, near_share, "1", 0.0, 10.0),
    REAL(base, BaseSettings, shift_window_s, "s", 1.0, 1e6),
    WHOLE(base, BaseSettings, shift_samples, "samples", 1, 1000000),
    REAL(learn, LearnSettings, period_s, "s", 0.01, 600.0),
    WHOLE(learn, LearnSettings, bursts, "bursts", 1, 1000),
    REAL(learn, LearnSettings, later_s, "s", 0.01, 3600.0),
    WHOLE(learn, LearnSettings, relays, "relays", 0, 64),
    REAL(learn, LearnSettings, news_share, "1", 0.0, 1.0),
    REAL(learn, LearnSettings, memory_s, "s", 0.0, 600.0),
    REAL(messages, MessageSettings, rendezvous_B, "B", 0.0, 1e12),
    REAL(messages, MessageSettings, waited_s, "s", 0.0, 1.0),
    REAL(messages, MessageSettings, urgent_s, "s", 0.0, 10.0),
    REAL(messages, MessageSettings, urgent_period_s, "s", 1e-3, 10.0),
    REAL(messages, MessageSettings, period_s, "s", 1e-3, 60.0),
    REAL(messages, MessageSettings, max_asked_per_s, "messages/s", 1.0, 1e6),
    REAL(messages, MessageSettings, answer_timeout_s, "s", 0.1, 60.0),
    WHOLE(messages, MessageSettings, judged, "messages", 1, 16),
    REAL(messages, MessageSettings, judged_within_s, "s", 1e-3, 60.0),
};
#undef REAL
#undef WHOLE

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

std::optional<std::string> out_of_range(const SettingInfo& info, double value) {
    if (std::isfinite(value) && value >= info.min && value <= info.max) return std::nullopt;
    return "setting " + std::string(info.name) + " = " + number(value) + " is outside " + number(info.min) + " to " +
           number(info.max) + " " + std::string(info.unit);
}

double value_of(const SettingInfo& info, const Settings& settings) {
    // The accessors give references for set() as well; nothing is written here.
    Settings& mutable_settings = const_cast<Settings&>(settings);
    return info.real != nullptr ? info.real(mutable_settings) : info.whole(mutable_settings);
}

std::optional<std::string> not_above(const Settings& settings, std::string_view low, std::string_view high) {
    if (*get(settings, low) <= *get(settings, high)) return std::nullopt;
    return "setting " + std::string(low) + " must not exceed " + std::string(high);
}

}  // namespace

std::span<const SettingInfo> setting_table() {
    return kTable;
}

std::optional<std::string> set(Settings& settings, std::string_view name, double value) {
    for (const SettingInfo& info : kTable) {
        if (info.name != name) continue;
        if (auto mistake = out_of_range(info, value)) return mistake;
        if (info.real != nullptr) {
            info.real(settings) = value;
        } else if (value != std::floor(value)) {
            return "setting " + std::string(name) + " = " + number(value) + " must be a whole number of " +
                   std::string(info.unit);
        } else {
            info.whole(settings) = static_cast<int>(value);
        }
        return std::nullopt;
    }
    return "there is no setting " + std::string(name);
}

std::optional<double> get(const Settings& settings, std::string_view name) {
    for (const SettingInfo& info : kTable) {
        if (info.name == name) return value_of(info, settings);
    }
    return std::nullopt;
}

std::optional<std::string> validate(const Settings& settings) {
    for (const SettingInfo& info : kTable) {
        if (auto mistake = out_of_range(info, value_of(info, settings))) return mistake;
    }
    constexpr std::string_view kOrdered[][2] = {
        {"zones.medium_factor", "zones.high_factor"},
        {"looks.period_s", "looks.rest_max_s"},
        {"probes.background_period_s", "probes.background_max_s"},
        {"echo.patience_min_s", "echo.patience_max_s"},
        {"suspicion.backoff_min_s", "suspicion.backoff_max_s"},
        {"choice.query_timeout_s", "choice.query_extended_s"},
        {"detour.dwell_s", "detour.dwell_max_s"},
        {"detour.hold_s", "detour.hold_max_s"},
        {"report.stay_backoff_s", "report.stay_backoff_max_s"},
        {"relay.heartbeat_s", "relay.lease_s"},
        {"own_load.foreign_share", "own_load.brief_share"},
        {"own_load.min_elapsed_s", "own_load.certain_s"},
    };
    for (const auto& [low, high] : kOrdered) {
        if (auto mistake = not_above(settings, low, high)) return mistake;
    }
    if (settings.zones.min_samples > settings.probes.burst) {
        return "setting zones.min_samples must not exceed probes.burst: no burst would ever be judged";
    }
    if (settings.zones.min_span_s > settings.probes.spacing_s * (settings.probes.burst - 1)) {
        return "setting zones.min_span_s must not exceed probes.spacing_s * (probes.burst - 1): no burst would ever be "
               "judged";
    }
    return std::nullopt;
}

}  // namespace fairlead::core
