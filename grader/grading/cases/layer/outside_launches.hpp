/// A stage's knowledge of its submission's launches outside the timed call.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "grader/base/core/profile.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// Calls are equal if their names and sizes are.
class OutsideLaunches {
 public:
  /// Expects calls of later cases, which are recorded with the first case's, because beginning and
  /// ending a record takes longer than small calls.
  void expect(std::vector<NamedProblem> calls);

  /// True if all these calls were recorded and launched nothing outside.
  bool are_quiet(const std::vector<NamedProblem>& calls) const;

  /// These calls, and behind them the expected ones, each once.
  std::vector<NamedProblem> with_expected(std::vector<NamedProblem> calls);

  /// Learns from the record of these calls.
  void learn(const std::vector<NamedProblem>& calls, const ProfileReport& record);

 private:
  std::vector<NamedProblem> expected_;
  std::set<std::string> quiet_;
};

}  // namespace opgrade
