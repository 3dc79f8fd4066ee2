// SPDX-License-Identifier: Apache-2.0
// How a rank comes to the memory and the bell that it shares with its host's agent: it says hello on the Unix socket,
// the agent's answer carries both descriptors.
#pragma once

#include <sys/types.h>

#include "relay/channel/channel.hpp"

namespace fairlead::relay {

/// The agent's answer as it was received.
struct Handover {
    Welcome welcome{};
    int memory = -1;  ///< both are the receiver's to close; -1: none came
    int bell = -1;
};

/// The agent's side. False, with errno, if it could not be sent.
bool send_welcome(int socket, const Welcome& welcome, int memory, int bell);
/// The rank's side: recvmsg's result, with errno. The descriptors are there if both came.
ssize_t receive_welcome(int socket, Handover& received);

/// Whether the memory is as the welcome says, for so many processes. A touch beyond the end of a file that is smaller
/// is a signal that ends the program.
bool fits(const Handover& received, Process processes);

}  // namespace fairlead::relay
