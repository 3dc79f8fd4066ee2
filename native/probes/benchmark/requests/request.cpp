// SPDX-License-Identifier: Apache-2.0
#include "benchmark/requests/request.hpp"

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace fairlead::benchmark {
namespace {

constexpr int kLargestMessage_B = 1 << 30;
constexpr int kMostSamples = 10'000'000;
constexpr int kLargestWindow = 4096;

[[noreturn]] void refuse(const std::string& key, const std::string& reason) {
    throw std::invalid_argument(key + ": " + reason);
}

int integer(const nlohmann::json& object, const char* key, int otherwise, int low, int high) {
    const auto found = object.find(key);
    if (found == object.end()) {
        return otherwise;
    }
    if (!found->is_number_integer() || *found < low || *found > high) {
        refuse(key, "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return found->get<int>();
}

double seconds(const char* key, const nlohmann::json& value) {
    if (!value.is_number() || value < 0) {
        refuse(key, "must be a time in seconds");
    }
    return value.get<double>();
}

bool truth(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    if (found != object.end() && !found->is_boolean()) {
        refuse(key, "must be true or false");
    }
    return found != object.end() && found->get<bool>();
}

// The value that a key's text stands for.
template <typename Value>
Value named(const nlohmann::json& object, const char* key, const std::map<std::string, Value>& names) {
    const auto found = object.find(key);
    const bool text = found != object.end() && found->is_string();
    const auto known = text ? names.find(found->get<std::string>()) : names.end();
    if (known == names.end()) {
        refuse(key, "is unknown");
    }
    return known->second;
}

Collective collective_of(const nlohmann::json& object) {
    return named<Collective>(object, "collective",
                             {{"allreduce", Collective::kAllreduce},
                              {"alltoall", Collective::kAlltoall},
                              {"bcast", Collective::kBcast},
                              {"scatter", Collective::kScatter},
                              {"gather", Collective::kGather},
                              {"allgather", Collective::kAllgather},
                              {"reduce-scatter", Collective::kReduceScatter}});
}

// Ranks that are in no list yet.
std::vector<int> ranks_of(const nlohmann::json& object, const char* key, std::set<int>& used, int ranks) {
    std::vector<int> found;
    for (const nlohmann::json& rank : object.value(key, nlohmann::json::array())) {
        if (!rank.is_number_integer() || rank < 0 || rank >= ranks || !used.insert(rank.get<int>()).second) {
            refuse(key, "each rank must be below " + std::to_string(ranks) + ", and occur once");
        }
        found.push_back(rank.get<int>());
    }
    return found;
}

std::vector<Congestor> congestors_of(const nlohmann::json& object, std::set<int>& used, int ranks) {
    std::vector<Congestor> found;
    for (const nlohmann::json& entry : object.value("congestors", nlohmann::json::array())) {
        if (!entry.is_object()) {
            refuse("congestors", "each entry must be an object");
        }
        Congestor congestor{
            .kind = named<Congestion>(
                entry, "kind",
                {{"alltoall", Congestion::kAlltoall}, {"incast", Congestion::kIncast}, {"bcast", Congestion::kBcast}}),
            .ranks = ranks_of(entry, "ranks", used, ranks)};
        if (congestor.ranks.size() < 2) {
            refuse("congestors", "each needs at least two ranks");
        }
        found.push_back(std::move(congestor));
    }
    return found;
}

void read_impact(const nlohmann::json& object, int ranks, Request& request) {
    std::set<int> used;
    request.victims = ranks_of(object, "victims", used, ranks);
    if (request.victims.size() < 2) {
        refuse("victims", "there must be at least two");
    }
    request.congestors = congestors_of(object, used, ranks);
    request.victim = named<VictimTest>(object, "victim",
                                       {{"latency", VictimTest::kLatency},
                                        {"bandwidth", VictimTest::kBandwidth},
                                        {"allreduce", VictimTest::kAllreduce}});
    request.congestor_size_B = integer(object, "congestor_size_B", 1, 1, kLargestMessage_B);
    request.exchanges_before = integer(object, "exchanges_before", 0, 0, kMostSamples);
}

std::vector<Pair> pairs_of(const nlohmann::json& object, int ranks) {
    const auto found = object.find("pairs");
    if (found == object.end() || !found->is_array() || found->empty()) {
        refuse("pairs", "must be a list of pairs of ranks");
    }
    std::vector<Pair> pairs;
    std::set<int> used;
    for (const nlohmann::json& entry : *found) {
        if (!entry.is_array() || entry.size() != 2) {
            refuse("pairs", "each entry must be a pair");
        }
        for (const nlohmann::json& rank : entry) {
            if (!rank.is_number_integer() || rank < 0 || rank >= ranks || !used.insert(rank.get<int>()).second) {
                refuse("pairs", "each rank must be below " + std::to_string(ranks) + ", and occur once");
            }
        }
        pairs.push_back({.first = entry[0].get<int>(), .second = entry[1].get<int>()});
    }
    return pairs;
}

}  // namespace

std::vector<int> Request::taking_part() const {
    std::vector<int> found;
    for (const Pair& pair : pairs) {
        found.insert(found.end(), {pair.first, pair.second});
    }
    for (int rank = 0; rank < ranks; ++rank) {
        found.push_back(rank);
    }
    found.insert(found.end(), victims.begin(), victims.end());
    for (const Congestor& congestor : congestors) {
        found.insert(found.end(), congestor.ranks.begin(), congestor.ranks.end());
    }
    return found;
}

std::vector<int> Request::reporting() const {
    if (kind != Kind::kPairs) {
        return kind == Kind::kImpact ? victims : taking_part();
    }
    std::vector<int> found;
    for (const Pair& pair : pairs) {
        found.push_back(pair.first);
    }
    return found;
}

Request parse_request(const std::string& line, int ranks) {
    const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object()) {
        refuse("request", "is not a JSON object");
    }
    if (!object.contains("size_B")) {
        refuse("size_B", "is missing");
    }
    Request request;
    if (object.contains("collective")) {
        request.kind = Kind::kCollective;
        request.collective = collective_of(object);
        request.ranks = integer(object, "ranks", ranks, 2, ranks);
        request.agreed = truth(object, "agreed");
    } else if (object.contains("victims")) {
        request.kind = Kind::kImpact;
        read_impact(object, ranks, request);
    } else {
        request.pairs = pairs_of(object, ranks);
    }
    request.size_B = integer(object, "size_B", 0, 0, kLargestMessage_B);
    request.stop.most = integer(object, "most", 100, 1, kMostSamples);
    request.stop.least = integer(object, "least", 1, 1, request.stop.most);
    request.warmup = integer(object, "warmup", 0, 0, kMostSamples);
    request.window = integer(object, "window", 1, 1, kLargestWindow);
    request.stop.limit_s = std::numeric_limits<double>::infinity();
    if (const auto limit = object.find("limit_s"); limit != object.end()) {
        request.stop.limit_s = seconds("limit_s", *limit);
    }
    request.both = truth(object, "both");
    request.one_way = truth(object, "one_way");
    request.train = integer(object, "train", 1, 1, kMostSamples);
    request.asleep = truth(object, "asleep");
    request.both_pause = truth(object, "both_pause");
    for (const nlohmann::json& pause : object.value("pauses_s", nlohmann::json::array())) {
        request.pauses_s.push_back(seconds("pauses_s", pause));
    }
    return request;
}

}  // namespace fairlead::benchmark
