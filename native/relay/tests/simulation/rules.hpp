// SPDX-License-Identifier: Apache-2.0
// MPI's matching rules (MPI 4.1, section 3.5) as a judge: told of every send, receive and match in the order in which
// they happen, it says which match broke a rule. What it accepts is a legal execution: let every message arrive at the
// moment at which it is matched.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/relay/types.hpp"

namespace fairlead::relay::simulation {

/// A message: its place among those of its source to this receiver on this communicator.
struct Sent {
    std::uint64_t number = 0;
    Tag tag = 0;
};

/// One receiver and communicator.
class Rules {
  public:
    explicit Rules(Process sources) : unmatched_(sources) {}

    void sent(Process source, Sent message) { unmatched_.at(source).push_back(message); }
    void posted(ReceiveId receive, Pattern pattern) { receives_.emplace(receive, pattern); }
    void withdrawn(ReceiveId receive) { receives_.erase(receive); }

    /// Throws std::logic_error if the receive must have got another message, or the message another receive.
    void matched(ReceiveId receive, Process source, std::uint64_t number) {
        const auto own = receives_.find(receive);
        if (own == receives_.end()) fail("receive", receive, "is matched and was not there");
        const Pattern pattern = own->second;
        std::list<Sent>& messages = unmatched_.at(source);
        auto message = messages.begin();
        for (; message != messages.end() && message->number != number; ++message) {
            if (pattern.accepts(static_cast<Rank>(source), message->tag)) {
                fail("message", message->number, "was overtaken");
            }
        }
        if (message == messages.end()) fail("message", number, "is matched twice");
        if (!pattern.accepts(static_cast<Rank>(source), message->tag)) fail("receive", receive, "does not accept it");
        for (auto older = receives_.begin(); older != own; ++older) {
            if (older->second.accepts(static_cast<Rank>(source), message->tag)) {
                fail("receive", older->first, "was passed over");
            }
        }
        messages.erase(message);
        receives_.erase(own);
    }

    bool all_matched() const {
        for (const auto& messages : unmatched_) {
            if (!messages.empty()) return false;
        }
        return true;
    }

  private:
    [[noreturn]] static void fail(const char* what, std::uint64_t number, const char* how) {
        throw std::logic_error(std::string(what) + " " + std::to_string(number) + " " + how);
    }

    std::vector<std::list<Sent>> unmatched_;
    std::map<ReceiveId, Pattern> receives_;
};

}  // namespace fairlead::relay::simulation
