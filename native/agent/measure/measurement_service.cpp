// SPDX-License-Identifier: Apache-2.0
#include "measure/measurement_service.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>

#include "process/system_error.hpp"

namespace fairlead::agent {
namespace {

/// Time for connections to be made and results to come back, on top of what is asked of the measurement itself.
constexpr double kMargin_s = 2.0;

UniqueFd listen_socket(const Host& own) {
    UniqueFd fd(checked(socket(own.address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "TCP socket"));
    const int on = 1;  // connections of an earlier agent that are still in TIME_WAIT do not matter
    checked(setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "SO_REUSEADDR");
    const SocketAddress address = own.socket_address();
    if (bind(fd.get(), address.get(), address.size_B()) < 0 || listen(fd.get(), SOMAXCONN) < 0) {
        throw_errno("TCP port " + std::to_string(own.port) + " of " + own.label());
    }
    return fd;
}

std::optional<Hop> hop_of(SessionKind kind) {
    if (kind == SessionKind::relay_first) return Hop::first;
    if (kind == SessionKind::relay_last) return Hop::last;
    return std::nullopt;
}

Link link_of(Session&& session) {
    auto [socket, key] = std::move(session).release();
    return {std::move(socket), std::move(key)};
}

std::uint32_t milliseconds(double time_s) {
    return static_cast<std::uint32_t>(time_s * 1e3);
}

}  // namespace

MeasurementService::MeasurementService(EventLoop& loop, const Config& config, const Clock& clock,
                                       Rejections& rejections)
    : loop_(loop),
      config_(config),
      clock_(clock),
      rejections_(rejections),
      key_(derive(config.secret, KeyUse::connections)),
      listener_(listen_socket(config.own())),
      handshakes_(loop, key_, config.self, rejections,
                  [this](core::HostId client, UniqueFd socket, ProvenRequest request) {
                      serve(client, std::move(socket), std::move(request));
                  }),
      workers_(loop) {
    loop_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_some(); });
}

MeasurementService::~MeasurementService() {
    loop_.forget(listener_.get());
}

void MeasurementService::accept_some() {
    for (int i = 0; i < 16; ++i) {
        SocketAddress from;
        socklen_t length = SocketAddress::kRoom_B;
        UniqueFd socket(accept4(listener_.get(), from.get(), &length, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                // The connection stays in the queue: without a pause the loop would spin on it.
                loop_.change(listener_.get(), 0);
                loop_.after(kAcceptPause_s, [this] { loop_.change(listener_.get(), EPOLLIN); });
            }
            return;
        }
        const auto client = config_.host_at(from.address());
        if (!client || *client == config_.self) {
            rejections_.count(Refusal::bad_stranger);
        } else {
            handshakes_.begin(*client, std::move(socket));
        }
    }
}

void MeasurementService::serve(core::HostId client, UniqueFd socket, ProvenRequest request) {
    if (served_ == kMaxServed) return rejections_.count(Refusal::too_many);
    ++served_;
    // std::function wants copies, so the descriptor travels in a shared box.
    auto box = std::make_shared<UniqueFd>(std::move(socket));
    const auto body = [this, client, box, request = std::move(request)](const Cancellation& cancellation) {
        Workers::Completion done = [] {};
        try {
            done = serve(client, Stream(std::move(*box), cancellation, monotonic_s() + kHandshake_s), request);
        } catch (const std::exception&) {
            // The client's end fails as well, and it is the client that was asked: it tells its supervisor.
        }
        return [this, done] {
            --served_;
            done();
        };
    };
    workers_.start(body, [this](const std::string&) {
        --served_;
        rejections_.count(Refusal::too_many);
    });
}

/// In a thread of its own.
Workers::Completion MeasurementService::serve(core::HostId client, Stream stream, const ProvenRequest& proven) {
    Session session = Session::answer(std::move(stream), key_, proven);
    const SessionRequest& request = proven.request;
    if (const auto hop = hop_of(request.kind)) {
        auto link = std::make_shared<Link>(link_of(std::move(session)));
        return [this, client, hop, link] { take_stream(client, *hop, std::move(*link)); };
    }
    session.stream().set_deadline(monotonic_s() + request.timeout_ms * 1e-3);
    if (request.kind == SessionKind::pingpong) {
        pong(session, request, clock_);
    } else {
        receive_bulk(session);
    }
    return [] {};
}

void MeasurementService::take_stream(core::HostId from, Hop hop, Link link) {
    if (on_stream_) on_stream_(from, hop, std::move(link));
}

void MeasurementService::open_stream(core::HostId peer, Hop hop, LinkDone done) {
    const auto body = [this, peer, hop, done](const Cancellation& cancellation) -> Workers::Completion {
        const SessionRequest request{.kind = hop == Hop::first ? SessionKind::relay_first : SessionKind::relay_last,
                                     .timeout_ms = milliseconds(kHandshake_s),
                                     .exchanges = 0,
                                     .warmup = 0,
                                     .sizes_B = {}};
        try {
            Session session = connect(peer, request, monotonic_s() + kHandshake_s, cancellation);
            auto link = std::make_shared<Link>(link_of(std::move(session)));
            return [done, link] { done(std::move(*link)); };
        } catch (const std::exception& error) {
            return [done, reason = config_.hosts[peer].label() + ": " + error.what()] { done(reason); };
        }
    };
    workers_.start(body, [done](const std::string& reason) { done(reason); });
}

Session MeasurementService::connect(core::HostId peer, const SessionRequest& request, double deadline_s,
                                    const Cancellation& cancellation) const {
    const double handshake_until_s = std::min(deadline_s, monotonic_s() + kHandshake_s);
    for (int attempt = 1;; ++attempt) {
        Stream stream = Stream::connect(config_.own().address, config_.hosts[peer].socket_address(), kHandshake_s,
                                        cancellation, handshake_until_s);
        try {
            Session session = Session::open(std::move(stream), key_, {config_.self, peer}, request);
            session.stream().set_deadline(deadline_s);
            return session;
        } catch (const StreamClosed&) {
            if (attempt == kHandshakes) {
                throw HandshakeError(
                    "it refused the connection: it does not share this job's secret, or has too many connections");
            }
            std::this_thread::sleep_for(std::chrono::duration<double>(attempt * kHandshakePause_s));
        }
    }
}

void MeasurementService::pingpong(const PingpongCommand& command, PingPongDone done) {
    const auto body = [this, command, done](const Cancellation& cancellation) -> Workers::Completion {
        const SessionRequest request{.kind = SessionKind::pingpong,
                                     .timeout_ms = milliseconds(command.timeout_s),
                                     .exchanges = command.warmup + command.exchanges,
                                     .warmup = command.warmup,
                                     .sizes_B = command.sizes_B};
        try {
            Session session = connect(command.peer, request, monotonic_s() + command.timeout_s, cancellation);
            return [done, samples = ping(session, request, clock_)] { done(samples); };
        } catch (const std::exception& error) {
            return [done, reason = config_.hosts[command.peer].label() + ": " + error.what()] {
                done(MeasurementFailure{reason});
            };
        }
    };
    workers_.start(body, [done](const std::string& reason) { done(MeasurementFailure{reason}); });
}

void MeasurementService::bulk(const BulkCommand& command, BulkDone done) {
    const auto body = [this, command, done](const Cancellation& cancellation) -> Workers::Completion {
        const double time_s = command.duration_s + command.timeout_s;
        const SessionRequest request{.kind = SessionKind::bulk,
                                     .timeout_ms = milliseconds(time_s + kMargin_s),
                                     .exchanges = 0,
                                     .warmup = 0,
                                     .sizes_B = {}};
        try {
            const double deadline_s = monotonic_s() + time_s;
            std::vector<Session> sessions;
            for (std::uint32_t i = 0; i < command.streams; ++i) {
                sessions.push_back(connect(command.peer, request, deadline_s, cancellation));
            }
            const auto arrivals = send_bulk(sessions, command.duration_s, cancellation);
            return [done, result = combine(arrivals)] { done(result); };
        } catch (const std::exception& error) {
            return [done, reason = config_.hosts[command.peer].label() + ": " + error.what()] {
                done(MeasurementFailure{reason});
            };
        }
    };
    workers_.start(body, [done](const std::string& reason) { done(MeasurementFailure{reason}); });
}

}  // namespace fairlead::agent
