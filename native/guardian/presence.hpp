// SPDX-License-Identifier: Apache-2.0
// Abstract socket names as signs of life: they vanish with their process, however it ends, and are seen by those of the
// same network namespace only, as the devices and rules that they vouch for.
#pragma once

#include <optional>
#include <string>

namespace fairlead::guardian {

// A name that is held for as long as the object lives.
class Presence {
  public:
    // Nothing if somebody else holds the name. Throws KernelError for anything else.
    static std::optional<Presence> claim(const std::string& name);
    Presence(Presence&& other) noexcept;
    Presence& operator=(Presence&& other) noexcept;
    ~Presence();

  private:
    explicit Presence(int socket) : socket_(socket) {}
    int socket_;
};

// "fairlead-guardian-" + job
std::string presence_name(const std::string& job);
// Whether a guardian of this job lives in this network namespace.
bool alive(const std::string& job);

// One at a time may change what jobs share (slots, reverse-path filters). Waits; throws KernelError ETIMEDOUT after 5
// s.
Presence lock_namespace();

}  // namespace fairlead::guardian
