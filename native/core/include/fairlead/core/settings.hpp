// SPDX-License-Identifier: Apache-2.0
// Every number that the decisions depend on: name, unit, default, permitted range. What only bounds memory or refuses
// nonsense stands where it is used.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace fairlead::core {

struct ZoneSettings {
    double medium_factor = 1.5;    ///< of the base latency: from here on a path is medium
    double high_factor = 3.0;      ///< from here on high
    double floor_s = 1.0e-3;       ///< queueing delay below which a path is never above low
    double return_fraction = 0.5;  ///< of the step's threshold: back to a lower zone only below this
    double window_s = 0.080;       ///< samples older than this are not judged
    int min_samples = 3;           ///< fewer are not judged
    double min_span_s = 0.005;     ///< nor samples that all fell within this
    double quantile = 0.5;  ///< of the window. Others' bursts leave gaps in a queue; scheduling noise delays only some
    double low_quantile = 0.2;  ///< a queue that so many probes did not meet is broken: one lucky probe is none
};

/// Between looks at the ranks' sockets, and at the rings of their messages.
struct LookSettings {
    double period_s = 0.040;  ///< while bytes move: a look at a few connections costs some 20 us
    double rest_share = 0.1;  ///< of the time since bytes last moved, where that is longer: well below pattern.spread,
                              ///< so that beginnings of uses are still seen at even intervals
    double rest_max_s = 0.5;  ///< but not longer: congestion at a use's begin is left that much later
};

struct SuspicionSettings {
    double stall_s = 0.050;           ///< bytes in flight and none acknowledged for so long
    int retransmits = 1;              ///< segments sent again since the last sample
    double stuck_s = 0.2;             ///< bytes of a detour in flight for so long, or stuck_timeouts, and none
                                      ///< acknowledged: it carries nothing
    double stuck_timeouts = 2.0;      ///< in retransmission time-outs
    int stuck_retransmits = 2;        ///< and so many segments were sent again
    double backoff_min_s = 0.060;     ///< after a false alarm, at first
    double backoff_max_s = 1.0;       ///< doubling up to this
    double growth_factor = 1.5;       ///< a round trip that grew so much since the false alarm is followed at once
    double rate_factor = 1.5;         ///< network-limited sockets below base throughput / this are suspicious
    int rate_samples = 3;             ///< in a row
    int shortfall_retransmits = 3;    ///< segments sent again that make a shortfall without a queue believable
    double shortfall_window_s = 0.2;  ///< within this
    double active_s = 0.5;            ///< a pair is in use if it carried bytes within this
};

struct ProbeSettings {
    double spacing_s = 0.003;           ///< between the probes of a burst
    int burst = 3;                      ///< probes of a burst
    double background_period_s = 2.0;   ///< between the first two background probes of one peer
    double background_growth = 2.0;     ///< of each such pause to the next: the error bound of the peer's clock grows
                                        ///< with the pause over the time that it was watched, and so stays what it was
    double background_max_s = 16.0;     ///< up to this: a step of the peer's clock is noticed by then
    double background_slack = 0.25;     ///< of its pause a probe is early where another is sent: one wake for several
    double answer_timeout_s = 0.040;    ///< after the last probe of a burst was due: judge with what came
    double extend_run_delay_s = 0.002;  ///< own or peer's wait in the run queue above which a burst is repeated
    int max_extensions = 4;             ///< repetitions of the burst at most
    double max_rate_per_s = 60.0;       ///< probes sustained, of all bursts of this host together
    double max_probes_at_once = 60.0;   ///< and for a moment
    int hosts_at_full_rate = 16;        ///< more share the background probes of so many: the agent's cost stays bounded
    double first_contacts_s = 1.0;  ///< every peer is met within this: clock and smallest round trip are wanted early
};

struct OwnLoadSettings {
    double foreign_share = 0.30;      ///< of a queue: below this the job's own bytes explain it
    double brief_share = 0.50;        ///< the same after the shortest count: acknowledgements come in bunches
    double broken_share = 0.60;       ///< the same for a queue that a fifth of the probes did not meet
    double broken_s = 0.070;          ///< such a queue is counted for so long
    double certain_s = 0.120;         ///< a count this long needs foreign_share, a shorter one something in between
    double min_elapsed_s = 0.015;     ///< the shortest count, between two looks at the job's own bytes
    int max_recounts = 4;             ///< further looks, each min_elapsed_s after the one before
    double min_busy_s = 0.010;        ///< a queue that was seen to stand for less is looked at longer
    double answer_timeout_s = 0.060;  ///< for other hosts' reports
    int max_unanswered = 3;  ///< searches given up because a host did not report: then it is not waited for any more
    double late_answer_s = 0.004;  ///< a report this long after its query may miss the begin of what is judged
    double earlier_s = 0.010;      ///< counters this old are of a poll before the query: they stand in for late ones
    double samples_timeout_s = 0.005;  ///< for samples to report; then older ones are better than none
    double told_s = 1.0;      ///< what another pair's search counted on the same bottleneck is believed for this long
    double window_s = 0.060;  ///< over which the rate of a pair is told
    double fill_window_s = 0.080;  ///< the same, to see whether own bytes fill a path. Two looks at the sockets: in a
                                   ///< shorter one, acknowledgements in bunches would count as a rate
    double less_share = 0.7;       ///< of the own rate that explained a queue: below this something else has come
    double sure_share = 0.5;  ///< of the foreign share needed: with more, the pause does not grow, as others may just
                              ///< be coming
};

struct ChoiceSettings {
    double margin = 0.2;            ///< a detour must be faster than the present path by this share
    double min_gain_s = 0.5e-3;     ///< and by this
    double flagged_margin = 0.4;    ///< the margin for one that shares a bottleneck with the congested path
    double max_leg_queue = 0.5;     ///< of the present queueing delay: legs with more share its bottleneck
    double alike_share = 0.5;       ///< of a pair's rate: another that carries so much takes another way around
    double settle_s = 0.050;        ///< a queue that drains within this when one pair leaves is judged again before the
                                    ///< next pair does
    double good_within = 0.5;       ///< slower than the best by at most this share: drawn from
    double relay_cost_s = 60.0e-6;  ///< added by forwarding at the relay, per message
    double overlay_share = 0.04;    ///< of the throughput, lost to the outer headers
    int max_queries = 4;            ///< candidates measured per search
    double query_timeout_s = 0.030;   ///< for their answers
    double query_extended_s = 0.080;  ///< while none has answered
    double ask_timeout_s = 0.050;     ///< for a relay's grant
};

struct RelaySettings {
    double budget_share = 0.8;     ///< of the relay's best base throughput may be granted
    double budget_bps = 0.0;       ///< granted at most; 0: budget_share decides
    double request_factor = 1.25;  ///< of the pair's highest rate is asked for: some room above what it used to carry
    double request_min_bps = 1e6;  ///< but at least this
    double peak_memory_s = 10.0;   ///< the highest rate fades over this time
    double lease_s = 2.0;          ///< a grant ends when no heartbeat came for this long
    double heartbeat_s = 0.100;    ///< between heartbeats
    int heartbeats_missed = 4;     ///< unanswered in a row: the relay is taken for dead
    double fresh_s = 0.012;        ///< a relay answers from measurements younger than this
};

struct DetourSettings {
    double direct_period_s = 0.25;  ///< mean time between bursts on the direct path while traffic is away from it
    double legs_period_s = 1.0;     ///< between checks of the detour's legs
    double legs_apart_s = 0.5;      ///< the least, where the ranks' sockets look slow
    double fills_share = 0.5;       ///< of a detour's throughput: a pair that gets this much does not look for another
    double dwell_s = 2.0;           ///< the direct path must have been low for this long before the return
    double slow_dwell_s = 0.5;      ///< the same where the detour has become slow
    double dwell_max_s = 60.0;      ///< doubled up to this each time congestion is back soon after a return
    double relapse_s = 10.0;        ///< "soon"
    double hold_s = 0.5;            ///< a fresh detour is not changed before, except when the relay dies
    double hold_max_s = 30.0;       ///< doubled up to this by each change from relay to relay
    double hold_jitter = 0.3;       ///< holds are drawn within this share: jobs that met shall not part in step
    double idle_return_s = 30.0;    ///< without traffic for so long: return
    double failed_backoff_s = 2.0;  ///< after a failed move, doubling up to 60 s
    double shun_s = 5.0;            ///< a relay that failed or died is not asked for this long
};

/// Of the echoes that show that a detour carries packets. They end a detour before TCP sends a segment for the third
/// time (0.6 s after the first, with its least time-out of 0.2 s). Where one in ten is lost on each of three links, so
/// many in a row are missing less than once in 10^6 times.
struct EchoSettings {
    double period_s = 0.1;          ///< between two while the pair is in use
    double idle_s = 0.5;            ///< the same while it is not
    double quick_s = 0.03;          ///< while one is missing
    int missed = 11;                ///< in a row: the detour carries nothing
    double patience_first_s = 0.2;  ///< one is missing after this time, before any came back
    double patience_min_s = 0.05;   ///< and never sooner than this
    double patience_max_s = 1.0;    ///< nor later than this
    double trial_s = 0.015;         ///< between two before anything is moved
    double by_hand_s = 0.5;         ///< a move by hand is refused if none has come back by then
};

/// What a pair got before and after a change of its route, while it had something to send.
struct ServiceSettings {
    int samples = 12;       ///< of its sockets that are compared
    double margin = 0.15;   ///< more throughput or a shorter round trip by this share: the change paid
    double collapse = 0.5;  ///< of the throughput that a change in vain left: with less, others have come
    double deaf_s = 0.15;   ///< after a change nothing is counted: packets of the route before are still on their way
};

/// Of uses of a pair that come again and again: what is acted on ahead.
struct PatternSettings {
    int intervals = 3;     ///< between beginnings of uses, the last so many, that are alike
    double spread = 0.25;  ///< alike: the longest is longer than the shortest by at most this share
    double lead_s = 0.3;   ///< before the next use the path is looked at: uses were seen late by looks.rest_share
};

struct ReportSettings {
    double notice_period_s = 0.100;  ///< between notices about the same path
    double stayed_period_s = 5.0;    ///< between reports of the same reason to stay
    double stay_backoff_s = 0.1;     ///< after a search without result, doubling up to
    double stay_backoff_max_s = 1.5;
};

struct BaseSettings {
    double near_share = 0.25;       ///< a latency within this share of the base confirms it
    double shift_window_s = 900.0;  ///< a shift that lasted this long is the new base
    int shift_samples = 100;        ///< and was seen in so many samples, all of them
};

/// Of baselines that are learnt while the program runs.
struct LearnSettings {
    double period_s = 0.5;    ///< mean time between bursts on a path until its baseline is known
    int bursts = 4;           ///< so many answered ones, half a period apart or more, make it known
    double later_s = 10.0;    ///< mean time between bursts from then on, while the pair is in use
    int relays = 1;           ///< drawn with each burst, to learn what a detour takes at best
    double news_share = 0.1;  ///< a baseline that fell by this share is told again
    double memory_s = 3.0;    ///< between two searches that found a reason to move: else another congestion has begun
};

/// Of single messages of the program, where they are monitored.
struct MessageSettings {
    double rendezvous_B = 16384;      ///< larger messages may wait for their receiver: the lowest limit of the MPI
                                      ///< libraries and transports that are served (libfabric's RxM)
    double waited_s = 50.0e-6;        ///< a call that took less did not wait: the message was there
    double urgent_s = 2.0e-3;         ///< a wait this long is asked for at once
    double urgent_period_s = 0.1;     ///< but not the same host more often than this
    double period_s = 0.5;            ///< between questions to one host about shorter ones
    double max_asked_per_s = 1000.0;  ///< messages: the questions shall not load the path that they are about
    double answer_timeout_s = 2.0;    ///< a send may be completed later than its receive
    int judged = 3;                   ///< messages in a row that took long are a suspicion
    double judged_within_s = 0.5;     ///< if they came within this
};

struct Settings {
    ZoneSettings zones;
    LookSettings looks;
    SuspicionSettings suspicion;
    ProbeSettings probes;
    OwnLoadSettings own_load;
    ChoiceSettings choice;
    RelaySettings relay;
    DetourSettings detour;
    EchoSettings echo;
    ServiceSettings service;
    PatternSettings pattern;
    ReportSettings report;
    BaseSettings base;
    LearnSettings learn;
    MessageSettings messages;
};

/// One line of the table of settings: "zones.medium_factor", its unit and permitted range.
struct SettingInfo {
    std::string_view name;
    std::string_view unit;
    double min;
    double max;
    double& (*real)(Settings&);  ///< the number, or null for a whole one
    int& (*whole)(Settings&);    ///< the whole number, or null
};

/// All settings, for help texts and for reading them from a file.
std::span<const SettingInfo> setting_table();

/// Sets one by name. Returns what is wrong (unknown name, range, not whole) or nothing.
std::optional<std::string> set(Settings& settings, std::string_view name, double value);

/// Reads one by name; nothing if unknown.
std::optional<double> get(const Settings& settings, std::string_view name);

/// Checks every range and what must hold between settings. Returns the first mistake in words, naming the setting.
std::optional<std::string> validate(const Settings& settings);

}  // namespace fairlead::core
