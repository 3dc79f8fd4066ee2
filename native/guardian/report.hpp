// SPDX-License-Identifier: Apache-2.0
// The commands for people and for fairlead's Python side: what is there, clear away, would it work. JSON on stdout.
#pragma once

#include <iosfwd>
#include <string>

#include "kernel/netlink.hpp"

namespace fairlead::guardian {

// One JSON object: {"jobs": [{"job", "alive", "device", "filter", "rules", "rerouted": [{"destination", "relay"}]}]}.
void print_status(Netlink& netlink, std::ostream& out);

// Removes what dead guardians left (of one job, or of all if `job` is empty), one JSON line for each thing removed.
void clean(Netlink& netlink, const std::string& job, bool dry_run, std::ostream& out);

// One JSON object: {"ok", "checks": [{"name", "ok", "detail", "fix"}]}; "ok" of a check that is only a hint is null.
// Tries each thing and removes it again. Returns whether the route plane works here.
bool print_check(Netlink& netlink, std::ostream& out);

}  // namespace fairlead::guardian
