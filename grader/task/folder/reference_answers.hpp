/// The inputs of a problem's calls and the right outputs for them. Large outputs take a while, so
/// they are computed for several calls in parallel, each once.
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
  /// `staff` and `sets` must outlive this object. `sets` has large inputs with their outputs for
  /// several submissions; null if there are none.
  ReferenceAnswers(const StaffCalls& staff, CallSets* sets) : staff_(staff), sets_(sets) {}

  /// As the functions of the same names in Problem.
  void fill(const Values& values, std::mt19937_64& random);
  void refresh(const Values& values, int threads);

  /// The right outputs. For large inputs they are computed only once.
  StaffOutput expected(const Values& values, int threads);

  /// Releases the known outputs, and with them a process of the reference, unless calls are timed.
  /// A case of many large problems must not hold a process for each of them.
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
  std::optional<std::uint64_t> filled_with_;  ///< a number that stands for the inputs of fill();
                                              ///< nullopt once refresh() changed them
  std::optional<StaffOutput> known_;  ///< the outputs for the last inputs, if these are large
  /// Large inputs of later calls, and the outputs for them. The reference uses one core for each.
  std::vector<StaffOutput> ahead_;
  /// Memory of the inputs of `ahead_`. It is reused, because allocating it anew takes half as long
  /// as filling it.
  std::vector<std::vector<BufferMemory>> ahead_inputs_;
  int ahead_next_ = 0;
};

}  // namespace opgrade
