// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#pragma once

namespace fairlead::core {

struct ZoneSettings {
    /// of the base latency: from here on a path is medium
    double medium_factor = 1.5;
    /// from here on high
    double high_factor = 3.0;
    /// queueing delay below which a path is never above low
    double floor_s = 0.001;
    /// of the step's threshold: back to a lower zone only below this
    double return_fraction = 0.5;
    /// samples older than this are not judged
    double window_s = 0.08;
    /// fewer are not judged
    int min_samples = 3;
    /// nor samples that all fell within this
    double min_span_s = 0.005;
    /// of the window. Others' bursts leave gaps in a queue; scheduling noise delays only some
    double quantile = 0.5;
    /// a queue that so many probes did not meet is broken: one lucky probe is none
    double low_quantile = 0.2;
};

/// Between looks at the ranks' sockets, and at the rings of their messages.
struct LookSettings {
    /// while bytes move: a look at a few connections costs some 20 us
    double period_s = 0.04;
    /// of the time since bytes last moved, where that is longer: well below pattern.spread, so that beginnings of uses
    /// are still seen at even intervals
    double rest_share = 0.1;
    /// but not longer: congestion at a use's begin is left that much later
    double rest_max_s = 0.5;
};

struct SuspicionSettings {
    /// bytes in flight and none acknowledged for so long
    double stall_s = 0.05;
    /// segments sent again since the last sample
    int retransmits = 1;
    /// bytes of a detour in flight for so long, or stuck_timeouts, and none acknowledged: it carries nothing
    double stuck_s = 0.2;
    /// in retransmission time-outs
    double stuck_timeouts = 2.0;
    /// and so many segments were sent again
    int stuck_retransmits = 2;
    /// after a false alarm, at first
    double backoff_min_s = 0.06;
    /// doubling up to this
    double backoff_max_s = 1.0;
    /// a round trip that grew so much since the false alarm is followed at once
    double growth_factor = 1.5;
    /// network-limited sockets below base throughput / this are suspicious
    double rate_factor = 1.5;
    /// in a row
    int rate_samples = 3;
    /// segments sent again that make a shortfall without a queue believable
    int shortfall_retransmits = 3;
    /// within this
    double shortfall_window_s = 0.2;
    /// a pair is in use if it carried bytes within this
    double active_s = 0.5;
};

struct ProbeSettings {
    /// between the probes of a burst
    double spacing_s = 0.003;
    /// probes of a burst
    int burst = 3;
    /// between the first two background probes of one peer
    double background_period_s = 2.0;
    /// of each such pause to the next: the error bound of the peer's clock grows with the pause over the time that it
    /// was watched, and so stays what it was
    double background_growth = 2.0;
    /// up to this: a step of the peer's clock is noticed by then
    double background_max_s = 16.0;
    /// of its pause a probe is early where another is sent: one wake for several
    double background_slack = 0.25;
    /// after the last probe of a burst was due: judge with what came
    double answer_timeout_s = 0.04;
    /// own or peer's wait in the run queue above which a burst is repeated
    double extend_run_delay_s = 0.002;
    /// repetitions of the burst at most
    int max_extensions = 4;
    /// probes sustained, of all bursts of this host together
    double max_rate_per_s = 60.0;
    /// and for a moment
    double max_probes_at_once = 60.0;
    /// more share the background probes of so many: the agent's cost stays bounded
    int hosts_at_full_rate = 16;
    /// every peer is met within this: clock and smallest round trip are wanted early
    double first_contacts_s = 1.0;
};

struct OwnLoadSettings {
    /// of a queue: below this the job's own bytes explain it
    double foreign_share = 0.3;
    /// the same after the shortest count: acknowledgements come in bunches
    double brief_share = 0.5;
    /// the same for a queue that a fifth of the probes did not meet
    double broken_share = 0.6;
    /// such a queue is counted for so long
    double broken_s = 0.07;
    /// a count this long needs foreign_share, a shorter one something in between
    double certain_s = 0.12;
    /// the shortest count, between two looks at the job's own bytes
    double min_elapsed_s = 0.015;
    /// further looks, each min_elapsed_s after the one before
    int max_recounts = 4;
    /// a queue that was seen to stand for less is looked at longer
    double min_busy_s = 0.01;
    /// for other hosts' reports
    double answer_timeout_s = 0.06;
    /// searches given up because a host did not report: then it is not waited for any more
    int max_unanswered = 3;
    /// a report this long after its query may miss the begin of what is judged
    double late_answer_s = 0.004;
    /// counters this old are of a poll before the query: they stand in for late ones
    double earlier_s = 0.01;
    /// for samples to report; then older ones are better than none
    double samples_timeout_s = 0.005;
    /// what another pair's search counted on the same bottleneck is believed for this long
    double told_s = 1.0;
    /// over which the rate of a pair is told
    double window_s = 0.06;
    /// the same, to see whether own bytes fill a path. Two looks at the sockets: in a shorter one, acknowledgements in
    /// bunches would count as a rate
    double fill_window_s = 0.08;
    /// of the own rate that explained a queue: below this something else has come
    double less_share = 0.7;
    /// of the foreign share needed: with more, the pause does not grow, as others may just be coming
    double sure_share = 0.5;
};

struct ChoiceSettings {
    /// a detour must be faster than the present path by this share
    double margin = 0.2;
    /// and by this
    double min_gain_s = 0.0005;
    /// the margin for one that shares a bottleneck with the congested path
    double flagged_margin = 0.4;
    /// of the present queueing delay: legs with more share its bottleneck
    double max_leg_queue = 0.5;
    /// of a pair's rate: another that carries so much takes another way around
    double alike_share = 0.5;
    /// a queue that drains within this when one pair leaves is judged again before the next pair does
    double settle_s = 0.05;
    /// slower than the best by at most this share: drawn from
    double good_within = 0.5;
    /// added by forwarding at the relay, per message
    double relay_cost_s = 6e-05;
    /// of the throughput, lost to the outer headers
    double overlay_share = 0.04;
    /// candidates measured per search
    int max_queries = 4;
    /// for their answers
    double query_timeout_s = 0.03;
    /// while none has answered
    double query_extended_s = 0.08;
    /// for a relay's grant
    double ask_timeout_s = 0.05;
};

struct RelaySettings {
    /// of the relay's best base throughput may be granted
    double budget_share = 0.8;
    /// granted at most; 0: budget_share decides
    double budget_bps = 0.0;
    /// of the pair's highest rate is asked for: some room above what it used to carry
    double request_factor = 1.25;
    /// but at least this
    double request_min_bps = 1000000.0;
    /// the highest rate fades over this time
    double peak_memory_s = 10.0;
    /// a grant ends when no heartbeat came for this long
    double lease_s = 2.0;
    /// between heartbeats
    double heartbeat_s = 0.1;
    /// unanswered in a row: the relay is taken for dead
    int heartbeats_missed = 4;
    /// a relay answers from measurements younger than this
    double fresh_s = 0.012;
};

struct DetourSettings {
    /// mean time between bursts on the direct path while traffic is away from it
    double direct_period_s = 0.25;
    /// between checks of the detour's legs
    double legs_period_s = 1.0;
    /// the least, where the ranks' sockets look slow
    double legs_apart_s = 0.5;
    /// of a detour's throughput: a pair that gets this much does not look for another
    double fills_share = 0.5;
    /// the direct path must have been low for this long before the return
    double dwell_s = 2.0;
    /// the same where the detour has become slow
    double slow_dwell_s = 0.5;
    /// doubled up to this each time congestion is back soon after a return
    double dwell_max_s = 60.0;
    /// "soon"
    double relapse_s = 10.0;
    /// a fresh detour is not changed before, except when the relay dies
    double hold_s = 0.5;
    /// doubled up to this by each change from relay to relay
    double hold_max_s = 30.0;
    /// holds are drawn within this share: jobs that met shall not part in step
    double hold_jitter = 0.3;
    /// without traffic for so long: return
    double idle_return_s = 30.0;
    /// after a failed move, doubling up to 60 s
    double failed_backoff_s = 2.0;
    /// a relay that failed or died is not asked for this long
    double shun_s = 5.0;
};

/// Of the echoes that show that a detour carries packets. They end a detour before TCP sends a segment for the third
/// time (0.6 s after the first, with its least time-out of 0.2 s). Where one in ten is lost on each of three links, so
/// many in a row are missing less than once in 10^6 times.
struct EchoSettings {
    /// between two while the pair is in use
    double period_s = 0.1;
    /// the same while it is not
    double idle_s = 0.5;
    /// while one is missing
    double quick_s = 0.03;
    /// in a row: the detour carries nothing
    int missed = 11;
    /// one is missing after this time, before any came back
    double patience_first_s = 0.2;
    /// and never sooner than this
    double patience_min_s = 0.05;
    /// nor later than this
    double patience_max_s = 1.0;
    /// between two before anything is moved
    double trial_s = 0.015;
    /// a move by hand is refused if none has come back by then
    double by_hand_s = 0.5;
};

/// What a pair got before and after a change of its route, while it had something to send.
struct ServiceSettings {
    /// of its sockets that are compared
    int samples = 12;
    /// more throughput or a shorter round trip by this share: the change paid
    double margin = 0.15;
    /// of the throughput that a change in vain left: with less, others have come
    double collapse = 0.5;
    /// after a change nothing is counted: packets of the route before are still on their way
    double deaf_s = 0.15;
};

/// Of uses of a pair that come again and again: what is acted on ahead.
struct PatternSettings {
    /// between beginnings of uses, the last so many, that are alike
    int intervals = 3;
    /// alike: the longest is longer than the shortest by at most this share
    double spread = 0.25;
    /// before the next use the path is looked at: uses were seen late by looks.rest_share
    double lead_s = 0.3;
};

struct ReportSettings {
    /// between notices about the same path
    double notice_period_s = 0.1;
    /// between reports of the same reason to stay
    double stayed_period_s = 5.0;
    /// after a search without result, doubling up to
    double stay_backoff_s = 0.1;
    /// the longest such pause
    double stay_backoff_max_s = 1.5;
};

struct BaseSettings {
    /// a latency within this share of the base confirms it
    double near_share = 0.25;
    /// a shift that lasted this long is the new base
    double shift_window_s = 900.0;
    /// and was seen in so many samples, all of them
    int shift_samples = 100;
};

/// Of baselines that are learnt while the program runs.
struct LearnSettings {
    /// mean time between bursts on a path until its baseline is known
    double period_s = 0.5;
    /// so many answered ones, half a period apart or more, make it known
    int bursts = 4;
    /// mean time between bursts from then on, while the pair is in use
    double later_s = 10.0;
    /// drawn with each burst, to learn what a detour takes at best
    int relays = 1;
    /// a baseline that fell by this share is told again
    double news_share = 0.1;
    /// between two searches that found a reason to move: else another congestion has begun
    double memory_s = 3.0;
};

/// Of single messages of the program, where they are monitored.
struct MessageSettings {
    /// larger messages may wait for their receiver: the lowest limit of the MPI libraries and transports that are
    /// served (libfabric's RxM)
    double rendezvous_B = 16384.0;
    /// a call that took less did not wait: the message was there
    double waited_s = 5e-05;
    /// a wait this long is asked for at once
    double urgent_s = 0.002;
    /// but not the same host more often than this
    double urgent_period_s = 0.1;
    /// between questions to one host about shorter ones
    double period_s = 0.5;
    /// messages: the questions shall not load the path that they are about
    double max_asked_per_s = 1000.0;
    /// a send may be completed later than its receive
    double answer_timeout_s = 2.0;
    /// messages in a row that took long are a suspicion
    int judged = 3;
    /// if they came within this
    double judged_within_s = 0.5;
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

}  // namespace fairlead::core
