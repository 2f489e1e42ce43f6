/// The inputs of a problem's calls and the right outputs for them, which take a while if there are
/// many: they are computed for several calls at once, each once.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <vector>

#include "grader/task/folder/staff_calls.hpp"
#include "grader/task/interface/buffer_memory.hpp"
#include "grader/task/interface/call_sets.hpp"
#include "grader/task/interface/problem.hpp"
#include "grader/task/interface/reference_code.hpp"

namespace opgrade {

/// Safe to use from several threads at once. A call throws Error if staff's code fails.
class ReferenceAnswers {
 public:
  /// Both must outlive it. `sets`: has large inputs, with their outputs, for several submissions;
  /// null: there are none.
  ReferenceAnswers(const StaffCalls& staff, CallSets* sets) : staff_(staff), sets_(sets) {}

  /// As Problem has them.
  void fill(const Values& values, std::mt19937_64& random);
  void refresh(const Values& values, int threads);

  /// The right outputs, computed once for the same inputs where they are many.
  StaffOutput expected(const Values& values, int threads);

  /// A case of many large problems is not to hold a process of the reference for each.
  void release_unless_timed();

 private:
  StaffOutput compute_filled(const Values& values, int threads) const;
  void compute_ahead(int threads);
  std::size_t bytes_of_set() const;
  bool is_large() const;
  int sets_in_memory() const;

  const StaffCalls& staff_;
  CallSets* const sets_;
  std::mutex guard_;
  std::optional<std::uint64_t> filled_with_;  ///< names the numbers of the last inputs
  std::optional<StaffOutput> known_;          ///< for the last inputs, where they are many
  /// Many inputs of later calls, and the outputs for them. The reference has one core for each.
  std::vector<StaffOutput> ahead_;
  /// Where they are made. To find this memory anew takes half as long as to fill it.
  std::vector<std::vector<BufferMemory>> ahead_inputs_;
  int ahead_next_ = 0;
};

}  // namespace opgrade
