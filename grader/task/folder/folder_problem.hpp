/// One computation of a task that is a lecturer's folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/task/folder/layout.hpp"
#include "grader/task/folder/reference_answers.hpp"
#include "grader/task/folder/reference_trial.hpp"
#include "grader/task/folder/staff_calls.hpp"
#include "grader/task/interface/call_sets.hpp"
#include "grader/task/interface/problem.hpp"
#include "grader/task/interface/reference_code.hpp"

namespace opgrade {

/// The output has one part, because the reference computes all of it at once. Every input is fresh
/// in every call.
class FolderProblem final : public Problem {
 public:
  /// `task` and `sets` must outlive the problem. Without `reference` no output can be checked.
  /// Throws std::invalid_argument for sizes that the task does not have.
  FolderProblem(const TaskDescription& task, Coordinates sizes,
                std::shared_ptr<ReferenceCode> reference, CallSets* sets = nullptr);
  FolderProblem(const FolderProblem&) = delete;  // its parts refer to each other
  FolderProblem& operator=(const FolderProblem&) = delete;

  const Coordinates& sizes() const override { return sizes_; }
  std::vector<BufferShape> buffers() const override { return layout_.shared(); }
  /// Throws Error if generate.cpp fails, or if validate.cpp refuses the inputs.
  void fill(const Values& values, std::mt19937_64& random) const override {
    answers_->fill(values, random);
  }
  void set_output(const Values& values, bool zeros, int threads) const override;
  bool poisons_output() const override;
  void refresh(const Values& values, int threads) const override {
    answers_->refresh(values, threads);
  }
  int parts() const override { return 1; }
  std::unique_ptr<Problem> first_parts(int count) const override;
  CheckReport check(const Values& values, double tolerance, std::span<const int> parts,
                    int threads) const override;
  Coordinates place_of(std::int64_t index) const override;
  Hint explain(const Values& values, const CheckReport& report) const override;
  double flops() const override { return flops_; }
  std::optional<Arena> arena() const override { return layout_.arena(); }
  /// Calls the reference several times with the same inputs. `poisoned` is the same code, but unset
  /// memory holds other bytes; null if there is none. Throws Error if the reference fails.
  ReferenceTrial try_reference(ReferenceCode* poisoned) const;

 private:
  /// Whether no floating-point input holds a NaN.
  bool inputs_are_numbers(const Values& values) const;
  /// The slot in which the result of a checked output lies at these sizes.
  const Slot& result_of(const Slot& slot) const;
  /// Calls `visit` with each checked output and the position of its values in the reference's
  /// output.
  void each_output(auto visit) const;
  /// Calls `visit` with the parts of a checked output: the whole output, or each field of its
  /// structs.
  void each_part(const Slot& slot, const ExpectedSlot& place, auto visit) const;
  /// Overwrites the bytes between the fields of the reference's structs, so that equal outputs have
  /// equal bytes.
  void clear_padding(std::span<std::byte> expected) const;
  /// The number of elements that have a defined value.
  std::int64_t defined(const Slot& slot, const Values& values, const StaffOutput& expected) const;
  /// The checked output that holds the element, and the element's number in it.
  std::pair<const Slot*, std::int64_t> find(std::int64_t index) const;

  const TaskDescription& task_;
  Coordinates sizes_;
  Layout layout_;
  ExpectedLayout expected_;
  StaffCalls staff_;
  std::unique_ptr<ReferenceAnswers> answers_;
  double flops_;
};

}  // namespace opgrade
