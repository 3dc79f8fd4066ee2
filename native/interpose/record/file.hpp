// SPDX-License-Identifier: Apache-2.0
// The record of one process: a file that is mapped while it is filled, so that a killed process leaves what it did.
#pragma once

#include <cstddef>
#include <string>

#include "record/layout.hpp"

namespace fairlead::record {

class File {
  public:
    // A new file in `directory`, named by the process. Where it cannot be made, that is said on stderr, and what
    // is recorded goes to memory that nobody reads: callers need no second way. Empty: nobody wants one.
    explicit File(const std::string& directory);
    ~File() = default;  // the mappings stay: other threads may still count
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    Header& header() { return *header_; }
    // Whether what is recorded from now on is in the file.
    bool is_written() const { return fd_ >= 0; }

    // A block of at least `size_B` bytes with its head, zeroed behind it. Not thread-safe.
    void* add(Kind kind, std::uint32_t thread, std::size_t size_B);

  private:
    bool open(const std::string& directory);
    // `size_B` more bytes of the file, reserved on disk: touching them cannot fail later. Null: there is no room.
    void* extend(std::size_t size_B);
    void give_up(const char* what, int error);

    int fd_ = -1;
    std::size_t length_B_ = 0;
    std::string path_;
    Header* header_ = nullptr;
};

}  // namespace fairlead::record
