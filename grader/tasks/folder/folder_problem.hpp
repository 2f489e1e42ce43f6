/// One computation of a task that is a folder.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/task/call_sets.hpp"
#include "grader/task/problem.hpp"
#include "grader/task/reference_code.hpp"
#include "grader/tasks/folder/layout.hpp"
#include "grader/tasks/folder/reference_trial.hpp"

namespace opgrade {

/// Its output has one part: the reference computes all of it. Every input is fresh in every call.
class FolderProblem final : public Problem {
 public:
  /// `task` must outlive the problem. Throws std::invalid_argument for sizes that the task lacks.
  FolderProblem(const TaskDescription& task, Coordinates sizes,
                std::shared_ptr<ReferenceCode> reference);

  const Coordinates& sizes() const override { return sizes_; }
  std::vector<BufferShape> buffers() const override { return layout_.shared(); }
  /// Throws Error where generate.cpp fails, or validate.cpp refuses what was made.
  void fill(const Values& values, std::mt19937_64& random) const override;
  void set_output(const Values& values, bool zeros, int threads) const override;
  bool poisons_output() const override;
  void use(CallSets& sets) override { sets_ = &sets; }
  void refresh(const Values& values, int threads) const override;
  int parts() const override { return 1; }
  std::unique_ptr<Problem> first_parts(int count) const override;
  CheckReport check(const Values& values, double tolerance, std::span<const int> parts,
                    int threads) const override;
  Coordinates place_of(std::int64_t index) const override;
  Hint explain(const Values& values, const CheckReport& report) const override;
  double flops() const override { return flops_; }
  std::optional<Arena> arena() const override { return layout_.arena(); }
  /// Calls the reference several times with the same inputs. `poisoned` is the same code in memory
  /// that holds other bytes where nothing has set it; null if there is none. Throws Error if the
  /// reference fails.
  ReferenceTrial try_reference(ReferenceCode* poisoned) const;

 private:
  using Words = std::vector<std::span<const float>>;

  ReferenceCode& reference() const;
  static Words inputs_of(const Values& values) { return {values.begin() + 1, values.end()}; }
  bool is_generated(const Slot& slot) const;
  void generate(const Values& values, std::mt19937_64& random) const;
  /// What staff's code complains about; empty: nothing.
  std::string complaint(ReferenceCode::Step step, const Words& inputs) const;
  void make_inputs(const Values& values, std::mt19937_64& random, int threads) const;
  StaffOutput compute(const Values& values) const;
  StaffOutput compute_filled(const Values& values, int threads) const;
  /// The same, computed once for the same inputs where they are many.
  StaffOutput expected(const Values& values, int threads) const;
  void release_unless_timed() const;
  void compute_ahead(int threads) const;
  std::size_t words_of_set() const;
  bool is_large() const;
  int sets_in_memory() const;
  /// Whether no floating input holds a NaN.
  bool inputs_are_numbers(const Values& values) const;
  /// Where the result of a checked output lies at these sizes.
  const Slot& result_of(const Slot& slot) const;
  /// Calls `visit` with each checked output, where it lies and what the reference computed for it.
  void each_output(const StaffOutput& expected, auto visit) const;
  /// The number of elements that are defined.
  std::int64_t defined(const Slot& slot, const Values& values, const StaffOutput& expected) const;
  /// The checked output that holds the element, and the element's number there.
  std::pair<const Slot*, std::int64_t> find(std::int64_t index) const;

  const TaskDescription& task_;
  Coordinates sizes_;
  Layout layout_;
  ExpectedLayout expected_;
  std::shared_ptr<ReferenceCode> reference_;
  double flops_;
  CallSets* sets_ = nullptr;

  mutable std::mutex guard_;
  mutable std::optional<std::uint64_t> filled_with_;  ///< names the numbers of the last inputs
  mutable std::optional<StaffOutput> known_;          ///< for the last inputs, where they are many
  /// Many inputs of later calls, and the outputs for them. The reference has one core for each.
  mutable std::vector<StaffOutput> ahead_;
  /// Where they are made. To find this memory anew takes half as long as to fill it.
  mutable std::vector<std::vector<std::vector<float>>> ahead_inputs_;
  mutable int ahead_next_ = 0;
};

}  // namespace opgrade
