#include "grader/grading/cases/layer/outside_launches.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace opgrade {
namespace {

std::string words_for(const NamedProblem& call) { return call.name + ": " + call.problem->label(); }

}  // namespace

void OutsideLaunches::expect(std::vector<NamedProblem> calls) {
  std::ranges::move(calls, std::back_inserter(expected_));
}

bool OutsideLaunches::are_quiet(const std::vector<NamedProblem>& calls) const {
  return std::ranges::all_of(
      calls, [&](const NamedProblem& call) { return quiet_.contains(words_for(call)); });
}

std::vector<NamedProblem> OutsideLaunches::with_expected(std::vector<NamedProblem> calls) {
  for (NamedProblem& call : std::exchange(expected_, {}))
    if (std::ranges::find(calls, words_for(call), words_for) == calls.end())
      calls.push_back(std::move(call));
  return calls;
}

void OutsideLaunches::learn(const std::vector<NamedProblem>& calls, const ProfileReport& record) {
  if (!record.problem.empty() || record.layers.size() < calls.size()) return;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (record.layers[i].outside_launches == 0) quiet_.insert(words_for(calls[i]));
}

}  // namespace opgrade
