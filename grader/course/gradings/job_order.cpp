#include "grader/course/gradings/job_order.hpp"

#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/results/class_order.hpp"
#include "grader/report/fields/json.hpp"

namespace opgrade::course {

std::vector<GradingJob> in_turns(const std::vector<GradingJob>& jobs,
                                 const EarlierSeconds& seconds) {
  std::vector<std::optional<double>> known;
  for (const GradingJob& job : jobs) known.push_back(seconds(job));
  std::map<std::int64_t, std::size_t> gradings;  // by submission
  std::vector<std::vector<std::size_t>> turns;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::size_t turn = gradings[jobs[i].submission]++;
    if (turn == turns.size()) turns.emplace_back();
    turns[turn].push_back(i);
  }
  std::vector<GradingJob> ordered;
  for (std::vector<std::size_t>& turn : turns)
    for (const std::size_t i : longest_first(std::move(turn), known)) ordered.push_back(jobs[i]);
  return ordered;
}

EarlierSeconds earlier_seconds(const CourseFolder& folder, const Store& store) {
  using Key = std::pair<std::string, std::string>;  // assignment and owner
  struct Known {
    std::map<std::int64_t, Key> keys;          // by submission
    std::map<Key, std::string> results;        // result file of the last attempt
    std::map<Key, std::optional<double>> had;  // read already
  };
  const auto known = std::make_shared<Known>();
  for (const auto& [id, submission] : store.submissions_by_id())
    known->keys[id] = {submission.assignment, submission.owner};
  for (const Attempt& attempt : store.attempts())
    if (attempt.outcome != Outcome::grader_fault)
      if (const auto key = known->keys.find(attempt.submission); key != known->keys.end())
        known->results[key->second] = attempt.result;
  return [known, path = folder.path](const GradingJob& job) -> std::optional<double> {
    const auto key = known->keys.find(job.submission);
    if (key == known->keys.end()) return std::nullopt;
    const auto result = known->results.find(key->second);
    if (result == known->results.end()) return std::nullopt;
    const auto [had, is_new] = known->had.try_emplace(key->second);
    if (!is_new) return had->second;
    try {
      if (const auto text = read_text_file(path / result->second))
        had->second = work_seconds(report::grade_from_json(*text));
    } catch (const Error&) {
      // A damaged report says nothing about time; opgrade course verify names it.
    }
    return had->second;
  };
}

}  // namespace opgrade::course
