// SPDX-License-Identifier: Apache-2.0
// A process as it is noted for others, who may look at it when it has long ended and its number is another's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fairlead::guardian {

// As those see it who share its process id namespace.
struct ProcessId {
    std::int64_t pid = 0;
    std::uint64_t pid_namespace = 0;  // inode
    std::uint64_t start_ticks = 0;    // since boot; 0: not noted, as by earlier versions

    // Throws KernelError.
    static ProcessId self();
    // PID@NAMESPACE@START, as text() has it, or PID@NAMESPACE. Nothing for anything else.
    static std::optional<ProcessId> of(const std::string& text);
    std::string text() const;

    // Whether it is certain that there is no process of this number any more: false also where that cannot be known.
    bool gone() const;
    // By a signal (SIGSTOP); false also where that cannot be known, or it may be another process of this number.
    bool stopped() const;
    // Has one that is stopped go on, if we may: it is of our user, or we are root and so is it.
    void wake() const;

  private:
    bool ours() const;
};

}  // namespace fairlead::guardian
