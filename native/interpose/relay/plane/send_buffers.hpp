// SPDX-License-Identifier: Apache-2.0
// The buffers that a program attaches for its buffered sends (MPI 4.1, section 3.6). The plane's copies of such
// messages are in memory of its own; here is how much of the program's they would take, so that what does not fit is
// refused.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace fairlead::relay {

class SendBuffer {
  public:
    static constexpr std::uint64_t kUnlimited_B = std::numeric_limits<std::uint64_t>::max();  ///< MPI_BUFFER_AUTOMATIC

    explicit SendBuffer(std::uint64_t size_B) : size_B_(size_B) {}

    bool fits(std::uint64_t size_B) const { return size_B <= size_B_ - taken_B_; }
    /// Whether nothing in it has to be waited for before the program gets it back.
    bool empty() const { return awaited_ == 0; }

  private:
    friend class Room;
    std::uint64_t size_B_;
    std::uint64_t taken_B_ = 0;
    int awaited_ = 0;
};

/// A message's room in a buffer, for as long as this lives; it may outlive the buffer's being attached.
class Room {
  public:
    Room() = default;  ///< of a message that needs none
    Room(std::shared_ptr<SendBuffer> buffer, std::uint64_t size_B) : buffer_(std::move(buffer)), size_B_(size_B) {
        buffer_->taken_B_ += size_B_;
    }
    ~Room() {
        if (buffer_ != nullptr) {
            buffer_->taken_B_ -= size_B_;
            buffer_->awaited_ -= awaited_ ? 1 : 0;
        }
    }
    Room(Room&& other) noexcept { *this = std::move(other); }
    Room& operator=(Room&& other) noexcept {
        std::swap(buffer_, other.buffer_);
        std::swap(size_B_, other.size_B_);
        std::swap(awaited_, other.awaited_);
        return *this;
    }

    /// The message must be gone before the program gets its buffer back.
    void await() {
        if (buffer_ != nullptr && !awaited_) {
            awaited_ = true;
            ++buffer_->awaited_;
        }
    }
    bool is_in_buffer() const { return buffer_ != nullptr; }

  private:
    std::shared_ptr<SendBuffer> buffer_;
    std::uint64_t size_B_ = 0;
    bool awaited_ = false;
};

class SendBuffers {
  public:
    enum class Of : std::uint8_t { communicator, process, session };
    /// The key of its handle; 0 for the process.
    using Owner = std::pair<Of, std::uintptr_t>;

    void attach(Owner owner, std::uint64_t size_B) { attached_[owner] = std::make_shared<SendBuffer>(size_B); }
    /// What is still in it keeps it.
    void detach(Owner owner) { attached_.erase(owner); }
    /// Null if none is attached.
    std::shared_ptr<SendBuffer> find(Owner owner) const {
        const auto found = attached_.find(owner);
        return found != attached_.end() ? found->second : nullptr;
    }

    /// Room for a message on a communicator: in the communicator's own buffer if there is one, else in the process's or
    /// a session's: which session a communicator is from, the library does not tell. Nothing if it does not fit.
    std::optional<Room> room(std::uintptr_t communicator, std::uint64_t size_B) const {
        const std::shared_ptr<SendBuffer> buffer = find_room(communicator, size_B);
        return buffer != nullptr ? std::optional<Room>(Room(buffer, size_B)) : std::nullopt;
    }
    bool fits(std::uintptr_t communicator, std::uint64_t size_B) const {
        return find_room(communicator, size_B) != nullptr;
    }

  private:
    std::shared_ptr<SendBuffer> find_room(std::uintptr_t communicator, std::uint64_t size_B) const {
        if (const auto own = find({Of::communicator, communicator}); own != nullptr) {
            return own->fits(size_B) ? own : nullptr;
        }
        for (const auto& [owner, buffer] : attached_) {
            if (owner.first != Of::communicator && buffer->fits(size_B)) {
                return buffer;
            }
        }
        return nullptr;
    }

    std::map<Owner, std::shared_ptr<SendBuffer>> attached_;
};

}  // namespace fairlead::relay
