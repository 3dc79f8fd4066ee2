// SPDX-License-Identifier: Apache-2.0
// fairlead-guardian: the one privileged program. Without arguments it serves one agent over fd 0.
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "kernel/netlink.hpp"
#include "kernel/privileges.hpp"
#include "protocol/protocol.hpp"
#include "report.hpp"
#include "session.hpp"

namespace {

using namespace fairlead::guardian;

struct Options {
    bool clean = false, status = false, check = false, dry_run = false;
    std::string job;
    std::uint32_t user = getuid();
};

void add_options(CLI::App& app, Options& options) {
    auto* clean = app.add_flag("--clean", options.clean, "remove what dead guardians left in this network namespace");
    auto* status = app.add_flag("--status", options.status, "print what exists, as JSON");
    auto* check = app.add_flag("--check", options.check, "whether the route plane would work here, as JSON");
    clean->excludes(status)->excludes(check);
    status->excludes(check);
    app.add_option("--user", options.user, "serving: reroute the sockets of this user only (for a sudo rule)")
        ->excludes(clean)
        ->excludes(status)
        ->excludes(check);
    app.set_version_flag("--version", "fairlead-guardian " FAIRLEAD_VERSION);
    app.add_flag("--dry-run", options.dry_run, "with --clean: only print what would be removed")->needs(clean);
    app.add_option("--job", options.job, "with --clean: only this job")
        ->needs(clean)
        ->check([](const std::string& job) { return valid_job(job) ? "" : "must be 1 to 12 characters of 0-9 a-z"; });
}

bool is_seqpacket(int descriptor) {
    int type = 0;
    socklen_t size_B = sizeof(type);
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size_B) == 0 && type == SOCK_SEQPACKET;
}

int serve(const Options& options) {
    if (!is_seqpacket(STDIN_FILENO)) {
        std::cerr << "fairlead-guardian: stdin is not an agent's socket; fairlead-agent starts it "
                     "(for manual use: --status, --clean, --check)\n";
        return 2;
    }
    // Out of the agent's process group: what kills the agent and all its group must not kill us before we withdraw.
    setsid();
    if (chdir("/") != 0) throw KernelError(errno, "cannot change to /");
    // An ordinary user who executes us by our file capability cannot become another by an option.
    return Session(STDIN_FILENO, getuid() == 0 ? options.user : getuid()).run();
}

int run(const Options& options) {
    close_inherited_descriptors();
    keep_net_admin_only();
    if (!options.clean && !options.status && !options.check) return serve(options);
    Netlink netlink;
    if (options.check) return print_check(netlink, std::cout) ? 0 : 1;
    if (options.status)
        print_status(netlink, std::cout);
    else
        clean(netlink, options.job, options.dry_run, std::cout);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    clearenv();  // nothing in it is for a privileged program
    CLI::App app("fairlead's privileged part: overlay device, routes and filter of the route plane.");
    Options options;
    add_options(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        return run(options);
    } catch (const std::exception& failure) {
        std::cerr << "fairlead-guardian: " << failure.what() << '\n';
        return 1;
    }
}
