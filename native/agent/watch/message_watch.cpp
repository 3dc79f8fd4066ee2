// SPDX-License-Identifier: Apache-2.0
#include "watch/message_watch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "fairlead/core/look_period.hpp"

namespace fairlead::agent {

namespace {

namespace wire = core::wire;

constexpr double kReport_s = 1.0;
constexpr double kReportRanks_s = 2.0;
/// That are reported at a time: the others follow.
constexpr std::size_t kMostRankPairs = 256;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

CommunicationEvent event_of(const core::PairTimes& pair, core::HostId self) {
    CommunicationEvent event{.source = pair.source,
                             .destination = self,
                             .messages = pair.messages,
                             .size_B = pair.size_B,
                             .waits = pair.waits,
                             .waited_s = pair.waited_s,
                             .known_s = pair.known_s,
                             .network_s = pair.network_s,
                             .late_sender_s = pair.late_sender_s,
                             .joined = pair.latencies_s.size()};
    if (!pair.latencies_s.empty()) {
        event.latency_median_s = median(pair.latencies_s);
        event.latency_max_s = *std::ranges::max_element(pair.latencies_s);
        event.clock_error_s = pair.error_s;
    }
    return event;
}

}  // namespace

MessageWatch::MessageWatch(EventLoop& loop, const Config& config, const Clock& clock, UdpChannel& channel,
                           const Prober& prober, const core::Settings& settings, Report report, OnTime on_time)
    : loop_(loop),
      config_(config),
      clock_(clock),
      channel_(channel),
      prober_(prober),
      report_(std::move(report)),
      on_time_(std::move(on_time)),
      rings_(config.rings, clock,
             [this](const std::string& text) {
                 report_(LogEvent{LogLevel::warning, text});
             }),
      monitor_(config.self, config.host_count(), settings.messages, config.acknowledge),
      looks_(settings.looks),
      max_share_(settings.messages.max_share),
      active_s_(monotonic_s()),
      ranks_reported_s_(monotonic_s()),
      announcer_(config, channel) {
    poll();
}

MessageWatch::~MessageWatch() {
    loop_.cancel(timer_);
}

void MessageWatch::poll() {
    drain();
    const double now = monotonic_s();
    monitor_.tick(now);
    announcer_.announce(relay::kNoWorld, rings_.ranks(), now);
    deliver();
    if (now - reported_s_ >= kReport_s) report_pairs();
    if (now - ranks_reported_s_ >= kReportRanks_s) report_rank_pairs();
    timer_ = loop_.after(core::look_period_s(now - active_s_, looks_), [this] { poll(); });
}

/// Ranks that send more than this reads meanwhile drop records, and count them; they never wait.
void MessageWatch::drain() {
    const double now = monotonic_s();
    if (now < rests_until_s_) return;
    const std::int64_t begun_ns = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const std::uint64_t before = rings_.read();
    rings_.drain([this, now](std::span<const core::MessageEnd> call) { monitor_.completed(call, now); });
    if (rings_.read() != before) active_s_ = now;
    if (rings_.ranks().size() != known_ranks_) {
        known_ranks_ = rings_.ranks().size();
        for (const std::uint32_t rank : rings_.ranks()) monitor_.place(rank, config_.self);
    }
    const std::int64_t worked_ns = read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun_ns;
    rests_until_s_ = now + core::rest_s(static_cast<double>(worked_ns) * 1e-9, max_share_);
}

/// What rings can hold: ranks that go on writing do not keep it here.
void MessageWatch::drain_all() {
    for (std::size_t look = 0; look <= MessageRings::kMostLooks; ++look) {
        const std::uint64_t before = rings_.read();
        rests_until_s_ = 0.0;
        drain();
        if (rings_.read() == before) return;
    }
}

void MessageWatch::deliver() {
    for (const auto& [to, message] : monitor_.take_outgoing()) channel_.send(to, message);
    for (const core::NetworkTime& time : monitor_.take_times()) on_time_(time);
}

bool MessageWatch::on_message(core::HostId from, const wire::Message& message) {
    if (const auto* here = std::get_if<wire::RanksHere>(&message)) {
        for (const std::uint32_t rank : here->ranks) monitor_.place(rank, from);
    } else if (const auto* query = std::get_if<wire::SendQuery>(&message)) {
        drain();  // what was sent a moment ago
        monitor_.asked(from, *query, monotonic_s());
    } else if (const auto* report = std::get_if<wire::SendReport>(&message)) {
        const std::int64_t now_ns = clock_.now_ns();
        monitor_.told(from, *report, prober_.peer_clock(from).at(now_ns), now_ns);
    } else {
        return false;
    }
    deliver();
    return true;
}

void MessageWatch::report_pairs() {
    reported_s_ = monotonic_s();
    for (const core::PairTimes& pair : monitor_.take_pairs()) {
        CommunicationEvent event = event_of(pair, config_.self);
        event.dropped = rings_.dropped();
        event.mismatches = monitor_.mismatches();
        report_(event);
    }
}

void MessageWatch::report_rank_pairs() {
    const double now = monotonic_s();
    RankPairsEvent event{.destination = config_.self, .span_s = now - ranks_reported_s_, .pairs = {}};
    for (const core::RankPairTimes& each : monitor_.take_rank_pairs(kMostRankPairs)) {
        event.pairs.push_back({each.source, each.source_rank, each.rank, each.messages, each.size_B, each.waited_s,
                               each.known_s, each.transmission_s, each.processing_s});
    }
    if (event.pairs.empty()) return;
    ranks_reported_s_ = now;
    report_(event);
}

void MessageWatch::stop() {
    loop_.cancel(timer_);
    drain_all();
    monitor_.tick(monotonic_s());
    monitor_.forget_open();
    report_pairs();
    report_rank_pairs();
}

}  // namespace fairlead::agent
