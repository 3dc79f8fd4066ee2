// SPDX-License-Identifier: Apache-2.0
#include "planes/rank_channel.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include <cerrno>

#include "process/system_error.hpp"
#include "relay/channel/handover.hpp"

namespace fairlead::agent {
namespace {

/// A rank that could shrink the file would end the agent by a bus error.
UniqueFd sealed_memory(std::uint64_t size_B) {
    UniqueFd file(checked(memfd_create("fairlead-relay", MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create"));
    checked(ftruncate(file.get(), static_cast<off_t>(size_B)), "size of a relay channel");
    checked(fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), "F_ADD_SEALS");
    return file;
}

}  // namespace

RankChannel::RankChannel(UniqueFd socket, const relay::Hello& hello, std::uint64_t ring_B, std::size_t slot)
    : rank_(hello.self),
      processes_(hello.processes),
      world_(hello.world),
      ring_B_(ring_B),
      slot_(slot),
      socket_(std::move(socket)),
      file_(sealed_memory(relay::ChannelMemory::size_B(hello.processes, ring_B))),
      bell_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      memory_(file_.get(), hello.processes, ring_B),
      from_rank_(memory_.to_agent()),
      to_rank_(memory_.to_rank()) {}

void RankChannel::welcome() {
    const relay::Welcome welcome{relay::kChannelMagic, relay::kChannelVersion, processes_, ring_B_};
    if (!relay::send_welcome(socket_.get(), welcome, file_.get(), bell_.get())) throw_errno("sendmsg to a rank");
    file_.reset();  // the mapping stays
}

void RankChannel::silence_bell() {
    std::uint64_t count = 0;
    if (read(bell_.get(), &count, sizeof count) < 0 && errno != EAGAIN) throw_errno("read of a bell");
}

bool RankChannel::sleep() {
    relay::want_bell(memory_.head().to_agent);
    return !from_rank_.front();
}

bool RankChannel::deliver(std::span<const std::uint8_t> frame, relay::HopBuffers& buffers) {
    const std::uint64_t size_B = relay::in_ring_B(frame.size());
    const auto admitted = [&] {
        take_back(buffers);
        return to_rank_.room(frame.size()) && buffers.admit_arrived(slot_, size_B);
    };
    if (!admitted()) {
        relay::want_bell(memory_.head().to_rank);
        if (!admitted()) return false;
    }
    to_rank_.write(frame);
    delivered_.push_back({to_rank_.written_B(), size_B});
    return true;
}

void RankChannel::take_back(relay::HopBuffers& buffers) {
    if (delivered_.empty()) return;
    const std::uint64_t read_B = to_rank_.read_B();
    while (!delivered_.empty() && delivered_.front().end_B <= read_B) {
        buffers.release_arrived(slot_, delivered_.front().size_B);
        delivered_.pop_front();
    }
}

void RankChannel::leave(relay::HopBuffers& buffers) {
    for (const Delivered& frame : delivered_) buffers.release_arrived(slot_, frame.size_B);
    delivered_.clear();
}

relay::ToldCounts RankChannel::told() const {
    relay::ToldCounts counts{};
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = memory_.head().told[i].load(std::memory_order_relaxed);
    return counts;
}

void RankChannel::set_place(relay::Process process, relay::Place place) {
    std::atomic<relay::Place>& known = memory_.place(process);
    if (known.load(std::memory_order_relaxed) == place) return;
    known.store(place, std::memory_order_relaxed);
    memory_.head().changes.fetch_add(1, std::memory_order_release);
}

}  // namespace fairlead::agent
