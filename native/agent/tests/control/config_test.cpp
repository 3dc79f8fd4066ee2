// SPDX-License-Identifier: Apache-2.0
#include "control/config.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "control/manage_config.hpp"

namespace fairlead::agent {
namespace {

using nlohmann::json;

const std::string kSecret = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";

json valid() {
    return {{"type", "config"},
            {"job", "1f3a9c02"},
            {"secret", kSecret},
            {"self", 1},
            {"hosts",
             {{{"name", "h0"}, {"address", "10.64.0.1"}, {"port", 47011}},
              {{"name", "h1"}, {"address", "10.64.0.2"}, {"port", 47012}},
              {{"name", "h2"}, {"address", "10.64.0.3"}, {"port", 47011}}}},
            {"guardian", nullptr},
            {"uid", 1000},
            {"clock_test", {{"offset_s", 0.5}, {"drift", 1e-5}}},
            {"manage", nullptr}};
}

Config parse(const json& value) {
    const std::string text = value.dump();
    return parse_config(WipedLine(text.begin(), text.end()));
}

/// What is said of a configuration that must be refused.
std::string mistake(const json& value) {
    try {
        parse(value);
    } catch (const ProtocolError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Config, LeaseAndBootId) {
    json value = valid();
    EXPECT_EQ(parse(value).lease_s, 0.0);
    EXPECT_FALSE(parse(value).boot_id);
    value["lease_s"] = nullptr;
    value["boot_id"] = nullptr;
    EXPECT_EQ(parse(value).lease_s, 0.0);
    EXPECT_FALSE(parse(value).boot_id);
    value["lease_s"] = 10;
    value["boot_id"] = 1'795'451'000'000'000'001;
    EXPECT_EQ(parse(value).lease_s, 10.0);
    EXPECT_EQ(parse(value).boot_id, 1'795'451'000'000'000'001U);
    value["lease_s"] = 0;
    EXPECT_NE(mistake(value).find("'lease_s'"), std::string::npos) << mistake(value);
    value["lease_s"] = 10;
    value["boot_id"] = -1;
    EXPECT_NE(mistake(value).find("'boot_id'"), std::string::npos) << mistake(value);
}

TEST(Config, WhichMessagesAreAcknowledged) {
    json value = valid();
    EXPECT_EQ(parse(value).acknowledge, core::Acknowledge::waited);
    for (const auto each : {core::Acknowledge::waited, core::Acknowledge::always, core::Acknowledge::never}) {
        value["acknowledge"] = name(each);
        EXPECT_EQ(parse(value).acknowledge, each);
    }
    value["acknowledge"] = "sometimes";
    EXPECT_NE(mistake(value).find("'waited', 'always' or 'never', not 'sometimes'"), std::string::npos)
        << mistake(value);
}

TEST(Config, RelayPlane) {
    json value = valid();
    value["relay"] = {{"directory", "/dev/shm/relay"}};
    ASSERT_TRUE(parse(value).relay);
    EXPECT_EQ(parse(value).relay->directory, "/dev/shm/relay");
    EXPECT_EQ(parse(value).relay->capacity_B, 2U << 20);
    value["relay"]["capacity_B"] = 4096;
    EXPECT_EQ(parse(value).relay->capacity_B, 4096U);
    value["relay"]["capacity_B"] = 0;
    EXPECT_NE(mistake(value).find("'capacity_B'"), std::string::npos) << mistake(value);
    value["relay"] = {{"directory", ""}};
    EXPECT_NE(mistake(value).find("'directory'"), std::string::npos) << mistake(value);
    value["relay"] = {{"directory", "/dev/shm/relay"}};
    value["guardian"] = {"/opt/guardian"};
    EXPECT_NE(mistake(value).find("only one plane reroutes traffic"), std::string::npos) << mistake(value);
}

TEST(Config, HasWhatTheLineSays) {
    json value = valid();
    value["guardian"] = {"/opt/guardian", "--quiet"};
    value["rings"] = "/dev/shm/rings";
    const Config config = parse(value);
    EXPECT_EQ(config.job, "1f3a9c02");
    EXPECT_EQ(config.self, 1);
    EXPECT_EQ(config.uid, 1000U);
    EXPECT_EQ(config.own().label(), "h1 (10.64.0.2)");
    EXPECT_EQ(config.own().socket_address().port(), 47012);
    EXPECT_EQ(config.guardian, (std::vector<std::string>{"/opt/guardian", "--quiet"}));
    EXPECT_EQ(config.rings, "/dev/shm/rings");
    EXPECT_EQ(parse(valid()).rings, "");
    EXPECT_FALSE(config.relay);
    EXPECT_EQ(config.clock_test.offset_s, 0.5);
    EXPECT_EQ(config.clock_test.drift, 1e-5);
    EXPECT_EQ(config.secret.bytes()[1], 0x11);
    EXPECT_EQ(config.secret.bytes()[31], 0xff);
    EXPECT_EQ(config.host_at(Address::parse("10.64.0.3").value()), 2);
    EXPECT_EQ(config.host_at(Address::parse("10.64.0.4").value()), std::nullopt);
    EXPECT_EQ(config.family(), AF_INET);
}

TEST(Config, HostsMayHaveAddressesOfIPv6) {
    json value = valid();
    for (std::size_t i = 0; i < 3; ++i) value["hosts"][i]["address"] = "fd00:64::" + std::to_string(i + 1);
    const Config config = parse(value);
    EXPECT_EQ(config.family(), AF_INET6);
    EXPECT_EQ(config.own().label(), "h1 (fd00:64::2)");
    EXPECT_EQ(config.host_at(Address::parse("fd00:64:0::3").value()), 2);
}

TEST(Config, MistakesNameTheField) {
    const std::vector<std::tuple<const char*, json, const char*>> cases{
        {"type", "hello", "'type'"},
        {"job", "UPPER", "'job'"},
        {"job", "abcdefabcdefa", "'job'"},
        {"self", 3, "'self'"},
        {"self", -1, "'self'"},
        {"self", 0.5, "'self'"},
        {"self", 18446744073709551615ULL, "'self'"},
        {"hosts", json::array(), "'hosts'"},
        {"hosts", 7, "'hosts'"},
        {"guardian", json::array(), "'guardian'"},
        {"guardian", {1}, "'guardian'"},
        {"uid", -1, "'uid'"},
        {"uid", "root", "'uid'"},
        {"clock_test", {{"offset_s", 0}, {"drift", 1}}, "'drift'"},
        {"clock_test", {{"offset_s", 0}}, "'drift'"},
        {"manage", 1, "'manage'"},
        {"surprise", 1, "'surprise'"},
    };
    for (const auto& [key, bad, expected] : cases) {
        json value = valid();
        value[key] = bad;
        EXPECT_NE(mistake(value).find(expected), std::string::npos) << key << ": " << mistake(value);
    }
    for (const char* key : {"type", "job", "secret", "self", "hosts", "guardian", "uid", "manage"}) {
        json value = valid();
        value.erase(key);
        EXPECT_NE(mistake(value).find(std::string("'") + key + "'"), std::string::npos) << mistake(value);
    }
}

TEST(Config, WithoutAUserItIsOurOwn) {
    json value = valid();
    value["uid"] = nullptr;
    EXPECT_EQ(parse(value).uid, getuid());
}

TEST(Config, HostsAreChecked) {
    const std::vector<std::tuple<const char*, json, const char*>> cases{
        {"address", "10.64.0.256", "hosts[2]: 'address'"},
        {"address", "localhost", "an IP address"},
        {"address", "10.64.0.1", "two hosts"},
        {"address", "fd00:64::1%eth0", "an IP address"},
        {"address", "fd00:64::1", "h0 (10.64.0.1) and h2 (fd00:64::1): one has an IPv4 address, the other an IPv6"},
        {"port", 0, "hosts[2]: 'port'"},
        {"port", 65536, "hosts[2]: 'port'"},
        {"name", "", "hosts[2]: 'name'"},
    };
    for (const auto& [key, bad, expected] : cases) {
        json value = valid();
        value["hosts"][2][key] = bad;
        EXPECT_NE(mistake(value).find(expected), std::string::npos) << key << ": " << mistake(value);
    }
}

TEST(Config, SecretIsCheckedAndNeverQuoted) {
    for (const std::string& bad : {std::string("abcd"), kSecret + "00", std::string(64, 'g'), std::string()}) {
        json value = valid();
        value["secret"] = bad;
        const std::string text = mistake(value);
        EXPECT_NE(text.find("64 hexadecimal digits"), std::string::npos) << text;
        if (!bad.empty()) {
            EXPECT_EQ(text.find(bad), std::string::npos);
        }
    }
}

TEST(Config, SecretIsWipedInTheLine) {
    std::string line = valid().dump();
    SecretKey key;
    ASSERT_TRUE(take_secret(line, key));
    EXPECT_EQ(line.find(kSecret), std::string::npos);
    EXPECT_EQ(json::parse(line)["secret"], std::string(64, '0'));
    EXPECT_EQ(key.bytes()[15], 0xff);
    std::string twice = R"({"secret":")" + kSecret + R"(","secret":")" + kSecret + R"("})";
    EXPECT_FALSE(take_secret(twice, key));
}

TEST(Config, DerivedKeysDiffer) {
    const Config config = parse(valid());
    const SecretKey a = derive(config.secret, KeyUse::datagrams);
    const SecretKey b = derive(config.secret, KeyUse::connections);
    EXPECT_NE(sodium_memcmp(a.bytes().data(), b.bytes().data(), SecretKey::kSize_B), 0);
    const SecretKey again = derive(config.secret, KeyUse::datagrams);
    EXPECT_EQ(sodium_memcmp(a.bytes().data(), again.bytes().data(), SecretKey::kSize_B), 0);
}

TEST(Config, GarbageIsNoJson) {
    for (const std::string text : {"", "{", "[]", "null", "\xff\xfe", "{\"type\":"}) {
        EXPECT_THROW(parse_config(WipedLine(text.begin(), text.end())), ProtocolError) << text;
    }
}

json manage() {
    return {{"base",
             {{"age_s", 60.0},
              {"sizes_B", {64, 65536}},
              {"latency_s",
               {{{nullptr, 1e-4, 2e-4}, {1e-4, nullptr, 1e-4}, {1e-4, nullptr, nullptr}},
                {{nullptr, 1e-3, 2e-3}, {3e-3, nullptr, 4e-3}, {1e-3, nullptr, nullptr}}}},
              {"rate_bps", {{nullptr, 1e8, nullptr}, {2e8, nullptr, 3e8}, {nullptr, nullptr, nullptr}}}}},
            {"shares", {{0, 1, {{0, 1}, {0, 2}}}}},
            {"settings", {{"congestion_level.medium_factor", 1.75}}},
            {"learn", {{"link_bps", 2e9}}},
            {"mix", {{2, {{64, 0.5}, {4096, 0.5}}}}},
            {"seed", 3}};
}

TEST(Manage, TablesReachTheController) {
    json value = valid();
    value["manage"] = manage();
    const Config config = parse(value);
    const ManageConfig result = parse_manage(config, 1000.0);
    EXPECT_TRUE(result.controller.automatic);
    EXPECT_EQ(result.controller.self, 1);
    EXPECT_DOUBLE_EQ(result.controller.base.latency_s({1, 2}, 65536).value(), 4e-3);
    EXPECT_DOUBLE_EQ(result.controller.base.latency_s({0, 2}, 64).value(), 2e-4);
    EXPECT_FALSE(result.controller.base.latency_s({2, 1}, 64).has_value());
    EXPECT_DOUBLE_EQ(result.controller.base.throughput_bps({1, 2}).value(), 3e8);
    EXPECT_DOUBLE_EQ(result.controller.base.age_s({1, 2}, 1000.0).value(), 60.0);
    EXPECT_TRUE(result.controller.sharing.hurts({0, 1}, {0, 2}));
    EXPECT_FALSE(result.controller.sharing.hurts({0, 2}, {0, 1}));
    EXPECT_DOUBLE_EQ(result.controller.settings.congestion_level.medium_factor, 1.75);
    EXPECT_TRUE(result.controller.learns);
    EXPECT_DOUBLE_EQ(result.controller.link_bps, 2e9);
    ASSERT_EQ(result.mixes.size(), 1U);
    EXPECT_EQ(result.mixes[0].peer, 2);
    EXPECT_EQ(result.mixes[0].sizes[1].size_B, 4096U);
}

TEST(Manage, TablesByGroupsReachTheController) {
    json value = valid();
    json tables = manage();
    tables["base"] = {{"age_s", 60.0},
                      {"sizes_B", {64}},
                      {"groups", {0, 1, 1}},
                      {"latency_s", {{{nullptr, 1e-3}, {2e-3, 3e-3}}}},
                      {"rate_bps", {{nullptr, 1e8}, {2e8, nullptr}}},
                      {"own_latency_s", {{{4e-3, nullptr, nullptr}, {5e-3, nullptr, 6e-3}}}},
                      {"own_rate_bps", {{3e8, nullptr, nullptr}, {nullptr, nullptr, nullptr}}}};
    tables["shares"] = {{"groups", {0, 1, 1}}, {"hurts", {{0, 1, {{0, 1}}}}}, {"fills", {"011", "000", "040"}}};
    value["manage"] = tables;
    const ManageConfig result = parse_manage(parse(value), 1000.0);
    const core::BaseTable& base = result.controller.base;
    EXPECT_DOUBLE_EQ(base.latency_s({0, 2}).value(), 1e-3) << "of its groups";
    EXPECT_DOUBLE_EQ(base.latency_s({1, 0}).value(), 4e-3) << "own";
    EXPECT_DOUBLE_EQ(base.latency_s({0, 1}).value(), 5e-3);
    EXPECT_DOUBLE_EQ(base.latency_s({2, 1}).value(), 6e-3);
    EXPECT_DOUBLE_EQ(base.latency_s({1, 2}).value(), 3e-3);
    EXPECT_DOUBLE_EQ(base.throughput_bps({1, 0}).value(), 3e8);
    EXPECT_DOUBLE_EQ(base.throughput_bps({2, 0}).value(), 2e8);
    EXPECT_TRUE(result.controller.sharing.hurts({0, 1}, {0, 2}));
    EXPECT_FALSE(result.controller.sharing.hurts({1, 0}, {2, 0}));
    for (const auto& [path, bad] :
         std::vector<std::pair<const char*, json>>{{"/base/groups", {0, 1}},
                                                   {"/base/groups/0", 3},
                                                   {"/base/latency_s", {{{nullptr, 1e-3, 1e-3}, {2e-3, 3e-3, 1e-3}}}},
                                                   {"/base/own_latency_s", nullptr},
                                                   {"/base/own_latency_s/0/0/0", 0.0},
                                                   {"/base/own_rate_bps", json::array()},
                                                   {"/shares/groups/0", 3},
                                                   {"/shares/groups", {0, 1}},
                                                   {"/shares/hurts/0/0", 3},
                                                   {"/shares/hurts", 1},
                                                   {"/shares/fills/0", "01"},
                                                   {"/shares/fills/0", "018"},
                                                   {"/shares/fills/0", "111"},
                                                   {"/shares/more", 1}}) {
        json wrong = value;
        wrong["manage"][json::json_pointer(path)] = bad;
        EXPECT_THROW(parse_manage(parse(wrong), 0.0), ProtocolError) << path;
    }
}

/// What agents are told that are to have equal-cost paths, and to reroute by hand only.
TEST(Manage, SettingsNeedNoTables) {
    json value = valid();
    value["manage"] = {{"base",
                        {{"age_s", 0.0},
                         {"sizes_B", json::array()},
                         {"latency_s", json::array()},
                         {"rate_bps", json::array({json::array({nullptr})})},
                         {"groups", {0, 0, 0}},
                         {"own_latency_s", json::array()},
                         {"own_rate_bps", {{nullptr, nullptr, nullptr}, {nullptr, nullptr, nullptr}}}}},
                       {"shares", json::array()},
                       {"learn", nullptr},
                       {"settings", {{"ways.count", 3}}},
                       {"automatic", false}};
    const ManageConfig result = parse_manage(parse(value), 0.0);
    EXPECT_FALSE(result.controller.automatic);
    EXPECT_FALSE(result.controller.learns);
    EXPECT_EQ(result.controller.settings.ways.count, 3);
    EXPECT_FALSE(result.controller.base.latency_s({1, 2}).has_value());
}

TEST(Manage, NullMeansManualOnly) {
    const Config config = parse(valid());
    EXPECT_FALSE(parse_manage(config, 0.0).controller.automatic);
}

TEST(Manage, MistakesAreRefused) {
    const std::vector<std::pair<const char*, json>> cases{
        {"/base/sizes_B", {64}},
        {"/base/latency_s/0/1/2", -1.0},
        {"/base/latency_s/0/1", {1.0, 2.0}},
        {"/base/rate_bps/1/2", "fast"},
        {"/base/age_s", nullptr},
        {"/shares/0/0", 3},
        {"/shares/0/1", 0},
        {"/shares/0/2", {{1}}},
        {"/settings", {{"congestion_level.no_such", 1.0}}},
        {"/settings", {{"congestion_level.medium_factor", -1.0}}},
        {"/settings", {{"congestion_level.medium_factor", "x"}}},
        {"/mix", {{9, json::array()}}},
        {"/learn", 1},
        {"/learn/link_bps", 0.0},
        {"/learn/no_such", 1},
        {"/automatic", 1},
        {"/unknown", 1},
    };
    for (const auto& [path, bad] : cases) {
        json value = valid();
        value["manage"] = manage();
        value["manage"][json::json_pointer(path)] = bad;
        EXPECT_THROW(parse_manage(parse(value), 0.0), ProtocolError) << path;
    }
}

}  // namespace
}  // namespace fairlead::agent
