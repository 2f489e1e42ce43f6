/// The checking build's record of every four bytes of device memory.
#pragma once

#include <cstdint>

#include "grader/emulation/runtime/memory.hpp"

namespace opgrade_emulation {

/// One word for four bytes: one of the states below, or the last user and its launch. One word is
/// enough, because an access that is not ordered after the stored one is reported at once, and an
/// ordered one replaces it. Atomic operations need no order among themselves, so MixedAccesses
/// stores the plain access before them.
using Cell = std::uint64_t;

inline constexpr Cell kClosed = 0;     // belongs to no allocation
inline constexpr Cell kUnwritten = 1;  // allocated; nothing wrote it
inline constexpr Cell kClean = 2;      // written, not used in any launch since
inline constexpr Cell kSplit = 3;      // its bytes differ, so each has a cell of its own

// Fields of a cell that stores an access, from the lowest bit.
inline constexpr int kThreadBits = 10, kEpochBits = 13, kFenceBits = 2, kBlockBits = 20,
                     kLaunchBits = 12;
inline constexpr int kEpochAt = kThreadBits, kFenceAt = kEpochAt + kEpochBits,
                     kBlockAt = kFenceAt + kFenceBits, kFlagsAt = kBlockAt + kBlockBits;
inline constexpr Cell kWritten = Cell{1} << kFlagsAt;  // the block wrote it during this launch
inline constexpr Cell kLastWrites = Cell{1} << (kFlagsAt + 1);  // the last access is a write
inline constexpr Cell kAtomic = Cell{1} << (kFlagsAt + 2);      // ... by an atomic operation
// Several participants have read it, or changed it by atomic operations: lanes of a warp, warps of
// a block, or blocks.
inline constexpr Cell kSameWarp = Cell{1} << (kFlagsAt + 3);
inline constexpr Cell kManyWarps = Cell{1} << (kFlagsAt + 4);
inline constexpr Cell kManyBlocks = Cell{1} << (kFlagsAt + 5);
inline constexpr Cell kOfBlock = Cell{1} << (kFlagsAt + 6);  // ... by one of the block's scope
inline constexpr int kLaunchAt = kFlagsAt + 7;
static_assert(kLaunchAt + kLaunchBits == 64);

inline constexpr Cell kThreadMask = (Cell{1} << kThreadBits) - 1;
inline constexpr Cell kEpochMask = ((Cell{1} << kEpochBits) - 1) << kEpochAt;
inline constexpr Cell kFenceMask = ((Cell{1} << kFenceBits) - 1) << kFenceAt;  // see Fences
inline constexpr Cell kBlockMask = ((Cell{1} << kBlockBits) - 1) << kBlockAt;
inline constexpr Cell kLaunchMask = ~Cell{0} << kLaunchAt;
inline constexpr Cell kWhere = kLaunchMask | kBlockMask;

inline constexpr std::size_t kPage = 4096;
inline constexpr unsigned char kInUse = 0xff;

/// The cells of all device memory, at fixed distances from it.
struct Shadow {
  std::uintptr_t begin = 0;  ///< of device memory
  std::size_t bytes = 0;
  std::size_t shared_bytes = 0;  ///< of them: the first are the blocks' shared memory
  Cell* words = nullptr;         ///< one for four bytes
  Cell* split = nullptr;         ///< one for each byte; used if the word is kSplit
  std::uint32_t* sites =
      nullptr;  ///< for four bytes: where in the code the last change of cell came from

  /// For each page of device memory: kInUse, or the state of all its bytes while its cells are
  /// untouched zeros. So a large allocation with few accesses needs few cells.
  unsigned char* pages = nullptr;

  unsigned char& page(std::uintptr_t address) const { return pages[(address - begin) / kPage]; }
  /// Must be called before a cell is read.
  void use(std::uintptr_t address) const {
    if (page(address) != kInUse) fill_cells(address);
  }
  void fill_cells(std::uintptr_t address) const;

  Cell& word(std::uintptr_t address) const { return words[(address - begin) >> 2]; }
  Cell* byte(std::uintptr_t address) const { return split + (address - begin); }
  std::uint32_t& site(std::uintptr_t address) const { return sites[(address - begin) >> 2]; }
};

/// Sets every byte of the range to a state.
void mark(const Shadow& shadow, std::uintptr_t address, std::size_t bytes, Cell state);

}  // namespace opgrade_emulation
