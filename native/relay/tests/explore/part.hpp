// SPDX-License-Identifier: Apache-2.0
// A part of a state, shared by all states that have it alike: most steps change one part of several, and neither copy
// the others nor hash them again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "digest.hpp"

namespace fairlead::relay::explore {

template <typename T>
class Part {
  public:
    explicit Part(T value) : held_(std::make_shared<Held>(Held{std::move(value), {}})) {}

    const T& read() const { return held_->value; }
    const T* operator->() const { return &held_->value; }

    /// This state's own, to be changed. Valid until the state is copied.
    T& edit() {
        if (held_.use_count() > 1) held_ = std::make_shared<Held>(Held{held_->value, {}});
        held_->hash.reset();
        return held_->value;
    }

    /// In place of the fields of what it holds: their hash.
    std::pair<std::uint64_t, std::uint64_t> fields() const {
        if (!held_->hash) {
            Digest digest;
            digest.add(held_->value);
            held_->hash = digest.hash();
        }
        return *held_->hash;
    }

  private:
    struct Held {
        T value;
        std::optional<std::pair<std::uint64_t, std::uint64_t>> hash;
    };

    std::shared_ptr<Held> held_;
};

}  // namespace fairlead::relay::explore
