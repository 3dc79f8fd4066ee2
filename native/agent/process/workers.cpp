// SPDX-License-Identifier: Apache-2.0
#include "process/workers.hpp"

#include <sys/eventfd.h>

#include <system_error>
#include <utility>

#include "process/system_error.hpp"

namespace fairlead::agent {

Cancellation::Cancellation() : event_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {}

void Cancellation::raise() {
    raised_.store(true, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    checked(write(event_.get(), &one, sizeof one), "write to eventfd");
}

Workers::~Workers() {
    cancellation_.raise();
    for (std::thread& thread : threads_) thread.join();
}

void Workers::start(Body body, Refused refused) {
    const auto place = threads_.emplace(threads_.end());
    const auto run = [this, place, body = std::move(body)] {
        Completion completion = body(cancellation_);
        loop_.post([this, place, completion = std::move(completion)] {
            place->join();
            threads_.erase(place);
            completion();
        });
    };
    try {
        *place = std::thread(run);
    } catch (const std::system_error& error) {
        threads_.erase(place);
        // Not at once: the caller is still at what it asked for.
        loop_.post([refused = std::move(refused), reason = std::string("cannot start a thread: ") + error.what()] {
            refused(reason);
        });
    }
}

}  // namespace fairlead::agent
