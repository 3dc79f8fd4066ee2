// SPDX-License-Identifier: Apache-2.0
// The route plane of one job on one host: made once, changed by reroutes and restorations, removed exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "kernel/netlink.hpp"
#include "kernel/presence.hpp"
#include "plane/overlay.hpp"
#include "protocol/protocol.hpp"

namespace fairlead::guardian {

// What the kernel has could be neither made nor taken back: only taking all of it down helps.
struct Uncertain : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class KernelPlane {
  public:
    // Clears away what dead guardians left in this network namespace, then makes device, filter, rules and last hops.
    // Removes what it made before it throws, whatever it throws.
    // `user` is whom it serves.
    KernelPlane(Netlink& netlink, Setup setup, std::uint32_t user);

    const Setup& setup() const { return setup_; }
    // Whether a destination is rerouted.
    bool reroutes() const;
    // These return after the kernel has acknowledged. Where they throw, also because its answer was lost, the protocol
    // says of each request what is there then (Reply); Uncertain: it cannot be said.
    void reroute(const Reroute& reroute);
    void restore(const Restore& back);
    // What proves detours: see the requests Echoes (once) and Try.
    void lead_echoes(const Echoes& echoes);
    void attempt(const Try& trial);
    // All rerouted destinations take the direct path again.
    void withdraw();
    // Removes everything, also if another guardian keeps the lock. Goes on past what cannot be removed, and then throws
    // the first failure.
    void tear_down();

  private:
    void build(std::uint32_t user);
    void build_ways();
    std::uint32_t device_index(const Reroute& reroute) const;
    std::uint32_t mtu_B(const Reroute& reroute);
    struct Detour {
        Reroute reroute;
        std::uint32_t mtu_B = 0;
    };
    void lead(const Detour& detour);
    void stop_leading(std::uint32_t destination);
    void take_back(const Detour& detour);
    void end_trial(std::uint32_t destination) noexcept;

    Netlink& netlink_;
    Setup setup_;
    std::optional<Presence> presence_;
    Underlay underlay_;
    std::uint32_t slot_ = 0;
    std::uint32_t device_index_ = 0;
    std::vector<std::uint32_t> way_indices_;
    std::uint32_t user_;
    std::vector<std::optional<Detour>> detours_;  // per host
    std::vector<bool> tried_;                     // the same: a route of trials may be there
    bool echoes_led_ = false;
};

}  // namespace fairlead::guardian
