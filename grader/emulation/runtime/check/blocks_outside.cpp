#include "grader/emulation/runtime/check/blocks_outside.hpp"

#include <algorithm>
#include <string>

#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/launch_counts.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {

BlocksOutside blocks_outside;

namespace {

/// The dimension with that size, or -1. If several have it, the last: x mostly has the tiles of an
/// image, and the others, images and feature maps, are what programs mix up.
int dimension_with(unsigned size, const unsigned (&grid)[3]) {
  for (int i = 2; i >= 0; --i)
    if (grid[i] == size) return i;
  return -1;
}

std::string size_in(int dimension, const unsigned (&grid)[3]) {
  return std::to_string(grid[dimension]) + " in " + "xyz"[dimension];
}

}  // namespace

void BlocksOutside::begin_launch() { *this = {}; }

void BlocksOutside::begin_block() {
  end_block();
  outside_ = first_outside_ = wrote_outside_ = wrote_inside_ = false;
}

void BlocksOutside::add_outside(bool writes) {
  if (!outside_) {
    const unsigned index[3] = {blockIdx.x, blockIdx.y, blockIdx.z};
    for (int i = 0; i < 3; ++i) least_[i] = blocks_ == 0 ? index[i] : std::min(least_[i], index[i]);
    ++blocks_;
    outside_ = true;
    grid_ = current_worker->launch()->grid;
  }
  if (current_worker->thread_number() != 0) return;
  first_outside_ = true;
  wrote_outside_ = wrote_outside_ || writes;
}

void BlocksOutside::end_block() {
  whole_ += first_outside_;
  writing_ += wrote_outside_ && !wrote_inside_;
}

void BlocksOutside::end_launch() {
  if (blocks_ == 0) return;
  end_block();
  first_outside_ = wrote_outside_ = false;
  const unsigned grid[3] = {grid_.x, grid_.y, grid_.z};
  const std::uint64_t all = std::uint64_t{grid_.x} * grid_.y * grid_.z;
  // A missing check at the border lets only single threads out of bounds, a wrong index whole
  // blocks.
  for (int i = 0; i < 3 && dimension_ < 0; ++i)
    if (least_[i] > 0 && blocks_ == whole_ && blocks_ == all / grid[i] * (grid[i] - least_[i]))
      dimension_ = i;
  if (dimension_ < 0 || writing_ != blocks_) return;
  report_launch(dimension_, dimension_with(least_[dimension_], grid));
  dimension_ = -1;
}

void BlocksOutside::find_swapped_dimensions() {
  if (dimension_ < 0) return;
  const unsigned grid[3] = {grid_.x, grid_.y, grid_.z};
  const int like = dimension_with(least_[dimension_], grid);
  if (like >= 0) report_launch(dimension_, like);
  dimension_ = -1;
}

void BlocksOutside::report_launch(int dimension, int swapped_with) const {
  const KnownLaunch launch = last_launch();
  const unsigned grid[3] = {grid_.x, grid_.y, grid_.z};
  const std::string index = std::string("blockIdx.") + "xyz"[dimension];
  std::string text = "This launch of " + launch.kernel + " makes a grid of " + text_of(grid_) +
                     " blocks; those with " + index + " >= " + std::to_string(least_[dimension]) +
                     ", all of them and no others, are outside of their memory. ";
  text += swapped_with < 0
              ? "Launch fewer blocks, or return from the kernel in those."
              : "Are " + size_in(dimension, grid) + " and " + size_in(swapped_with, grid) +
                    " swapped? The grid's sizes must fit what the kernel uses blockIdx for.";
  report({.kind = "grid_outside_memory",
          .message = std::move(text),
          .file = launch.file,
          .line = launch.line});
}

}  // namespace opgrade_emulation
