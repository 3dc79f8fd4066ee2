// SPDX-License-Identifier: Apache-2.0
// The network of a scenario.
#pragma once

#include <nlohmann/json.hpp>

#include "fairlead/sim/topology.hpp"

namespace fairlead::sim {

/// Throws agent::ProtocolError or std::invalid_argument; the message names the field, node or link.
Topology topology_of(const nlohmann::json& value);

/// The number of a node; throws agent::ProtocolError, naming `what`, where there is none of this name.
NodeId node_of(const Topology& topology, const nlohmann::json& name, const char* what);
/// The same of a host, or of a host or neighbour.
EndId host_of(const Topology& topology, const nlohmann::json& name, const char* what);
EndId end_of(const Topology& topology, const nlohmann::json& name, const char* what);

}  // namespace fairlead::sim
