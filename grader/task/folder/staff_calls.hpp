/// What staff's code computes for one problem of their task.
#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/task/folder/description.hpp"
#include "grader/task/folder/layout.hpp"
#include "grader/task/interface/problem.hpp"
#include "grader/task/interface/reference_code.hpp"

namespace opgrade {

/// Keeps no state between calls. A call throws Error if the code fails.
class StaffCalls {
 public:
  using Inputs = std::vector<std::span<const std::byte>>;

  /// `task`, `sizes` and `layout` must outlive this object. `bytes`: size of the reference's
  /// outputs.
  StaffCalls(const TaskDescription& task, const Coordinates& sizes, const Layout& layout,
             std::size_t bytes, std::shared_ptr<ReferenceCode> code)
      : task_(task), sizes_(sizes), layout_(layout), bytes_(bytes), code_(std::move(code)) {}

  const Coordinates& sizes() const { return sizes_; }
  const Layout& layout() const { return layout_; }
  std::size_t bytes() const { return bytes_; }
  const std::shared_ptr<ReferenceCode>& code() const { return code_; }

  static Inputs inputs_of(const Values& values);

  /// Throws Error if generate.cpp fails, or if validate.cpp refuses the inputs.
  void make_inputs(const Values& values, std::mt19937_64& random, int threads) const;

  /// The right outputs.
  StaffOutput compute(const Values& values) const;

  /// The complaint of the code about the inputs; empty if there is none.
  std::string complaint(ReferenceCode::Step step, const Inputs& inputs) const;

 private:
  StaffOutput run(ReferenceCode::Step step, const Inputs& inputs, std::size_t bytes) const;
  bool is_generated(const Slot& slot) const;
  void generate(const Values& values, std::mt19937_64& random) const;

  const TaskDescription& task_;
  const Coordinates& sizes_;
  const Layout& layout_;
  const std::size_t bytes_;
  const std::shared_ptr<ReferenceCode> code_;
};

}  // namespace opgrade
