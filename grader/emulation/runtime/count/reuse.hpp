/// How often elements are loaded: of global memory, also how many different ones; of shared memory,
/// those that another thread wrote.
#pragma once

#include <vector>

#include "grader/emulation/runtime/count/request.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {

class Reuse {
 public:
  void launch_begins() {
    launch_ = block_ + 1;
    known_bytes_ = 0;  // memory may have been freed and given again since
    array_ = nullptr;
  }
  void block_begins() { ++block_; }
  /// Adds hashes of the words that the request loads, or takes off those that it stores, and counts
  /// the latter. Zeros, which a copy may add at borders, have none. A launch that only copies has
  /// moved 0 in the end; a store to a word that the launch has loaded is no copy.
  void move(const Request& request, LaunchCounts& counts);
  /// Returns the first address of the allocation, or 0 for a variable.
  std::uintptr_t load(const Pattern& pattern, std::uintptr_t shift, LaunchCounts& counts);

 private:
  void prepare();
  std::uintptr_t allocation_of(std::uintptr_t address);

  std::uint32_t* cells_ =
      nullptr;  ///< for each word of device memory: the block that loaded it last
  std::uintptr_t begin_ = 0;
  std::size_t bytes_ = 0;
  std::uint32_t block_ = 0, launch_ = 0;  ///< counts blocks; the first of the launch
  std::uintptr_t known_ = 0;              ///< the allocation that was looked up last
  std::size_t known_bytes_ = 0;
  ArrayCounts* array_ = nullptr;  ///< of `known_`
};

/// The block's shared memory, in words of four bytes.
class Tile {
 public:
  void block_begins() { ++block_; }
  /// Words that the request's lanes load and other threads of the block wrote.
  std::uint64_t use(const Request& request, std::uintptr_t begin, unsigned warp);

 private:
  /// The block and, in the lower half, the thread that wrote a word last.
  std::vector<std::uint64_t> cells_ =
      std::vector<std::uint64_t>(kSharedRoom / 4 + 4);  // a last access of 16 bytes
  std::uint32_t block_ = 0;
};

}  // namespace opgrade_emulation
