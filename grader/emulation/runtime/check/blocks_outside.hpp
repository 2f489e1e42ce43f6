/// Finds blocks that use only memory which no block may use. Then the launch is likely wrong,
/// although every access out of bounds is in the kernel.
#pragma once

#include <cstdint>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

class BlocksOutside {
 public:
  void begin_launch();
  void begin_block();
  /// Call this when the running thread uses memory out of bounds.
  void add_outside(bool writes);
  /// Call this when the block's first thread writes memory that it may write.
  void add_inside_write() { wrote_inside_ = true; }
  /// Reports the launch if all blocks from some index on, and no others, write only out of bounds.
  void end_launch();
  /// Call this when memory that the last launch should have filled is unwritten. Reports the launch
  /// if all blocks from some index on are out of bounds, and another dimension of the grid has
  /// exactly that size.
  void find_swapped_dimensions();

 private:
  void end_block();
  void report_launch(int dimension, int swapped_with) const;

  // State of the running block.
  bool outside_ = false, first_outside_ = false, wrote_outside_ = false, wrote_inside_ = false;
  // State of the launch.
  std::uint64_t blocks_ = 0;   ///< blocks with an access out of bounds
  std::uint64_t whole_ = 0;    ///< blocks whose first thread makes one
  std::uint64_t writing_ = 0;  ///< blocks whose first thread writes only out of bounds
  unsigned least_[3] = {};     ///< least index of such a block in each dimension
  dim3 grid_;
  int dimension_ = -1;  ///< the dimension in which all blocks from least_ on are outside
};

extern BlocksOutside blocks_outside;

}  // namespace opgrade_emulation
