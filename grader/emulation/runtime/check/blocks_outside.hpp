/// Blocks that use memory which no block of theirs can have: the launch is the place to look at,
/// although every access out of bounds is in the kernel.
#pragma once

#include <cstdint>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

class BlocksOutside {
 public:
  void begin_launch();
  void begin_block();
  /// The running thread uses memory out of bounds.
  void add_outside(bool writes);
  /// The block's first thread writes memory that it may write.
  void add_inside_write() { wrote_inside_ = true; }
  /// Reports the launch if all blocks from some index on, and no others, write out of bounds alone.
  void end_launch();
  /// Memory that the last launch had to fill is unwritten. Reports the launch if all blocks from
  /// some index on are out of bounds, and another dimension of the grid has just that size.
  void find_swapped_dimensions();

 private:
  void end_block();
  void report_launch(int dimension, int swapped_with) const;

  // The block that runs.
  bool outside_ = false, first_outside_ = false, wrote_outside_ = false, wrote_inside_ = false;
  // The launch.
  std::uint64_t blocks_ = 0;   ///< with an access out of bounds
  std::uint64_t whole_ = 0;    ///< whose first thread makes one
  std::uint64_t writing_ = 0;  ///< whose first thread writes out of bounds alone
  unsigned least_[3] = {};     ///< index of such blocks in each dimension
  dim3 grid_;
  int dimension_ = -1;  ///< in which all blocks from least_ on are outside
};

extern BlocksOutside blocks_outside;

}  // namespace opgrade_emulation
