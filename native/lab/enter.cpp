// SPDX-License-Identifier: Apache-2.0
// fairlead-enter: run a command in a host of a lab, as ssh would on a real one.
//
//   fairlead-enter [--end-with-stdin] LAB_DIRECTORY HOST COMMAND [ARGUMENT...]
//
// LAB_DIRECTORY/namespaces tells where the lab's namespaces are: the holder process has each of them open, so that
// they need no name and vanish with it. Lines: "holder PID START_TICKS", "pidns INODE", "userns 0|1" and
// "host NAME FD", where FD is the first of four consecutive descriptors: network, UTS, IPC and mount namespace.
//
// Signals, standard streams and the exit status pass through unchanged. If this process is killed, so is the command.
// With --end-with-stdin the command has no standard input; the end of ours terminates it: it cannot outlive a starter
// that died without a word.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace {

constexpr int kOwnFailure = 255;  // ssh's status when it could not run the command at all
constexpr int kCommandNotFound = 127;
constexpr int kGrace_ms = 5000;  // between SIGTERM and SIGKILL

struct Target {
    pid_t holder = 0;
    unsigned long long start_ticks = 0;  // guards against a process number that was given to somebody else
    ino_t pid_namespace = 0;
    bool user_namespace = false;
    int first_descriptor = -1;
};

[[noreturn]] void fail_with_errno(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

Target read_target(const std::string& directory, const std::string& host) {
    const std::string path = directory + "/namespaces";
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("no lab is running here (cannot read " + path + ")");
    }
    Target target;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        std::string key;
        std::string name;
        int descriptor = -1;
        fields >> key;
        if (key == "holder") {
            fields >> target.holder >> target.start_ticks;
        } else if (key == "pidns") {
            fields >> target.pid_namespace;
        } else if (key == "userns") {
            fields >> target.user_namespace;
        } else if (key == "host" && fields >> name >> descriptor && name == host) {
            target.first_descriptor = descriptor;
        }
        if (fields.fail()) {
            throw std::runtime_error(path + ": malformed line: " + line);
        }
    }
    if (target.first_descriptor < 0) {
        throw std::runtime_error("the lab has no host \"" + host + "\"; `fairlead lab show` lists them");
    }
    return target;
}

ino_t own_pid_namespace() {
    struct stat status {};
    if (stat("/proc/self/ns/pid", &status) != 0) {
        fail_with_errno("/proc/self/ns/pid");
    }
    return status.st_ino;
}

// Field 22 of /proc/PID/stat (proc(5)), or 0 if the process has ended. The command name, field 2, may hold spaces and
// brackets; field 3 is the state.
unsigned long long start_ticks(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    const auto bracket = text.rfind(')');
    if (bracket == std::string::npos) {
        return 0;
    }
    std::istringstream fields(text.substr(bracket + 1));
    std::string skipped;
    fields >> skipped;
    if (skipped == "Z" || skipped == "X") {
        return 0;
    }
    for (int field = 4; field < 22; ++field) {
        fields >> skipped;
    }
    unsigned long long ticks = 0;
    fields >> ticks;
    return ticks;
}

int open_namespace(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        fail_with_errno("cannot reach the lab's namespaces (" + path + "); was it started by another user?");
    }
    return descriptor;
}

void join(int descriptor, int type, const char* what) {
    if (setns(descriptor, type) != 0) {
        fail_with_errno(std::string("cannot enter the host's ") + what + " namespace");
    }
    close(descriptor);
}

// Everything is opened before anything is entered: afterwards /proc is another one.
void enter(const Target& target, bool inside) {
    const std::string holder = "/proc/" + std::to_string(inside ? 1 : target.holder);
    const auto host = [&](int offset) {
        return open_namespace(holder + "/fd/" + std::to_string(target.first_descriptor + offset));
    };
    const int user = target.user_namespace && !inside ? open_namespace(holder + "/ns/user") : -1;
    const int pid = inside ? -1 : open_namespace(holder + "/ns/pid");
    if (user >= 0) {
        // The namespace descriptors of the holder may only be opened with its privileges.
        join(user, CLONE_NEWUSER, "user");
    }
    const std::array<int, 4> descriptors{host(0), host(1), host(2), host(3)};
    if (pid >= 0) {
        join(pid, CLONE_NEWPID, "PID");
    }
    join(descriptors[0], CLONE_NEWNET, "network");
    join(descriptors[1], CLONE_NEWUTS, "UTS");
    join(descriptors[2], CLONE_NEWIPC, "IPC");
    join(descriptors[3], CLONE_NEWNS, "mount");
}

void change_directory(const char* path) {
    // A directory below the machine's /tmp is not there in a host unless the lab shares it. Like ssh, start elsewhere.
    if (chdir(path) != 0 && chdir("/") != 0) {
        fail_with_errno("chdir");
    }
}

[[noreturn]] void execute(char** command) {
    execvp(command[0], command);
    std::cerr << "fairlead-enter: " << command[0] << ": " << std::strerror(errno) << '\n';
    _exit(kCommandNotFound);
}

[[noreturn]] void end_as(int status) {
    if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        std::signal(number, SIG_DFL);
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, number);
        sigprocmask(SIG_UNBLOCK, &one, nullptr);
        prctl(PR_SET_DUMPABLE, 0);  // the command's core is enough
        raise(number);
        _exit(128 + number);
    }
    _exit(WEXITSTATUS(status));
}

void forward_signal(int signals, pid_t child) {
    signalfd_siginfo info{};
    if (read(signals, &info, sizeof info) != sizeof info) {
        return;
    }
    const int number = static_cast<int>(info.ssi_signo);
    if (number == SIGCHLD) {
        int status = 0;
        while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
            if (!WIFSTOPPED(status)) {
                end_as(status);
            }
            // At the terminal we stop and go on together. Who stops it alone (a migration pauses a virtual machine)
            // also continues it: nobody would continue us.
            if (WSTOPSIG(status) == SIGSTOP) {
                continue;
            }
            raise(SIGSTOP);
            kill(child, SIGCONT);
        }
    } else if (info.ssi_code <= 0) {
        // From another process. What the terminal sends, the child gets itself, being in our process group.
        kill(child, number);
    }
}

// Also if it can be read no more: EIO, say, of a terminal that is gone.
bool has_ended(int input) {
    std::array<char, 256> ignored{};
    const ssize_t count = read(input, ignored.data(), ignored.size());
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

// Until the child ends. If `input` >= 0, its end terminates the child.
[[noreturn]] void supervise(pid_t child, int signals, int input) {
    std::array<pollfd, 2> watched{{{signals, POLLIN, 0}, {input, POLLIN, 0}}};
    int patience_ms = -1;
    while (true) {
        const int ready = poll(watched.data(), watched.size(), patience_ms);
        if (ready == 0) {
            kill(child, SIGKILL);
            patience_ms = -1;
        } else if (ready < 0) {
            continue;
        }
        if (watched[0].revents != 0) {
            forward_signal(signals, child);
        }
        if (watched[1].revents != 0 && has_ended(input)) {
            watched[1].fd = -1;
            patience_ms = kGrace_ms;
            kill(child, SIGTERM);
        }
    }
}

// What the parent watches; everything but what a program gets for its own mistakes, or stops it at the terminal.
sigset_t watched_signals() {
    sigset_t set;
    sigfillset(&set);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTTIN, SIGTTOU, SIGTSTP, SIGCONT}) {
        sigdelset(&set, number);
    }
    return set;
}

void use_no_input() {
    const int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0) {
        fail_with_errno("/dev/null");
    }
}

// A process joins a PID namespace by being born into it, hence the fork.
[[noreturn]] void run_in_child(char** command, bool end_with_stdin) {
    const sigset_t watched = watched_signals();
    sigset_t before;
    sigprocmask(SIG_BLOCK, &watched, &before);
    const int signals = signalfd(-1, &watched, SFD_CLOEXEC);
    std::array<int, 2> alive{};
    if (signals < 0 || pipe2(alive.data(), O_CLOEXEC) != 0) {
        fail_with_errno("pipe");
    }
    const pid_t child = fork();
    if (child < 0) {
        fail_with_errno("fork (is the lab being taken down?)");
    }
    if (child == 0) {
        close(alive[1]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        char byte = 0;  // read returns 0 if the parent died before the line above
        if (read(alive[0], &byte, 1) != 1) {
            _exit(kOwnFailure);
        }
        if (end_with_stdin) {
            use_no_input();
        }
        sigprocmask(SIG_SETMASK, &before, nullptr);
        execute(command);
    }
    close(alive[0]);
    if (write(alive[1], "x", 1) != 1) {
        fail_with_errno("pipe");
    }
    supervise(child, signals, end_with_stdin ? STDIN_FILENO : -1);
}

void run(int argc, char** argv) {
    const bool end_with_stdin = argc > 1 && std::strcmp(argv[1], "--end-with-stdin") == 0;
    char** arguments = argv + (end_with_stdin ? 2 : 1);
    if (argv + argc - arguments < 3) {
        throw std::runtime_error("usage: fairlead-enter [--end-with-stdin] LAB_DIRECTORY HOST COMMAND [ARGUMENT...]");
    }
    std::array<char, PATH_MAX> directory{};
    if (getcwd(directory.data(), directory.size()) == nullptr) {
        directory = {'/'};
    }
    const Target target = read_target(arguments[0], arguments[1]);
    const bool inside = own_pid_namespace() == target.pid_namespace;
    if (!inside && start_ticks(target.holder) != target.start_ticks) {
        throw std::runtime_error(std::string("the lab of ") + arguments[0] +
                                 " has ended; start it again with `fairlead lab up`");
    }
    enter(target, inside);
    change_directory(directory.data());
    if (inside && !end_with_stdin) {
        execute(arguments + 2);
    }
    run_in_child(arguments + 2, end_with_stdin);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "fairlead-enter: " << error.what() << '\n';
    }
    return kOwnFailure;
}
