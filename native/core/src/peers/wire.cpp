// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/wire.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <type_traits>

#include "fairlead/core/bytes.hpp"

namespace fairlead::core::wire {

namespace {

// Limits of what can be true: a day of delay, an exabit per second.
constexpr double kMaxDelay_s = 86400.0;
constexpr double kMaxRate_bps = 1e18;
constexpr double kMaxLoad = 1e6;

enum class Kind : std::uint8_t {
    probe = 1,
    probe_reply,
    hello,
    goodbye,
    path_query,
    path_report,
    notice,
    load_query,
    load_report,
    relay_request,
    relay_grant,
    relay_refuse,
    relay_release,
    heartbeat,
    send_query,
    send_report,
    ranks_here,
    echo,
    echo_reply,
};

using Writer = ByteWriter;

/// Takes fields in order. The first mistake is kept; after it every field reads as zero.
class Reader {
  public:
    Reader(std::span<const std::uint8_t> in, HostId host_count) : in_(in), host_count_(host_count) {}

    template <std::unsigned_integral T>
    T take() {
        const T value = in_.take<T>();
        if (in_.too_short()) fail(DecodeError::too_short);
        return value;
    }
    std::int64_t stamp() { return static_cast<std::int64_t>(take<std::uint64_t>()); }
    double real(double max) {
        const double value = std::bit_cast<double>(take<std::uint64_t>());
        // Negative zero is refused as well, so that what was decoded encodes to the same bytes.
        if (std::isfinite(value) && !std::signbit(value) && value <= max) return value;
        fail(DecodeError::bad_value);
        return 0.0;
    }
    double delay_s() { return real(kMaxDelay_s); }
    double rate_bps() { return real(kMaxRate_bps); }
    template <typename T>
    T choice(T last) {
        const auto value = take<std::uint8_t>();
        if (value <= static_cast<std::uint8_t>(last)) return static_cast<T>(value);
        fail(DecodeError::bad_value);
        return T{};
    }
    bool flag() { return choice<std::uint8_t>(1) == 1; }
    HostId host() {
        const auto value = take<std::uint16_t>();
        if (value < host_count_) return value;
        fail(DecodeError::bad_host);
        return 0;
    }
    HostId host_or_none() {
        const auto value = take<std::uint16_t>();
        if (value < host_count_ || value == kNoHost) return value;
        fail(DecodeError::bad_host);
        return kNoHost;
    }
    HostId relay_or_way() {
        const auto value = take<std::uint16_t>();
        if (value < host_count_ || is_way(value)) return value;
        fail(DecodeError::bad_host);
        return 0;
    }
    void padding(std::size_t length, std::size_t most_B = kMaxPadding_B) {
        if (length > most_B) return fail(DecodeError::bad_value);
        for (std::size_t i = 0; i < length && !failed_; ++i) {
            if (take<std::uint8_t>() != 0) fail(DecodeError::bad_value);
        }
    }
    void fail(DecodeError error) {
        if (!failed_) error_ = error;
        failed_ = true;
    }
    /// To be called after the last field: bytes left over are a mistake too.
    bool finish() {
        if (!in_.rest().empty()) fail(DecodeError::too_long);
        return !failed_;
    }
    bool failed() const { return failed_; }
    DecodeError error() const { return error_; }

  private:
    ByteReader in_;
    HostId host_count_;
    bool failed_ = false;
    DecodeError error_ = DecodeError::too_short;
};

// One pair of functions a message: the layout can be read off either.

Kind write(Writer& out, const Probe& m) {
    if (m.padding_B > kMaxPadding_B) out.fail();
    out.put(m.sequence);
    out.put(m.t1_ns);
    out.put(m.padding_B);
    out.padding(m.padding_B);
    return Kind::probe;
}
void read(Reader& in, Probe& m) {
    m.sequence = in.take<std::uint32_t>();
    m.t1_ns = in.stamp();
    m.padding_B = in.take<std::uint16_t>();
    in.padding(m.padding_B);
}

Kind write(Writer& out, const ProbeReply& m) {
    if (m.padding_B > kMaxPadding_B) out.fail();
    out.put(m.sequence);
    out.put(m.t1_ns);
    out.put(m.t2_ns);
    out.put(m.t3_ns);
    out.put(m.run_delay_s);
    out.put(m.padding_B);
    out.padding(m.padding_B);
    return Kind::probe_reply;
}
void read(Reader& in, ProbeReply& m) {
    m.sequence = in.take<std::uint32_t>();
    m.t1_ns = in.stamp();
    m.t2_ns = in.stamp();
    m.t3_ns = in.stamp();
    m.run_delay_s = in.delay_s();
    m.padding_B = in.take<std::uint16_t>();
    in.padding(m.padding_B);
}

Kind write(Writer& out, const Hello& m) {
    out.put(m.host_count);
    out.put(m.can_relay);
    return Kind::hello;
}
void read(Reader& in, Hello& m) {
    m.host_count = in.take<std::uint16_t>();
    m.can_relay = in.flag();
}

Kind write(Writer&, const Goodbye&) {
    return Kind::goodbye;
}
void read(Reader&, Goodbye&) {}

Kind write(Writer& out, const PathQuery& m) {
    out.put(m.token);
    out.put(m.destination);
    return Kind::path_query;
}
void read(Reader& in, PathQuery& m) {
    m.token = in.take<std::uint32_t>();
    m.destination = in.host();
}

Kind write(Writer& out, const PathReport& m) {
    out.put(m.token);
    out.put(m.destination);
    out.put(m.sent);
    out.put(m.received);
    out.put(m.queue_delay_s);
    out.put(m.half_round_trip_s);
    out.put(m.load);
    return Kind::path_report;
}
void read(Reader& in, PathReport& m) {
    m.token = in.take<std::uint32_t>();
    m.destination = in.host();
    m.sent = in.take<std::uint8_t>();
    m.received = in.take<std::uint8_t>();
    if (m.received > m.sent) in.fail(DecodeError::bad_value);
    m.queue_delay_s = in.delay_s();
    m.half_round_trip_s = in.delay_s();
    m.load = in.real(kMaxLoad);
}

Kind write(Writer& out, const Notice& m) {
    out.put(m.source);
    out.put(m.destination);
    out.put(static_cast<std::uint8_t>(m.congestion_level));
    out.put(m.queue_delay_s);
    out.put(m.foreign_share);
    return Kind::notice;
}
void read(Reader& in, Notice& m) {
    m.source = in.host();
    m.destination = in.host();
    if (m.source == m.destination) in.fail(DecodeError::bad_host);
    m.congestion_level = in.choice(CongestionLevel::high);
    m.queue_delay_s = in.delay_s();
    m.foreign_share = in.real(1.0);
}

Kind write(Writer& out, const LoadQuery& m) {
    out.put(m.token);
    out.put(m.fresh);
    return Kind::load_query;
}
void read(Reader& in, LoadQuery& m) {
    m.token = in.take<std::uint32_t>();
    m.fresh = in.flag();
}

Kind write(Writer& out, const LoadReport& m) {
    if (m.entries.size() > kMaxLoadEntries) out.fail();
    out.put(m.token);
    out.put(static_cast<std::uint8_t>(m.entries.size()));
    for (const LoadEntry& entry : m.entries) {
        out.put(entry.destination);
        out.put(entry.relay);
        out.put(entry.delivered_B);
        out.put(entry.earlier_B);
        out.put(entry.in_flight_B);
        out.put(entry.rate_kBps);
        out.put(entry.burst_B);
    }
    return Kind::load_report;
}
void read(Reader& in, LoadReport& m) {
    m.token = in.take<std::uint32_t>();
    const std::size_t count = in.take<std::uint8_t>();
    if (count > kMaxLoadEntries) return in.fail(DecodeError::bad_value);
    for (std::size_t i = 0; i < count && !in.failed(); ++i) {
        LoadEntry entry;
        entry.destination = in.host();
        entry.relay = in.host_or_none();
        entry.delivered_B = in.take<std::uint64_t>();
        entry.earlier_B = in.take<std::uint64_t>();
        entry.in_flight_B = in.take<std::uint64_t>();
        entry.rate_kBps = in.take<std::uint32_t>();
        entry.burst_B = in.take<std::uint32_t>();
        m.entries.push_back(entry);
    }
}

Kind write(Writer& out, const RelayRequest& m) {
    out.put(m.token);
    out.put(m.destination);
    out.put(m.rate_bps);
    out.put(m.least_bps);
    return Kind::relay_request;
}
void read(Reader& in, RelayRequest& m) {
    m.token = in.take<std::uint32_t>();
    m.destination = in.host();
    m.rate_bps = in.rate_bps();
    m.least_bps = in.rate_bps();
}

Kind write(Writer& out, const RelayGrant& m) {
    out.put(m.token);
    out.put(m.destination);
    out.put(m.leg_mtu_B);
    return Kind::relay_grant;
}
void read(Reader& in, RelayGrant& m) {
    m.token = in.take<std::uint32_t>();
    m.destination = in.host();
    m.leg_mtu_B = in.take<std::uint16_t>();
}

Kind write(Writer& out, const RelayRefuse& m) {
    out.put(m.token);
    out.put(m.destination);
    out.put(static_cast<std::uint8_t>(m.reason));
    return Kind::relay_refuse;
}
void read(Reader& in, RelayRefuse& m) {
    m.token = in.take<std::uint32_t>();
    m.destination = in.host();
    m.reason = in.choice(RefuseReason::stopping);
}

Kind write(Writer& out, const RelayRelease& m) {
    out.put(m.destination);
    return Kind::relay_release;
}
void read(Reader& in, RelayRelease& m) {
    m.destination = in.host();
}

/// Of a list that begins with its length; nothing if that is above `most`.
template <typename Entry, typename ReadEntry>
void read_list(Reader& in, std::vector<Entry>& entries, std::size_t most, ReadEntry read_entry) {
    const std::size_t count = in.take<std::uint16_t>();
    if (count > most) return in.fail(DecodeError::bad_value);
    for (std::size_t i = 0; i < count && !in.failed(); ++i) entries.push_back(read_entry());
}

template <typename Entry>
void begin_list(Writer& out, const std::vector<Entry>& entries, std::size_t most) {
    if (entries.size() > most) out.fail();
    out.put(static_cast<std::uint16_t>(entries.size()));
}

Kind write(Writer& out, const Heartbeat& m) {
    out.put(m.reply);
    begin_list(out, m.uses, kMaxRelayUses);
    for (const RelayUse& use : m.uses) {
        out.put(use.destination);
        out.put(use.rate_bps);
    }
    return Kind::heartbeat;
}
void read(Reader& in, Heartbeat& m) {
    m.reply = in.flag();
    read_list(in, m.uses, kMaxRelayUses, [&] {
        RelayUse use;
        use.destination = in.host();
        use.rate_bps = in.rate_bps();
        return use;
    });
}

Kind write(Writer& out, const SendQuery& m) {
    begin_list(out, m.entries, kMaxSends);
    for (const AskedSend& entry : m.entries) {
        out.put(entry.token);
        out.put(entry.key.communicator);
        out.put(entry.key.source);
        out.put(entry.key.destination);
        out.put(static_cast<std::uint32_t>(entry.key.tag));
        out.put(entry.key.number);
    }
    return Kind::send_query;
}
void read(Reader& in, SendQuery& m) {
    read_list(in, m.entries, kMaxSends, [&in] {
        AskedSend entry;
        entry.token = in.take<std::uint32_t>();
        entry.key.communicator = in.take<std::uint64_t>();
        entry.key.source = in.take<std::uint32_t>();
        entry.key.destination = in.take<std::uint32_t>();
        entry.key.tag = static_cast<std::int32_t>(in.take<std::uint32_t>());
        entry.key.number = in.take<std::uint32_t>();
        if (entry.key.number >= kMessageNumbers) in.fail(DecodeError::bad_value);
        return entry;
    });
}

Kind write(Writer& out, const SendReport& m) {
    begin_list(out, m.entries, kMaxSends);
    for (const ToldSend& entry : m.entries) {
        out.put(entry.token);
        out.put(entry.size_B);
        out.put(entry.begun_ns);
        out.put(entry.needed_ns);
        out.put(entry.done_ns);
        out.put(entry.computed);
    }
    return Kind::send_report;
}
void read(Reader& in, SendReport& m) {
    read_list(in, m.entries, kMaxSends, [&in] {
        ToldSend entry;
        entry.token = in.take<std::uint32_t>();
        entry.size_B = in.take<std::uint64_t>();
        entry.begun_ns = in.stamp();
        entry.needed_ns = in.stamp();
        entry.done_ns = in.stamp();
        entry.computed = in.flag();
        if (entry.begun_ns > entry.done_ns || entry.needed_ns > entry.done_ns) in.fail(DecodeError::bad_value);
        return entry;
    });
}

Kind write(Writer& out, const RanksHere& m) {
    out.put(m.world);
    begin_list(out, m.ranks, kMaxRanks);
    for (const std::uint32_t rank : m.ranks) out.put(rank);
    return Kind::ranks_here;
}
void read(Reader& in, RanksHere& m) {
    m.world = in.take<std::uint64_t>();
    read_list(in, m.ranks, kMaxRanks, [&in] { return in.take<std::uint32_t>(); });
}

template <typename EchoOrReply>
void write_detour(Writer& out, const EchoOrReply& m) {
    out.put(m.token);
    out.put(m.source);
    out.put(m.destination);
    out.put(m.relay);
}
template <typename EchoOrReply>
void read_detour(Reader& in, EchoOrReply& m) {
    m.token = in.take<std::uint32_t>();
    m.source = in.host();
    m.destination = in.host();
    m.relay = in.relay_or_way();
    if (m.source == m.destination || m.relay == m.source || m.relay == m.destination) in.fail(DecodeError::bad_host);
}

Kind write(Writer& out, const Echo& m) {
    if (m.padding_B > kMaxEchoPadding_B) out.fail();
    write_detour(out, m);
    out.put(m.padding_B);
    out.padding(m.padding_B);
    return Kind::echo;
}
void read(Reader& in, Echo& m) {
    read_detour(in, m);
    m.padding_B = in.take<std::uint16_t>();
    in.padding(m.padding_B, kMaxEchoPadding_B);
}

Kind write(Writer& out, const EchoReply& m) {
    write_detour(out, m);
    out.put(m.arrived_ns);
    return Kind::echo_reply;
}
void read(Reader& in, EchoReply& m) {
    read_detour(in, m);
    m.arrived_ns = in.stamp();
}

template <typename T>
Decoded read_as(Reader& in) {
    T message;
    read(in, message);
    if (!in.finish()) return in.error();
    return Message{std::move(message)};
}

}  // namespace

std::string_view name(DecodeError error) {
    switch (error) {
        case DecodeError::too_short:
            return "too short";
        case DecodeError::too_long:
            return "too long";
        case DecodeError::bad_version:
            return "another protocol version";
        case DecodeError::unknown_kind:
            return "unknown kind";
        case DecodeError::bad_host:
            return "host outside the job";
        case DecodeError::bad_value:
            return "value out of range";
    }
    return "unknown";
}

std::size_t encode(const Message& message, std::span<std::uint8_t> out) {
    if (out.size() < 2) return 0;
    Writer writer(out.first(std::min(out.size(), kMaxMessage_B)));
    writer.put(kVersion);
    writer.put(std::uint8_t{0});
    const Kind kind = std::visit([&](const auto& m) { return write(writer, m); }, message);
    out[1] = static_cast<std::uint8_t>(kind);
    return writer.length();
}

Decoded decode(std::span<const std::uint8_t> in, HostId host_count) {
    if (in.size() > kMaxMessage_B) return DecodeError::too_long;
    if (in.size() < 2) return DecodeError::too_short;
    if (in[0] != kVersion) return DecodeError::bad_version;
    Reader reader(in.subspan(2), host_count);
    switch (static_cast<Kind>(in[1])) {
        case Kind::probe:
            return read_as<Probe>(reader);
        case Kind::probe_reply:
            return read_as<ProbeReply>(reader);
        case Kind::hello:
            return read_as<Hello>(reader);
        case Kind::goodbye:
            return read_as<Goodbye>(reader);
        case Kind::path_query:
            return read_as<PathQuery>(reader);
        case Kind::path_report:
            return read_as<PathReport>(reader);
        case Kind::notice:
            return read_as<Notice>(reader);
        case Kind::load_query:
            return read_as<LoadQuery>(reader);
        case Kind::load_report:
            return read_as<LoadReport>(reader);
        case Kind::relay_request:
            return read_as<RelayRequest>(reader);
        case Kind::relay_grant:
            return read_as<RelayGrant>(reader);
        case Kind::relay_refuse:
            return read_as<RelayRefuse>(reader);
        case Kind::relay_release:
            return read_as<RelayRelease>(reader);
        case Kind::heartbeat:
            return read_as<Heartbeat>(reader);
        case Kind::send_query:
            return read_as<SendQuery>(reader);
        case Kind::send_report:
            return read_as<SendReport>(reader);
        case Kind::ranks_here:
            return read_as<RanksHere>(reader);
        case Kind::echo:
            return read_as<Echo>(reader);
        case Kind::echo_reply:
            return read_as<EchoReply>(reader);
    }
    return DecodeError::unknown_kind;
}

}  // namespace fairlead::core::wire
