// SPDX-License-Identifier: Apache-2.0
// What is remembered of handles, by key: open addressing, no memory allocated while it does not grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
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

    // What was there under the key is replaced, and is then in `value`: the library gave the handle to another object.
    // Whether there was anything.
    bool insert(std::uintptr_t key, Value&& value) {
        if (2 * (used_ + 1) > slots_.size()) [[unlikely]] {
            grow();
        }
        std::size_t at = home(key);
        while (slots_[at].taken && slots_[at].key != key) {
            at = after(at);
        }
        if (slots_[at].taken) [[unlikely]] {
            std::swap(slots_[at].value, value);
            return true;
        }
        ++used_;
        slots_[at].value = std::move(value);
        slots_[at].key = key;
        slots_[at].taken = true;
        return false;
    }

    // Moves the value into `taken` and forgets its key; `value` is what `find` gave just now.
    void take(Value* value, Value& taken) {
        taken = std::move(*value);
        // It is a slot's first member.
        close_gap(static_cast<std::size_t>(reinterpret_cast<Slot*>(value) - slots_.data()));
        --used_;
    }

    bool erase(std::uintptr_t key) {
        Value* const value = find(key);
        if (value != nullptr) {
            Value dropped;
            take(value, dropped);
        }
        return value != nullptr;
    }

  private:
    struct Slot {
        Value value{};
        std::uintptr_t key = 0;
        bool taken = false;
    };
    static_assert(std::is_standard_layout_v<Slot>);
    static constexpr std::size_t kFirstSlots = 32;  // a power of two, as every size

    std::size_t home(std::uintptr_t key) const {
        constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;  // Fibonacci hashing: 2^64 over the golden ratio
        return static_cast<std::size_t>(key * kGolden >> 32) & (slots_.size() - 1);
    }
    std::size_t after(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

    void grow() {
        std::vector<Slot> before(2 * slots_.size());
        before.swap(slots_);
        for (Slot& slot : before) {
            if (slot.taken) {
                std::size_t at = home(slot.key);
                while (slots_[at].taken) {
                    at = after(at);
                }
                slots_[at] = std::move(slot);
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
        slots_[gap].taken = false;
    }

    std::vector<Slot> slots_{kFirstSlots};
    std::size_t used_ = 0;
};

}  // namespace fairlead
