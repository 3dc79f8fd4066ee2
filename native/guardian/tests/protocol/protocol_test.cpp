// SPDX-License-Identifier: Apache-2.0
#include "protocol/protocol.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <random>
#include <set>

#include "protocol/names.hpp"

namespace fairlead::guardian {
namespace {

// In a test's body plain Setup is a trap that GoogleTest sets for misspelt SetUp.
using SetupBody = Setup;

Address address(const std::string& text) {
    return Address::parse(text).value();
}

Setup valid_setup() {
    return {.job = "1f3a9c02",
            .device = "eth0",
            .self = 1,
            .hosts = {{address("10.64.0.1"), 27011}, {address("10.64.0.2"), 27011}, {address("10.64.0.3"), 27012}},
            .network_id = 0xabcdef,
            .overlay_port = 28000,
            .uid_first = 1000,
            .uid_last = 1000,
            .grace_ms = 1000,
            .ways = 2};
}

Setup valid_setup_of_ipv6() {
    SetupBody setup = valid_setup();
    for (std::size_t i = 0; i < setup.hosts.size(); ++i)
        setup.hosts[i].address = address("fd00:64::" + std::to_string(i + 1));
    return setup;
}

template <typename Body>
Request decoded(const Body& body) {
    return std::get<Request>(decode_request(encode(Request{7, body})));
}

Refusal refusal(const Packet& packet) {
    return std::get<Refusal>(decode_request(packet));
}
Refusal refusal(const SetupBody& setup) {
    return refusal(encode(Request{7, setup}));
}

TEST(GuardianProtocol, RequestsSurviveTheWire) {
    EXPECT_EQ(decoded(valid_setup()), (Request{7, valid_setup()}));
    EXPECT_EQ(decoded(valid_setup_of_ipv6()), (Request{7, valid_setup_of_ipv6()}));
    EXPECT_EQ(decoded(Reroute{2, 0, 1400}), (Request{7, Reroute{2, 0, 1400}}));
    EXPECT_EQ(decoded(Reroute{2, 2, 0, 3}), (Request{7, Reroute{2, 2, 0, 3}}));
    EXPECT_EQ(decoded(Restore{2}), (Request{7, Restore{2}}));
    EXPECT_EQ(decoded(Teardown{}), (Request{7, Teardown{}}));
    EXPECT_EQ(decoded(Echoes{40001, 40002}), (Request{7, Echoes{40001, 40002}}));
    EXPECT_EQ(decoded(Try{2, 0, 1400}), (Request{7, Try{2, 0, 1400}}));
    EXPECT_EQ(decoded(Try{2, 2, 0, 1}), (Request{7, Try{2, 2, 0, 1}}));
    EXPECT_EQ(decoded(Lease{kMaxLease_ms}), (Request{7, Lease{kMaxLease_ms}}));
}

TEST(GuardianProtocol, TheLargestSetupFits) {
    SetupBody setup = valid_setup();
    setup.job = "abcdefghij12";
    setup.device = "enp0s31f6.1234x";
    for (const std::string network : {"10.64.", "fd00::"}) {
        const char separator = network.back();
        setup.hosts.clear();
        for (std::size_t i = 0; i < kMaxHosts; ++i)
            setup.hosts.push_back(
                {address(network + std::to_string(i / 200) + separator + std::to_string(1 + i % 200)), 47011});
        EXPECT_EQ(decoded(setup), (Request{7, setup}));
        EXPECT_LE(encode(Request{7, setup}).size(), kMaxPacket_B);
        setup.hosts.push_back({address(network + "99" + separator + "1"), 47011});
        EXPECT_THROW(encode(Request{7, setup}), std::length_error);
    }
    EXPECT_EQ(encode(Request{7, valid_setup_of_ipv6()}).size(), kMaxPacket_B);
}

TEST(GuardianProtocol, RepliesSurviveTheWire) {
    const Reply refused{9, ENODEV, "device: there is no eth9"};
    EXPECT_EQ(decode_reply(encode(refused)), refused);
    EXPECT_EQ(decode_reply(encode(Reply{9, 0, {}})), (Reply{9, 0, {}}));
    EXPECT_EQ(decode_reply(encode(Reply{9, EIO, std::string(500, 'x')}))->reason, std::string(kMaxReasonLength, 'x'));
    EXPECT_EQ(decode_reply(encode(Request{9, Teardown{}})), std::nullopt);
}

TEST(GuardianProtocol, EveryTruncationAndExtensionIsRefused) {
    for (const Request& request :
         {Request{7, valid_setup()}, Request{7, Reroute{2, 0, 1400}}, Request{7, Restore{1}}, Request{7, Teardown{}},
          Request{7, Echoes{40001, 40002}}, Request{7, Try{2, 0, 1400}}, Request{7, Lease{1}}}) {
        const Packet whole = encode(request);
        for (std::size_t size_B = 0; size_B < whole.size(); size_B += size_B < 100 ? 1 : 97)
            EXPECT_EQ(refusal(Packet(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size_B))).error,
                      EBADMSG);
        Packet longer = whole;
        longer.push_back(std::byte{0});
        EXPECT_EQ(refusal(longer).error, EBADMSG);
        EXPECT_EQ(refusal(longer).id, 7u);
    }
}

TEST(GuardianProtocol, ForeignPacketsAreRefused) {
    Packet packet = encode(Request{7, Teardown{}});
    packet[0] ^= std::byte{1};
    EXPECT_EQ(refusal(packet).id, 0u);
    EXPECT_EQ(refusal(packet).error, EBADMSG);
    EXPECT_EQ(refusal(encode(Reply{7, 0, {}})).error, EBADMSG);
}

TEST(GuardianProtocol, FieldsOutOfRangeAreRefusedByName) {
    const auto field = [](auto change) {
        SetupBody setup = valid_setup();
        change(setup);
        const Refusal refused = refusal(setup);
        EXPECT_EQ(refused.error, EINVAL);
        EXPECT_EQ(refused.id, 7u);
        return refused.reason.substr(0, refused.reason.find(':'));
    };
    for (const char* job : {"", "A1", "a/b", "a b"}) EXPECT_EQ(field([&](SetupBody& s) { s.job = job; }), "job");
    for (const char* device : {"", ".", "..", "a/b", "a b", "a\"b"})
        EXPECT_EQ(field([&](SetupBody& s) { s.device = device; }), "device");
    EXPECT_EQ(field([](SetupBody& s) { s.self = 3; }), "self");
    EXPECT_EQ(field([](SetupBody& s) { s.hosts.resize(1); }), "hosts");
    EXPECT_EQ(field([](SetupBody& s) { s.hosts[2] = s.hosts[0]; }), "hosts");
    for (const std::uint16_t port : {std::uint16_t{0}, std::uint16_t{53}, std::uint16_t{1023}})
        EXPECT_EQ(field([&](SetupBody& s) { s.hosts[2].agent_port = port; }), "hosts");
    for (const char* wrong : {"0.0.0.1", "127.0.0.1", "224.0.0.1", "255.255.255.255", "169.254.0.1", "fd00::3"})
        EXPECT_EQ(field([&](SetupBody& s) { s.hosts[2].address = address(wrong); }), "hosts") << wrong;
    for (const char* wrong : {"::", "::1", "fe80::1", "ff02::1", "10.64.0.9"}) {
        SetupBody setup = valid_setup_of_ipv6();
        setup.hosts[2].address = address(wrong);
        EXPECT_EQ(check(setup).value_or("").substr(0, 5), "hosts") << wrong;
    }
    EXPECT_EQ(
        field([](SetupBody& s) {
            for (std::uint32_t i = 0; i < 9; ++i)
                s.hosts.push_back({address("11.0.0." + std::to_string(i + 1)), static_cast<std::uint16_t>(2000 + i)});
        }),
        "hosts");
    for (const std::uint32_t id : {0u, 1u << 24})
        EXPECT_EQ(field([&](SetupBody& s) { s.network_id = id; }), "network_id");
    // Docker's and flannel's overlays among them.
    for (const std::uint16_t port :
         std::initializer_list<std::uint16_t>{0, 53, 4789, 8472, 19'999, 27'011, 30'000, 65'535})
        EXPECT_EQ(field([&](SetupBody& s) { s.overlay_port = port; }), "overlay_port");
    EXPECT_EQ(field([](SetupBody& s) { s.uid_first = 1001; }), "uid_first, uid_last");
    EXPECT_EQ(field([](SetupBody& s) { s.uid_last = UINT32_MAX; }), "uid_first, uid_last");
    EXPECT_EQ(field([](SetupBody& s) { s.grace_ms = kMaxGrace_ms + 1; }), "grace_ms");
    EXPECT_EQ(field([](SetupBody& s) { s.ways = kMaxWays + 1; }), "ways");
}

TEST(GuardianProtocol, IndicesAreCheckedAgainstTheSetup) {
    const SetupBody setup = valid_setup();
    EXPECT_EQ(check(Reroute{0, 2, 0}, setup), std::nullopt);
    EXPECT_EQ(check(Reroute{3, 2, 0}, setup), "destination: index 3 of 3 hosts");
    EXPECT_EQ(check(Reroute{0, 3, 0}, setup), "relay: index 3 of 3 hosts");
    EXPECT_EQ(check(Reroute{0, 0, 0}, setup), "relay: is the destination itself");
    EXPECT_EQ(check(Reroute{1, 0, 0}, setup), "destination: is this host itself");
    EXPECT_EQ(check(Reroute{0, 1, 0}, setup), "relay: is this host itself");
    EXPECT_EQ(check(Reroute{0, 0, 0, 2}, setup), std::nullopt);
    EXPECT_EQ(check(Reroute{0, 0, 0, 3}, setup), "way: number 3 of 2");
    EXPECT_EQ(check(Reroute{0, 2, 0, 1}, setup), "relay: is not the destination, by a way");
    EXPECT_EQ(check(Try{0, 0, 0, 1}, setup), std::nullopt);
    EXPECT_EQ(check(Try{0, 0, 0, 3}, setup), "way: number 3 of 2");
    EXPECT_EQ(refusal(encode(Request{7, Reroute{0, 0, 0, kMaxWays + 1}})).reason, "way: at most 7");
    EXPECT_EQ(check(Restore{3}, setup), "destination: index 3 of 3 hosts");
    EXPECT_EQ(refusal(encode(Request{7, Reroute{1024, 0, 0}})).error, EINVAL);
    EXPECT_EQ(check(Try{0, 2, 0}, setup), std::nullopt);
    EXPECT_EQ(check(Try{0, 1, 0}, setup), "relay: is this host itself");
    EXPECT_EQ(check(Echoes{40001, 40002}, setup), std::nullopt);
    EXPECT_EQ(check(Echoes{40001, 40001}, setup), "lasting_port, trial_port: must differ");
    for (const std::uint16_t port : {std::uint16_t{53}, setup.overlay_port, setup.hosts[2].agent_port})
        EXPECT_EQ(check(Echoes{40001, port}, setup),
                  "lasting_port, trial_port: " + std::to_string(port) + " is not free");
    EXPECT_EQ(refusal(encode(Request{7, Try{1024, 0, 0}})).error, EINVAL);
    EXPECT_EQ(refusal(encode(Request{7, Restore{UINT32_MAX}})).error, EINVAL);
    for (const std::uint32_t length_ms : {0U, kMaxLease_ms + 1})
        EXPECT_EQ(refusal(encode(Request{7, Lease{length_ms}})).reason, "length_ms: must be 1 to 60000");
}

TEST(GuardianProtocol, WaysHaveNumbersOfTheirOwn) {
    std::set<std::uint32_t> network_ids{kMaxNetworkId - 1};
    std::set<std::uint16_t> ports;
    std::set<std::uint32_t> marks;
    std::set<std::uint32_t> tables;
    for (std::uint32_t way = 1; way <= kMaxWays; ++way) {
        network_ids.insert(way_network_id(kMaxNetworkId - 1, way));
        ports.insert(way_source_port(kMaxNetworkId - 1, way));
        EXPECT_EQ(job_of(way_device_name("1f3a9c02", way), way_prefix(way)), "1f3a9c02");
        EXPECT_EQ(job_of(way_device_name("1f3a9c02", way), kDevicePrefix), std::nullopt);
    }
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
        for (std::uint32_t way = 0; way <= kMaxWays; ++way) marks.insert(mark(slot, way));
        for (std::uint32_t way = 1; way <= kMaxWays; ++way) tables.insert(way_table(slot, way));
        for (const std::uint32_t table : {rerouted_table(slot), last_hop_table(slot), trial_table(slot)})
            tables.insert(table);
    }
    EXPECT_EQ(network_ids.size(), kMaxWays + 1U);
    EXPECT_EQ(*network_ids.begin(), 1U) << "after the last comes the first";
    EXPECT_EQ(*network_ids.rbegin(), kMaxNetworkId);
    EXPECT_EQ(ports.size(), kMaxWays);
    EXPECT_GE(*ports.begin(), kFirstSourcePort);
    EXPECT_LE(*ports.rbegin(), kLastSourcePort);
    EXPECT_EQ(marks.size(), kSlots * (kMaxWays + 1));
    EXPECT_EQ(*marks.rbegin() & 0x00ffff00, 0U) << "bits that container networks use";
    EXPECT_EQ(tables.size(), kSlots * (kMaxWays + 3));
    EXPECT_LT(*tables.rbegin(), kEndOfTables);
    EXPECT_EQ(device_name("abcdefghij12").size(), kMaxDeviceLength);
    EXPECT_EQ(way_device_name("abcdefghij12", kMaxWays).size(), kMaxDeviceLength);
}

// The poor man's fuzzer, for builds without libFuzzer: flipped bits never get past the checks in another form.
TEST(GuardianProtocol, DamagedPacketsAreRefusedOrMeanWhatTheySay) {
    std::mt19937 random(20240507);
    const Packet whole = encode(Request{7, valid_setup()});
    for (int round = 0; round < 2000; ++round) {
        Packet damaged = whole;
        for (int flips = 0; flips < 3; ++flips) damaged[random() % 100] ^= std::byte(1u << random() % 8);
        const auto result = decode_request(damaged);
        if (const auto* request = std::get_if<Request>(&result)) {
            EXPECT_EQ(encode(*request), damaged);
        }
    }
}

}  // namespace
}  // namespace fairlead::guardian
