// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#pragma once

namespace fairlead::core {

struct CongestionLevelSettings {
    /// multiple of the base latency from which a path's level is medium
    double medium_factor = 1.5;
    /// multiple of the base latency from which a path's level is high
    double high_factor = 3.0;
    /// queueing delay below which a path's level is always low
    double floor_s = 0.001;
    /// fraction of a level's threshold below which the path drops to the lower level
    double return_fraction = 0.5;
    /// age above which samples are ignored
    double window_s = 0.08;
    /// smallest number of samples that are judged
    int min_samples = 3;
    /// shortest time that the samples must span to be judged
    double min_span_s = 0.005;
    /// quantile of the window's queueing delays that is judged; bursts of cross-traffic leave gaps in a queue,
    /// scheduling noise delays only some probes
    double quantile = 0.5;
    /// quantile of the window's queueing delays by which a queue counts as interrupted; a single lucky probe does not
    double low_quantile = 0.2;
};

/// How often the agent reads the ranks' sockets and the rings of their messages.
struct LookSettings {
    /// interval between reads while bytes move; reading a few connections costs about 20 us
    double period_s = 0.04;
    /// interval between reads while nothing moves, as a fraction of the time since bytes last moved; well below
    /// pattern.spread, so that the starts of uses are still seen at regular intervals
    double rest_share = 0.1;
    /// longest interval between reads; congestion at the start of a use is avoided that much later
    double rest_max_s = 0.5;
};

/// What the agent may take of its host's processors.
struct ProcessorSettings {
    /// fraction of a core that the agent may take before programs for long; beyond it the agent takes its turn among
    /// them, and begins no search while it has to wait; not where it carries messages (relay plane)
    double share = 0.02;
};

struct SuspicionSettings {
    /// time for which bytes in flight are not acknowledged before the pair is suspected
    double stall_s = 0.05;
    /// retransmitted segments since the last sample from which the pair is suspected
    int retransmits = 1;
    /// time for which a detour's bytes in flight are not acknowledged before it counts as broken; at least
    /// stuck_timeouts
    double stuck_s = 0.2;
    /// the same as a multiple of TCP's retransmission timeout
    double stuck_timeouts = 2.0;
    /// retransmitted segments that are also needed before a detour counts as broken
    int stuck_retransmits = 2;
    /// pause after a first false alarm
    double backoff_min_s = 0.06;
    /// longest pause after a false alarm; the pause doubles up to this
    double backoff_max_s = 1.0;
    /// growth of the round trip since a false alarm that ends the pause
    double growth_factor = 1.5;
    /// factor by which network-limited sockets must be below the base throughput to be suspected
    double rate_factor = 1.5;
    /// consecutive samples for which they must be below it
    int rate_samples = 3;
    /// retransmitted segments from which a low throughput without a queue is believed
    int shortfall_retransmits = 3;
    /// window in which these segments are counted
    double shortfall_window_s = 0.2;
    /// time for which a pair's traffic is watched before it may leave its direct path, unless it has stalled: what it
    /// and the job's other pairs send at once is not known earlier
    double watched_s = 0.5;
    /// time after its last bytes for which a pair counts as in use
    double active_s = 0.5;
};

struct ProbeSettings {
    /// interval between the probes of a burst
    double spacing_s = 0.003;
    /// number of probes in a burst
    int burst = 3;
    /// interval between the first two background probes of a peer
    double background_period_s = 2.0;
    /// growth of that interval from one probe to the next; the error bound of the peer's clock depends on the ratio of
    /// the interval to the time that the peer was watched, so it stays the same
    double background_growth = 2.0;
    /// longest interval between background probes of a peer; a step of its clock is noticed by then
    double background_max_s = 16.0;
    /// fraction of the interval by which a probe may be sent early, together with another: this saves wake-ups
    double background_slack = 0.25;
    /// time after a burst's last probe was due until the burst is judged by the answers so far
    double answer_timeout_s = 0.04;
    /// wait of the agent or its peer for a processor from which a burst is repeated
    double extend_run_delay_s = 0.002;
    /// largest number of repetitions of a burst
    int max_extensions = 4;
    /// sustained rate of probes of all bursts of this host
    double max_rate_per_s = 60.0;
    /// number of probes that may briefly exceed the sustained rate
    double max_probes_at_once = 60.0;
    /// throughput of a path below which each of its probes counts as several, in proportion: the probes of all hosts
    /// together take a small share of a narrow link, too
    double full_rate_bps = 100000000.0;
    /// number of hosts above which background probes become rarer, so that the agent's cost stays bounded
    int hosts_at_full_rate = 16;
    /// time within which each peer is probed first; its clock and smallest round trip are needed early. Of more than
    /// hosts_at_full_rate, those that the program communicates with come first, and the others take longer
    double first_contacts_s = 1.0;
};

struct OwnLoadSettings {
    /// smallest share of cross-traffic in a queue; below it, the job's own bytes may explain the queue
    double foreign_share = 0.3;
    /// the same for a queue that a fifth of the probes did not find
    double broken_share = 0.6;
    /// time for which the bytes of such a queue are counted
    double broken_s = 0.07;
    /// length below which a count proves little: it is repeated if segments were lost recently, if the sockets' rate
    /// alone raised the suspicion, or if the share of cross-traffic is below brief_share
    double brief_s = 0.02;
    /// smallest share of cross-traffic after such a short count, as the job's own burst may have just begun
    double brief_share = 0.75;
    /// length of a count after which own bytes explain a queue; a shorter one is repeated, up to max_recounts
    double certain_s = 0.12;
    /// shortest count, between two reads of the job's own bytes
    double min_elapsed_s = 0.015;
    /// largest number of further reads, each min_elapsed_s after the one before
    int max_recounts = 4;
    /// shortest observation of a queue; a shorter one is extended
    double min_busy_s = 0.01;
    /// time to wait for the reports of other hosts
    double answer_timeout_s = 0.06;
    /// searches without a report from a host after which searches no longer wait for it
    int max_unanswered = 3;
    /// delay after its query from which a report may miss the beginning of the count
    double late_answer_s = 0.004;
    /// age of the counters, from a poll before the query, that replace late ones
    double earlier_s = 0.01;
    /// time to wait for new samples to report; after it older ones are reported
    double samples_timeout_s = 0.005;
    /// time for which the count of another pair's search on the same bottleneck is used
    double told_s = 1.0;
    /// window of a pair's reported rate
    double window_s = 0.06;
    /// window of a pair's rate when judging whether the job fills a path: two reads of the sockets, as bunched
    /// acknowledgements would pass for a rate in a shorter one
    double fill_window_s = 0.08;
    /// fraction of the job's own rate that explained a queue; below it, other traffic must have joined
    double less_share = 0.7;
    /// fraction of the needed share of cross-traffic above which the pause does not grow, as more may be coming
    double sure_share = 0.5;
};

struct ChoiceSettings {
    /// share by which a detour must be faster than the present path
    double margin = 0.2;
    /// time by which it must also be faster
    double min_gain_s = 0.0005;
    /// margin for a detour that shares a bottleneck with the congested path
    double flagged_margin = 0.4;
    /// fraction of the present queueing delay above which the queue of a detour's legs counts as the same queue
    double max_leg_queue = 0.5;
    /// factor by which the job's own messages slow a leg more than the direct path, from which on the detour is crowded
    double crowding = 1.3;
    /// share by which the throughput expected on a crowded detour must exceed what the pair gets while it sends
    double crowded_margin = 0.7;
    /// fraction of the present queueing delay for which messages may wait longer for the job's own on a crowded detour
    double crowded_queue = 0.6;
    /// fraction of a pair's rate from which another pair counts as equal, and takes a different detour
    double alike_share = 0.5;
    /// time in which a queue must drain after one pair has left; the next pair waits for it and judges the queue again
    double settle_s = 0.05;
    /// share by which a detour may be slower than the best and still be chosen at random
    double good_within = 0.5;
    /// latency that forwarding at the relay adds to a message
    double relay_cost_s = 6e-05;
    /// share of the throughput that the outer headers take
    double overlay_share = 0.04;
    /// largest number of relays that a search measures
    int max_queries = 4;
    /// time to wait for their answers
    double query_timeout_s = 0.03;
    /// the same while none has answered
    double query_extended_s = 0.08;
    /// time to wait for a relay's grant
    double ask_timeout_s = 0.05;
};

struct RelaySettings {
    /// share of the relay's best base throughput that it may grant
    double budget_share = 0.8;
    /// rate that a relay may grant; 0: budget_share decides
    double budget_bps = 0.0;
    /// multiple of the pair's highest rate that it requests, to leave room for growth
    double request_factor = 1.25;
    /// smallest rate that a pair requests
    double request_min_bps = 1000000.0;
    /// time over which the highest rate fades
    double peak_memory_s = 10.0;
    /// time without a heartbeat that names its pair after which a grant ends
    double lease_s = 2.0;
    /// interval between heartbeats
    double heartbeat_s = 0.1;
    /// consecutive unanswered heartbeats after which a relay counts as dead
    int heartbeats_missed = 4;
    /// greatest age of a measurement that a relay answers from
    double fresh_s = 0.012;
};

/// [Equal-cost paths](../explanation/equal-cost-paths.md) of networks that spread connections by a hash, taken before
/// relays because they cost no host anything. Only on the route plane.
struct WaySettings {
    /// number of fixed outer source ports, each with an overlay device of its own, so that a pair may take another
    /// equal-cost path; all of 3 take the congested one of two with a probability of 1 in 8. 0: none, also where the
    /// network has such paths
    int count = 0;
    /// time for which a pair's connections must have a round trip of the medium level before it may leave for another
    /// equal-cost path although probes of its direct path see no queue
    double slow_s = 0.1;
    /// echoes, `echo.trial_s` apart, by which each such path is measured; the slowest counts
    int echoes = 3;
};

struct DetourSettings {
    /// mean interval between bursts on the direct path while its pair is rerouted
    double direct_period_s = 0.25;
    /// interval between checks of the detour's legs
    double legs_period_s = 1.0;
    /// smallest such interval, when the ranks' sockets look slow
    double legs_apart_s = 0.5;
    /// share of a detour's throughput above which its pair does not look for another detour
    double fills_share = 0.5;
    /// time for which the direct path must have been low before the pair is restored
    double dwell_s = 2.0;
    /// the same when the detour has become slow
    double slow_dwell_s = 0.5;
    /// longest such time; it doubles each time congestion returns soon after a restoration
    double dwell_max_s = 60.0;
    /// time that a pair's detours may lose it, beyond credit_share of what they gained, before it waits for an eighth
    /// of the dwell time only, at most 0.5 s
    double credit_s = 0.1;
    /// share of the time that a pair's detours have gained it which they may lose again
    double credit_share = 0.5;
    /// time after a restoration that counts as soon
    double relapse_s = 10.0;
    /// time for which a new detour is not changed, unless its relay dies
    double hold_s = 0.5;
    /// longest such time; it doubles with each change from relay to relay
    double hold_max_s = 30.0;
    /// share by which these times vary at random, so that jobs on the same path do not move away in step
    double hold_jitter = 0.3;
    /// time without traffic after which a pair is restored
    double idle_restore_s = 30.0;
    /// pause after a failed reroute; it doubles up to 60 s
    double failed_backoff_s = 2.0;
    /// time for which a relay that failed or died is not asked; one over which connections got stuck is avoided as long
    /// at first, and twice as long after each further loss, up to 60 s
    double shun_s = 5.0;
};

/// Echoes show that a detour carries packets. They end a detour before TCP sends a segment for the third time (0.6 s
/// after the first, with its smallest timeout of 0.2 s). Where each of three links loses one packet in ten, that many
/// consecutive echoes are lost less than once in 10^6 times.
struct EchoSettings {
    /// interval between echoes while the pair is in use
    double period_s = 0.1;
    /// interval between echoes while it is not
    double idle_s = 0.5;
    /// interval between echoes while one is missing
    double quick_s = 0.03;
    /// consecutive missing echoes after which a detour counts as broken
    int missed = 11;
    /// time after which an echo is missing, before any came back
    double patience_first_s = 0.2;
    /// shortest time after which an echo is missing
    double patience_min_s = 0.05;
    /// longest time after which an echo is missing
    double patience_max_s = 1.0;
    /// interval between echoes before a reroute
    double trial_s = 0.015;
    /// time without an echo after which a manual reroute is refused
    double manual_s = 0.5;
};

/// Throughput and round trip of a pair before and after a change of its route, while it had data to send.
struct ServiceSettings {
    /// number of socket samples before and after a change that are compared
    int samples = 6;
    /// share of its throughput on the direct path below which a pair on a detour tries the direct path again
    double lost_share = 0.5;
    /// share by which throughput must rise or the round trip fall for a change to count as an improvement
    double margin = 0.15;
    /// fraction of the throughput after a useless change below which more cross-traffic must have come
    double collapse = 0.5;
    /// time after a change that is not counted, as packets of the previous route are still in flight
    double deaf_s = 0.15;
};

/// Use of a pair that recurs at regular intervals: the agent acts before the next use.
struct PatternSettings {
    /// number of most recent intervals between the starts of uses that must be alike
    int intervals = 3;
    /// share by which the longest may exceed the shortest for them to be alike
    double spread = 0.25;
    /// time before the next use at which the path is probed; uses are noticed late by looks.rest_share
    double lead_s = 0.3;
};

struct ReportSettings {
    /// interval between notices about the same path
    double notice_period_s = 0.1;
    /// interval between reports of the same reason to keep a path
    double kept_period_s = 5.0;
    /// pause after a search without a result
    double keep_backoff_s = 0.1;
    /// longest such pause; it doubles up to this
    double keep_backoff_max_s = 1.5;
};

struct BaseSettings {
    /// share within which a latency confirms the base latency
    double near_share = 0.25;
    /// time for which a shift must last to become the new base
    double shift_window_s = 900.0;
    /// number of samples, all shifted, that are also needed
    int shift_samples = 100;
};

/// How agents learn baselines while the program runs.
struct LearnSettings {
    /// mean interval between bursts on a path until its baseline is known
    double period_s = 0.5;
    /// number of answered bursts, half a period apart or more, from which a baseline is known
    int bursts = 4;
    /// mean interval between bursts after that, while the pair is in use
    double later_s = 10.0;
    /// number of relays chosen at random with each burst, to learn the best latency of detours
    int relays = 1;
    /// share by which a baseline must fall to be reported again
    double news_share = 0.1;
    /// time between two searches with a reason to reroute above which they belong to different congestion
    double memory_s = 3.0;
};

/// How single messages of the program are timed, where they are monitored.
struct MessageSettings {
    /// size above which a message may wait for its receiver: the lowest limit of the supported MPI libraries and
    /// transports (libfabric's RxM)
    double rendezvous_B = 16384.0;
    /// duration below which a call did not wait, as its message had already arrived
    double waited_s = 5e-05;
    /// wait from which the sender's host is queried immediately
    double urgent_s = 0.002;
    /// shortest interval between such queries to the same host
    double urgent_period_s = 0.1;
    /// interval between queries to a host about shorter waits
    double period_s = 0.5;
    /// largest rate of messages that are queried, so that queries do not load the path that they are about
    double max_asked_per_s = 1000.0;
    /// time to wait for an answer, as a send may complete later than its receive
    double answer_timeout_s = 2.0;
    /// largest part of a core that reading messages takes; ranks that send more messages than that drop records of
    /// some, and count them
    double max_share = 0.05;
    /// consecutive slow messages that raise a suspicion
    int judged = 3;
    /// time within which they must have arrived
    double judged_within_s = 0.5;
};

struct Settings {
    CongestionLevelSettings congestion_level;
    LookSettings looks;
    ProcessorSettings processor;
    SuspicionSettings suspicion;
    ProbeSettings probes;
    OwnLoadSettings own_load;
    ChoiceSettings choice;
    RelaySettings relay;
    WaySettings ways;
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
