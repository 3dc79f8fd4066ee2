// SPDX-License-Identifier: Apache-2.0
// spank_fairlead.so: `srun --fairlead ./program` has the program's traffic managed (docs/guides/slurm.md).
//
// All of it happens in srun, sbatch and salloc; on the nodes the plugin does nothing. Nothing here ends a job or a
// step: what fails is one line on stderr.
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>

extern "C" {
#include <slurm/slurm.h>
#include <slurm/spank.h>

// They are constants, which C++ would keep to this file.
extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int plugin_version;
extern const unsigned int spank_plugin_version;

SPANK_PLUGIN(fairlead, 1)
}

#include "options.hpp"
#include "supervisor.hpp"

namespace {

using fairlead::spank::Options;
using fairlead::spank::Start;
using fairlead::spank::Supervisor;

// By this an srun within the job takes the option that sbatch or salloc was given: spank(8), "SPANK OPTIONS".
constexpr const char* kInherited = "SLURM_SPANK__SLURM_SPANK_OPTION_fairlead_fairlead";
constexpr const char* kUnmanaged = "; the program runs unmanaged";

std::string program = "fairlead";   // plugstack.conf: fairlead=PATH
std::optional<std::string> wanted;  // the option's text, once it was given
Supervisor supervisor;
pid_t supervised_by = -1;  // this process, while a supervisor is there

void say(const std::string& text) {
    slurm_spank_log("fairlead: %s", text.c_str());
}

int take_option(int, const char* text, int remote) {
    if (remote != 0) return 0;
    std::string error;
    wanted = text == nullptr ? "" : text;
    fairlead::spank::parse_options(*wanted, error);
    if (error.empty()) return 0;
    slurm_error("fairlead: %s", error.c_str());
    return -1;
}

void take_plugstack(int argc, char** argv) {
    for (int index = 0; index < argc; ++index) {
        if (std::strncmp(argv[index], "fairlead=", 9) == 0) {
            program = argv[index] + 9;
        } else {
            slurm_error("fairlead: plugstack.conf: '%s' is not known; it may be fairlead=PATH", argv[index]);
        }
    }
}

/// Whether there is a step whose traffic can be managed; says a line where the user might expect that there is.
bool worth_managing(spank_t spank) {
    std::uint32_t step = 0, nodes = 0;
    if (spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step >= SLURM_MAX_NORMAL_STEP_ID) return false;
    if (spank_get_item(spank, S_JOB_NNODES, &nodes) != ESPANK_SUCCESS) nodes = 0;
    if (nodes < 2 && std::getenv("SLURM_HET_SIZE") == nullptr) {
        say("the step has one node: there is no traffic between nodes to manage");
        return false;
    }
    return true;
}

std::vector<std::string> command_line(spank_t spank, const Options& options) {
    std::vector<std::string> words{program, "supervise", "slurm"};
    words.insert(words.end(), options.arguments.begin(), options.arguments.end());
    words.emplace_back("--");
    int argc = 0;
    char** argv = nullptr;
    if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS && argc > 0) {
        words.insert(words.end(), argv, argv + argc);
    } else {
        words.emplace_back("program");
    }
    return words;
}

void at_exit(int status, void*) {
    if (getpid() == supervised_by) supervisor.finish(status & 0xff);  // not in a copy of srun that fork made
}

void manage(spank_t spank) {
    std::string error;
    const Options options = fairlead::spank::parse_options(*wanted, error);
    if (options.off || !worth_managing(spank)) return;
    const Start start = supervisor.start(command_line(spank, options), options.wait_s);
    if (!start.managed) {
        if (!start.why.empty()) say(start.why + kUnmanaged);
        return;
    }
    for (const auto& [name, value] : start.environment) setenv(name.c_str(), value.c_str(), 1);
    supervised_by = getpid();
    // srun unloads the plugin in a handler that it set before, and which is therefore called after this one.
    on_exit(at_exit, nullptr);
}

}  // namespace

extern "C" {

int slurm_spank_init(spank_t spank, int argc, char** argv) {
    static char name[] = "fairlead", argument[] = "options",
                usage[] =
                    "Have fairlead manage the program's traffic between nodes, for example "
                    "--fairlead=plane=relay,report (docs/guides/slurm.md).";
    static spank_option option{name, argument, usage, 2, 0, take_option};
    const spank_context_t context = spank_context();
    if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR && context != S_CTX_REMOTE) return 0;
    take_plugstack(argc, argv);
    if (spank_option_register(spank, &option) != ESPANK_SUCCESS) slurm_error("fairlead: the option is not registered");
    return 0;
}

int slurm_spank_init_post_opt(spank_t, int, char**) {
    if (spank_context() == S_CTX_ALLOCATOR && wanted) setenv(kInherited, wanted->c_str(), 1);
    return 0;
}

int slurm_spank_local_user_init(spank_t spank, int, char**) {
    if (!wanted) return 0;
    try {
        manage(spank);
    } catch (const std::exception& failure) {
        say(failure.what() + std::string(kUnmanaged));
    }
    return 0;
}
}
