// SPDX-License-Identifier: Apache-2.0
// An endpoint between a program that does what it may and a peer that sends frames of any content: it takes them or
// refuses them with ProtocolError, and its takeover never ends with something left.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "fairlead/core/bytes.hpp"
#include "fairlead/relay/endpoint.hpp"

namespace {

using namespace fairlead::relay;
using fairlead::core::ByteReader;

constexpr CommunicatorId kCommunicator = 0;
constexpr Rank kRanks = 2;
constexpr Process kPeer = 1;

Pattern pattern(ByteReader& in) {
    return {static_cast<Rank>(in.take<std::uint8_t>() % 3) - 1, static_cast<Tag>(in.take<std::uint8_t>() % 3) - 1};
}

Body body(ByteReader& in) {
    const MessageId message = in.take<std::uint8_t>();
    switch (in.take<std::uint8_t>() % 5) {
        case 0:
            return Pull{message};
        case 1:
            return Payload{message, in.take<std::uint8_t>(), in.take<std::uint8_t>()};
        case 2:
            return Matched{message};
        case 3:
            return Consent{static_cast<Consent::Step>(message % 3)};
        default: {
            const auto flags = in.take<std::uint8_t>();
            return Envelope{message,
                            static_cast<CommunicatorId>(flags >> 7),
                            static_cast<Rank>(flags & 3) - 1,
                            static_cast<Tag>((flags >> 2) & 1),
                            in.take<std::uint8_t>(),
                            in.take<std::uint8_t>(),
                            (flags & 8) != 0,
                            (flags & 16) != 0};
        }
    }
}

/// Receives that a library would hold.
struct Library {
    std::vector<ReceiveId> receives;
    void forget(ReceiveId receive) { std::erase(receives, receive); }
};

void program_step(ByteReader& in, Endpoint& end, Library& library) {
    switch (in.take<std::uint8_t>() % 6) {
        case 0: {
            const auto posted = end.post_receive(kCommunicator, pattern(in));
            if (posted.native) library.receives.push_back(posted.receive);
            return;
        }
        case 1:
            if (const auto found = end.extract(kCommunicator, pattern(in))) {
                if (std::holds_alternative<Relayed>(found->body)) end.receive_extracted(kCommunicator, *found);
            }
            return;
        case 2: {
            const auto choice = in.take<std::uint8_t>();
            end.prefer(kPeer, (choice & 1) != 0 ? Path::relay : Path::direct);
            if (end.choose_path(kCommunicator, kPeer) == Path::direct) return;
            end.send(kCommunicator, kPeer, 0, 1, choice, (choice & 2) != 0);
            return;
        }
        case 3:
            if (end.may_take_over(kCommunicator)) end.take_over(kCommunicator);
            return;
        case 4:
            end.withdraw_receive(kCommunicator, in.take<std::uint8_t>());
            return;
        default:
            return end.resend(kPeer);
    }
}

void native_step(ByteReader& in, Endpoint& end, Library& library) {
    const auto choice = in.take<std::uint8_t>();
    const auto receive = end.next_to_cancel(kCommunicator);
    if (receive && (choice & 1) != 0) {
        library.forget(*receive);
        end.cancelled(kCommunicator, *receive);
    } else if (receive) {
        end.cancel_failed(kCommunicator, *receive);
    } else if (!library.receives.empty()) {
        const ReceiveId done = library.receives[choice % library.receives.size()];
        library.forget(done);
        end.native_completed(kCommunicator, done, choice % kRanks);
    } else if (end.may_pull(kCommunicator)) {
        end.pulled(kCommunicator, choice, choice % kRanks, (choice >> 1) % 2);
    }
}

void check(Endpoint& end, bool cancels) {
    const MatchingQueue& queue = end.matching(kCommunicator);
    const bool empty = queue.posted() == 0 && queue.unexpected() == 0 && queue.held() == 0;
    if (end.may_return(kCommunicator) && !(queue.settled() && empty)) std::abort();
    if (!cancels && end.next_to_cancel(kCommunicator)) std::abort();
    if (end.may_return(kCommunicator)) end.return_to_native(kCommunicator);
    while (end.next_frame(kPeer, 0.0)) {
    }
    end.take_events();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ByteReader in({data, size});
    const bool cancels = in.take<std::uint8_t>() % 2 == 0;
    Endpoint end(0, 2, {.inline_limit_B = 100, .credit_B = 300, .piece_B = 50, .window = 4, .cancels = cancels});
    end.add_communicator(kCommunicator, kRanks);
    Library library;
    while (!in.too_short()) {
        try {
            switch (in.take<std::uint8_t>() % 3) {
                case 0: {
                    const Progress progress{in.take<std::uint8_t>(), in.take<std::uint8_t>(), in.take<std::uint8_t>()};
                    end.receive({kPeer, 0, in.take<std::uint8_t>(), progress, body(in)}, 0.0);
                    break;
                }
                case 1:
                    program_step(in, end, library);
                    break;
                default:
                    native_step(in, end, library);
            }
        } catch (const ProtocolError&) {
            return 0;  // the run ends there
        }
        check(end, cancels);
    }
    return 0;
}
