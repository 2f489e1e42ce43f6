/// What staff's code computes for one problem of their task.
#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "grader/core/coordinates.hpp"
#include "grader/task/problem.hpp"
#include "grader/task/reference_code.hpp"
#include "grader/tasks/folder/description.hpp"
#include "grader/tasks/folder/layout.hpp"

namespace opgrade {

/// Keeps nothing from one call to the next. A call throws Error if the code fails.
class StaffCalls {
 public:
  using Words = std::vector<std::span<const float>>;

  /// `task`, `sizes` and `layout` must outlive it. `words`: of the reference's outputs.
  StaffCalls(const TaskDescription& task, const Coordinates& sizes, const Layout& layout,
             std::size_t words, std::shared_ptr<ReferenceCode> code)
      : task_(task), sizes_(sizes), layout_(layout), words_(words), code_(std::move(code)) {}

  const Coordinates& sizes() const { return sizes_; }
  const Layout& layout() const { return layout_; }
  std::size_t words() const { return words_; }
  const std::shared_ptr<ReferenceCode>& code() const { return code_; }

  static Words inputs_of(const Values& values) { return {values.begin() + 1, values.end()}; }

  /// Throws Error where generate.cpp fails, or validate.cpp refuses what was made.
  void make_inputs(const Values& values, std::mt19937_64& random, int threads) const;

  /// The right outputs.
  StaffOutput compute(const Values& values) const;

  /// What the code complains about; empty: nothing.
  std::string complaint(ReferenceCode::Step step, const Words& inputs) const;

 private:
  StaffOutput run(ReferenceCode::Step step, const Words& inputs, std::size_t words) const;
  bool is_generated(const Slot& slot) const;
  void generate(const Values& values, std::mt19937_64& random) const;

  const TaskDescription& task_;
  const Coordinates& sizes_;
  const Layout& layout_;
  const std::size_t words_;
  const std::shared_ptr<ReferenceCode> code_;
};

}  // namespace opgrade
