// SPDX-License-Identifier: Apache-2.0
// Signs of life, and the lock among guardians. Both vanish with their process, however it ends, and hold for one
// network namespace only, as the devices and rules that they are about.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kernel/process_id.hpp"

namespace fairlead::guardian {

// An abstract socket name that is held for as long as the object lives. Anyone can hold one.
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

// A guardian's sign of life: a name of its job's with a part that nobody can know before, so that nobody can take it
// before. Throws KernelError.
Presence claim_presence(const std::string& job);
// Whether a guardian of this job lives in this network namespace: a name of its job's is held, and the process that
// made its device, if that is known, may still be there. Throws KernelError where the kernel does not tell.
// /proc/net is that of our network namespace.
bool alive(const std::string& job, const std::optional<ProcessId>& maker, const char* names = "/proc/net/unix");

// One at a time may change what jobs share (slots, reverse-path filters).
class NamespaceLock {
  public:
    // Nothing if it is held for longer than that. Throws KernelError for anything else.
    static std::optional<NamespaceLock> wait(std::chrono::milliseconds patience);
    NamespaceLock(NamespaceLock&& other) noexcept;
    NamespaceLock& operator=(NamespaceLock&& other) noexcept;
    ~NamespaceLock();

  private:
    explicit NamespaceLock(int file) : file_(file) {}
    int file_;
    std::optional<Presence> name_;
};

// Throws KernelError ETIMEDOUT after 3 s.
NamespaceLock lock_namespace();

}  // namespace fairlead::guardian
