// SPDX-License-Identifier: Apache-2.0
#include "json/shares.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "json/json_fields.hpp"

namespace fairlead::agent {
namespace {

using nlohmann::json;

const json& list_of(const json& value, std::size_t length, const std::string& what) {
    if (!value.is_array() || value.size() != length) {
        throw ProtocolError(what + " must be a list of " + std::to_string(length));
    }
    return value;
}

core::Pair cell_of(const json& source, const json& destination, core::HostId count, const std::string& what) {
    const auto index = [&](const json& value) {
        return static_cast<core::HostId>(whole_in(value, what + ": a host's or group's index", 0, count - 1));
    };
    return {index(source), index(destination)};
}

void read_hurts(const json& value, core::HostId count, const std::string& what, bool of_hosts,
                core::SharingRelation& sharing) {
    if (!value.is_array()) throw ProtocolError(what + " must be a list");
    for (const json& entry : value) {
        list_of(entry, 3, what + ": an entry");
        const core::Pair injected = cell_of(entry[0], entry[1], count, what);
        if (of_hosts && injected.source == injected.destination) {
            throw ProtocolError(what + ": a path leads from a host to itself");
        }
        if (!entry[2].is_array()) throw ProtocolError(what + ": the affected paths must be a list");
        for (const json& hurt : entry[2]) {
            list_of(hurt, 2, what + ": an affected path");
            sharing.set_hurts(injected, cell_of(hurt[0], hurt[1], count, what));
        }
    }
}

core::SharingRelation grouped(const json& value, core::HostId hosts, const std::string& what) {
    const JsonFields fields(value, what, {"groups", "hurts", "fills"});
    std::vector<core::HostId> group_of;
    for (const json& group : fields.list("groups", hosts, hosts)) {
        group_of.push_back(static_cast<core::HostId>(whole_in(group, fields.entry("groups"), 0, hosts - 1)));
    }
    core::SharingRelation sharing(hosts, std::move(group_of));
    read_hurts(fields.any("hurts"), hosts, fields.name("hurts"), false, sharing);
    const json& fills = fields.list("fills", hosts, hosts);
    for (core::HostId source = 0; source < hosts; ++source) {
        const std::string row = fills[source].is_string() ? fills[source].get<std::string>() : "";
        if (row.size() != hosts || row.find_first_not_of("01234567") != std::string::npos) {
            throw ProtocolError(fields.name("fills") + ": each row must be a digit from 0 to 7 for each host");
        }
        for (core::HostId destination = 0; destination < hosts; ++destination) {
            const int digit = row[destination] - '0';
            for (const auto filled :
                 {core::Filled::between_groups, core::Filled::of_source, core::Filled::of_destination}) {
                if ((digit >> static_cast<int>(filled) & 1) != 0) sharing.set_fills({source, destination}, filled);
            }
        }
    }
    return sharing;
}

}  // namespace

core::SharingRelation parse_shares(const json& value, core::HostId hosts, const std::string& what) {
    try {
        if (value.is_object()) return grouped(value, hosts, what);
        core::SharingRelation sharing(hosts);
        read_hurts(value, hosts, what, true, sharing);
        return sharing;
    } catch (const std::invalid_argument& error) {
        throw ProtocolError(what + ": " + error.what());
    }
}

}  // namespace fairlead::agent
