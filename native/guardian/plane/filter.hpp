// SPDX-License-Identifier: Apache-2.0
// The packet filter of a job: an nftables table of its own.
//
// VXLAN accepts packets from anyone who knows port and network identifier. The table drops outer packets from others
// than the job's hosts (counter `outsiders`) and those that an ordinary user of a job's host sends (`forgers`), and on
// the overlay everything but what the job's hosts send each other (`strangers`).
#pragma once

#include <string>
#include <vector>

#include "protocol/protocol.hpp"

namespace fairlead::guardian {

// Admitted packets carry the slot's mark from their arrival on the overlay until they are delivered or forwarded: by it
// the kernel's reverse-path lookup finds the overlay (routing.hpp).

// What comes in on the overlay and by ways. The devices must exist. Throws KernelError.
void add_inner_filter(const Setup& setup, std::uint32_t slot);
// What comes in for the overlay: once the device has the UDP port, so that it is nobody else's. Throws KernelError.
void add_outer_filter(const Setup& setup);
// Not an error if there is none. Throws KernelError.
void remove_filter(const std::string& name);
// The names of the filters of all jobs, dead or alive. Throws KernelError.
std::vector<std::string> list_filters();

// A chain of somebody's own that drops or rejects what no rule accepts: by its policy, as Docker has it, or by its last
// rule, as firewalld does.
struct RefusingChain {
    std::string family, table, chain, hook;
};
// Those on the hooks `input` and `forward`, which the overlay's packets pass. Throws KernelError.
std::vector<RefusingChain> list_refusing_chains();

// Adds and removes an empty table: whether filters can be made here. Throws KernelError.
void try_filter(const std::string& name);

}  // namespace fairlead::guardian
