// SPDX-License-Identifier: Apache-2.0
// How MPICH and its kin behave where MPI leaves it open, or where they differ from it, by whichever binary interface.
#pragma once

#include <cstdint>

/// A step of its progress never lets others have the processor; its waiting does.
inline constexpr bool kProgressYields = false;

namespace fairlead {

// MPICH 4.0.2 and 5.0.2 complete these with a status that was never set: neither source nor size is known.
constexpr bool kIsendrecvHasStatus = false;

constexpr bool kErrorsFreePersistent = false;
constexpr bool kMessageHasHandler = false;  // it is MPI_COMM_SELF's, or the world's, that is told

// MPI_Testall takes persistent collective operations, and partitioned messages, for ones with an error as soon as they
// are complete. MPI_Waitall and all other tests do not.
constexpr bool kTestallKnowsAllKinds = false;

// MPI_Waitall waits for all, also where one has failed.
constexpr bool kErrorEndsWaitall = false;

// MPI_Waitall completes reads and writes of files in the order of its array. Tests carry on with all of them at once,
// in which ROMIO mistakes the messages of a collective one for those of another, and completes one of a single process
// again.
constexpr bool kWaitsForFilesInTurn = true;

// What a program asserts of its receives may tell where the library looks for messages (relay/library/hints.hpp).
constexpr bool kHintsPlaceMessages = true;

// Between hosts, MPI_Cancel may say of a receive that it is cancelled when its message is on the way, which is lost.
constexpr bool kCancelsMatched = true;

// MPI_Testall, MPI_Waitsome and MPI_Testsome leave the error fields of statuses as they are where nothing has an error
// (MPI 4.1, section 3.2.5); MPI_Waitall does not.
constexpr bool kSuccessIsInStatus = false;

// Of buffered sends: all need a buffer, empty ones too; of it each message takes so much besides its bytes.
constexpr std::int64_t kLongestUnbuffered_B = -1;
constexpr std::uint64_t kBufferedNote_B = 88;

}  // namespace fairlead
