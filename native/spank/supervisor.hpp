// SPDX-License-Identifier: Apache-2.0
// `fairlead supervise` as a process beside an srun: started before the step's tasks, ended after them.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace fairlead::spank {

/// What came of the start. `managed`: the tasks may start, with `environment`. Else they start all the same, and `why`
/// is a line for the user; it is empty where the supervisor has said one.
struct Start {
    bool managed = false;
    std::string why;
    std::vector<std::pair<std::string, std::string>> environment;
};

class Supervisor {
  public:
    /// Start `command` and wait, at most `wait_s` seconds, until its agents are there. Throws nothing.
    Start start(const std::vector<std::string>& command, double wait_s);
    /// Tell it that the tasks have ended with this exit code, and wait a while until it has taken back what it did.
    void finish(int exit_code);

  private:
    void await_ready(double wait_s, Start& outcome);
    void give_up();
    int reap(double limit_s);

    pid_t pid_ = -1;
    int socket_ = -1;
};

}  // namespace fairlead::spank
