// SPDX-License-Identifier: Apache-2.0
// What is remembered of handles, by key: open addressing, no memory allocated while it does not grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fairlead {

template <class Value>
class HandleTable {
  public:
    bool empty() const { return used_ == 0; }
    std::size_t size() const { return used_; }

    Value* find(std::uintptr_t key) {
        for (std::size_t at = home(key); slots_[at].taken; at = after(at)) {
            if (slots_[at].key == key) {
                return &slots_[at].value;
            }
        }
        return nullptr;
    }

    // What was there under the key is replaced: the library gave the handle to another object.
    void insert(std::uintptr_t key, Value value) {
        if (Value* known = find(key)) {
            *known = std::move(value);
            return;
        }
        if (2 * (used_ + 1) > slots_.size()) {
            grow();
        }
        place(key, std::move(value));
        ++used_;
    }

    bool erase(std::uintptr_t key) {
        for (std::size_t at = home(key); slots_[at].taken; at = after(at)) {
            if (slots_[at].key == key) {
                close_gap(at);
                --used_;
                return true;
            }
        }
        return false;
    }

  private:
    struct Slot {
        std::uintptr_t key = 0;
        bool taken = false;
        Value value{};
    };
    static constexpr std::size_t kFirstSlots = 32;  // a power of two, as every size

    std::size_t home(std::uintptr_t key) const {
        constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;  // Fibonacci hashing: 2^64 over the golden ratio
        return static_cast<std::size_t>(key * kGolden >> 32) & (slots_.size() - 1);
    }
    std::size_t after(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

    void place(std::uintptr_t key, Value value) {
        std::size_t at = home(key);
        while (slots_[at].taken) {
            at = after(at);
        }
        slots_[at] = Slot{key, true, std::move(value)};
    }

    void grow() {
        std::vector<Slot> before(2 * slots_.size());
        before.swap(slots_);
        for (Slot& slot : before) {
            if (slot.taken) {
                place(slot.key, std::move(slot.value));
            }
        }
    }

    // Entries behind a gap move up, so that a search never has to pass an empty slot.
    void close_gap(std::size_t gap) {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t at = after(gap); slots_[at].taken; at = after(at)) {
            if (((at - home(slots_[at].key)) & mask) >= ((at - gap) & mask)) {
                slots_[gap] = std::move(slots_[at]);
                gap = at;
            }
        }
        slots_[gap] = Slot{};
    }

    std::vector<Slot> slots_{kFirstSlots};
    std::size_t used_ = 0;
};

}  // namespace fairlead
