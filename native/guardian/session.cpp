// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <new>
#include <utility>

#include "kernel/privileges.hpp"

namespace fairlead::guardian {

namespace {

// A lease runs out when so many parts of it have passed without a word. They are counted, not timed: a guardian that
// did not run, as in a container that was frozen, heard nothing in at most one of them.
constexpr int kLeaseSteps = 5;

// What is sent to all processes of a job or a service comes to the agent, too, which then takes its reroutes back and
// closes the socket. Were the guardian gone before, the agent would say that it died.
constexpr std::chrono::milliseconds kLastRequests{300};

// SIGTERM becomes readable; what a terminal or a dying shell sends to everybody is the agent's business: it ends or it
// does not, and the socket tells.
int open_signals() {
    sigset_t terminating;
    sigemptyset(&terminating);
    sigaddset(&terminating, SIGTERM);
    sigprocmask(SIG_BLOCK, &terminating, nullptr);
    for (const int ignored : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP}) signal(ignored, SIG_IGN);
    const int opened = signalfd(-1, &terminating, SFD_CLOEXEC);
    if (opened < 0) throw KernelError(errno, std::string("signalfd: ") + std::strerror(errno));
    return opened;
}

// Goes on after a failure, and says it.
template <typename Step>
void attempt(Step step) {
    try {
        step();
    } catch (const std::exception& failure) {
        std::cerr << "fairlead-guardian: " << failure.what() << '\n';
    }
}

struct Refused : std::runtime_error {
    Refused(int errno_value, const std::string& why) : std::runtime_error(why), error(errno_value) {}
    int error;
};

}  // namespace

Session::Session(int socket, std::uint32_t user) : socket_(socket), signals_(open_signals()), user_(user) {}

Session::Wake Session::wait(int timeout_ms, Hears hears) const {
    // A negative descriptor is passed over by poll.
    std::array<pollfd, 2> waiting{
        {{hears == Hears::kPackets ? -1 : signals_, POLLIN, 0}, {hears == Hears::kSignals ? -1 : socket_, POLLIN, 0}}};
    int ready;
    do {
        ready = poll(waiting.data(), waiting.size(), timeout_ms);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0) throw KernelError(errno, std::string("poll: ") + std::strerror(errno));
    if (waiting[0].revents != 0) return Wake::kSignal;
    return ready == 0 ? Wake::kTimeout : Wake::kPacket;
}

int Session::run() {
    bool terminated = false;
    // What is wrong here ends the session as the agent's death does: what was made is removed all the same.
    attempt([&] { terminated = serve(); });
    if (!plane_) return 0;
    attempt([&] { plane_->withdraw(); });  // what it cannot goes with the job, below
    attempt([&] {
        if (!terminated && wait(static_cast<int>(plane_->setup().grace_ms), Hears::kSignals) == Wake::kSignal)
            std::cerr << "fairlead-guardian: terminated within the grace time\n";
    });
    try {
        plane_->tear_down();
    } catch (...) {
        static_cast<void>(keeper_.release());  // not ended here: it acts once this process is gone
        throw;
    }
    return 0;
}

// True at SIGTERM, false at the end of the socket or of the agent's lease.
bool Session::serve() {
    for (;;) {
        switch (wait(lease_step_ms(), Hears::kAll)) {
            case Wake::kSignal:
                serve_last();
                return true;
            case Wake::kTimeout:
                if (++silent_steps_ == kLeaseSteps) return false;
                break;
            case Wake::kPacket:
                silent_steps_ = 0;
                if (!serve_one()) return false;
        }
    }
}

// What the agent still asks for after SIGTERM, until it closes the socket.
void Session::serve_last() {
    const auto end = std::chrono::steady_clock::now() + kLastRequests;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0 || wait(static_cast<int>(left.count()), Hears::kPackets) != Wake::kPacket) return;
        if (!serve_one()) return;
    }
}

// How long to wait for a word of the agent; -1: for as long as it likes.
int Session::lease_step_ms() const {
    if (lease_ms_ == 0 || !plane_ || !plane_->reroutes()) return -1;
    return static_cast<int>((lease_ms_ + kLeaseSteps - 1) / kLeaseSteps);
}

// False at the end of the socket.
bool Session::serve_one() {
    Packet packet(kMaxPacket_B + 1);  // one more, so that an oversized packet is not taken for a valid one
    const ssize_t size_B = recv(socket_, packet.data(), packet.size(), 0);
    // Whatever is wrong with the socket, the agent can no longer be served: the same as its death.
    if (size_B < 0) return errno == EINTR || errno == EAGAIN;
    // An empty packet looks like the end and cannot be told from it; no agent sends one.
    if (size_B == 0) return false;
    const Packet reply = encode(answer({packet.data(), static_cast<std::size_t>(size_B)}));
    return send(socket_, reply.data(), reply.size(), MSG_NOSIGNAL) >= 0;
}

Reply Session::answer(std::span<const std::byte> packet) {
    std::uint32_t id = 0;
    try {
        const auto decoded = decode_request(packet);
        if (const auto* refusal = std::get_if<Refusal>(&decoded)) return {refusal->id, refusal->error, refusal->reason};
        const Request& request = std::get<Request>(decoded);
        id = request.id;
        std::visit([this](const auto& body) { perform(body); }, request.body);
    } catch (const Uncertain&) {
        throw;
    } catch (const Refused& refused) {
        return {id, refused.error, refused.what()};
    } catch (const KernelError& failure) {
        return {id, failure.error, failure.what()};
    } catch (const std::bad_alloc&) {
        return {id, ENOMEM, "the guardian is out of memory"};
    } catch (const std::exception& failure) {
        return {id, EIO, failure.what()};
    }
    return {id, 0, {}};
}

KernelPlane& Session::plane() {
    if (!plane_) throw Refused(ENOTCONN, "not set up");
    return *plane_;
}

void Session::perform(const Setup& setup) {
    if (!has_net_admin())
        throw Refused(EPERM, "the guardian does not hold the capability CAP_NET_ADMIN (docs/guides/run.md)");
    if (plane_) throw Refused(EALREADY, "already set up for job " + plane_->setup().job);
    if (user_ != 0 && (setup.uid_first != user_ || setup.uid_last != user_))
        throw Refused(EPERM,
                      "uid_first, uid_last: user " + std::to_string(user_) + " may reroute only their own sockets");
    auto keeper = std::make_unique<Keeper>(setup.job);
    plane_ = std::make_unique<KernelPlane>(netlink_, setup, user_);
    keeper_ = std::move(keeper);
}

void Session::perform(const Reroute& reroute) {
    if (const auto wrong = check(reroute, plane().setup())) throw Refused(EINVAL, *wrong);
    plane().reroute(reroute);
}

void Session::perform(const Restore& back) {
    if (const auto wrong = check(back, plane().setup())) throw Refused(EINVAL, *wrong);
    plane().restore(back);
}

void Session::perform(const Echoes& echoes) {
    if (const auto wrong = check(echoes, plane().setup())) throw Refused(EINVAL, *wrong);
    plane().lead_echoes(echoes);
}

void Session::perform(const Try& trial) {
    if (const auto wrong = check(trial, plane().setup())) throw Refused(EINVAL, *wrong);
    plane().attempt(trial);
}

void Session::perform(const Teardown&) {
    plane().tear_down();
    plane_.reset();
    keeper_.reset();
}

}  // namespace fairlead::guardian
