// SPDX-License-Identifier: Apache-2.0
#include "control/shares.hpp"

#include "control/json_fields.hpp"

namespace fairlead::agent {
namespace {

using nlohmann::json;

const json& list_of(const json& value, std::size_t length, const std::string& what) {
    if (!value.is_array() || value.size() != length) {
        throw ProtocolError(what + " must be a list of " + std::to_string(length));
    }
    return value;
}

core::Pair pair_of(const json& source, const json& destination, core::HostId hosts, const std::string& what) {
    const auto host = [&](const json& value) {
        return static_cast<core::HostId>(whole_in(value, what + ": a host's index", 0, hosts - 1));
    };
    const core::Pair pair{host(source), host(destination)};
    if (!core::valid(pair, hosts)) throw ProtocolError(what + ": a path leads from a host to itself");
    return pair;
}

}  // namespace

core::SharingRelation parse_shares(const json& value, core::HostId hosts, const std::string& what) {
    core::SharingRelation sharing(hosts);
    if (!value.is_array()) throw ProtocolError(what + " must be a list");
    for (const json& entry : value) {
        list_of(entry, 3, what + ": an entry");
        const core::Pair injected = pair_of(entry[0], entry[1], hosts, what);
        if (!entry[2].is_array()) throw ProtocolError(what + ": what is hurt must be a list");
        for (const json& hurt : entry[2]) {
            list_of(hurt, 2, what + ": a path that is hurt");
            sharing.set_hurts(injected, pair_of(hurt[0], hurt[1], hosts, what));
        }
    }
    return sharing;
}

}  // namespace fairlead::agent
