#include "grader/service/state/failures.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "grader/base/core/text_parts.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/grading/pipeline/submission_source.hpp"
#include "grader/report/fields/view.hpp"
#include "grader/report/words/diagnostics.hpp"

namespace opgrade::service {
namespace {

using Lines = FailureCache::Lines;

/// The text of a line in the submission's archive.
std::string code_at(const report::SourceOf& source, const std::string& path, int line) {
  const auto text = line > 0 && !path.empty() && source ? source(path) : std::nullopt;
  if (!text) return "";
  const auto lines = split(*text, '\n');
  const auto index = static_cast<std::size_t>(line) - 1;
  return index < lines.size() ? std::string(trimmed(lines[index])) : "";
}

Lines failures_of(const Grade& view, const report::SourceOf& source) {
  const auto found = report::diagnostics_of(view, 1);
  Lines all;
  const auto add = [&](const std::string& where, const std::string& rule, const std::string& path,
                       int line) {
    all.push_back({{where, rule, std::filesystem::path(path).filename().string(),
                    code_at(source, path, line)},
                   line});
  };
  for (const StageReport& stage : view.stages) {
    if (stage.build.outcome != Outcome::passed && !is_undecided(stage.build.outcome)) {
      const auto place = report::first_compiler_error(stage);
      add(stage.name, std::string(words(stage.build.outcome).id), place.path, place.line);
      continue;
    }
    for (const CaseReport& c : stage.cases) {
      if (c.outcome == Outcome::passed || is_undecided(c.outcome) || c.advice) continue;
      const std::size_t before = all.size();
      for (const report::Diagnostic& d : found)
        if (d.case_id == c.id && d.severity == report::Severity::error)
          add(c.id, d.rule, d.path, d.line);
      if (all.size() == before) add(c.id, std::string(words(c.outcome).id), "", 0);
    }
  }
  return all;
}

}  // namespace

std::shared_ptr<const Lines> FailureCache::of(const std::filesystem::path& course,
                                              const course::GradedSubmission& graded,
                                              const std::shared_ptr<const Config>& config,
                                              std::size_t& may_read) {
  const std::string& result = graded.result.decisive().result;
  {
    const std::scoped_lock lock(guard_);
    if (const auto* const found = known_.find(result)) return *found;
  }
  if (may_read == 0) return nullptr;
  --may_read;
  const auto grade = read_result((course / result).parent_path());
  if (!grade) return std::make_shared<const Lines>();  // not cached: the next call may find it
  std::shared_ptr<const Lines> lines;
  try {
    lines = std::make_shared<const Lines>(
        failures_of(report::view_for(*grade, report::Audience::staff),
                    source_of(course / graded.standing.submission.file, config)));
  } catch (const std::exception&) {  // the submission's files cannot be read now
    return std::make_shared<const Lines>();
  }
  const std::scoped_lock lock(guard_);
  return known_.add(result, std::move(lines));
}

std::size_t FailureCache::size() const {
  const std::scoped_lock lock(guard_);
  return known_.size();
}

std::vector<FailureCount> count_failures(
    const std::vector<std::pair<std::int64_t, std::shared_ptr<const Lines>>>& all) {
  std::map<Failure, FailureCount> counts;
  for (const auto& [submission, lines] : all) {
    std::set<Failure> own;
    for (const auto& [failure, line] : *lines) {
      FailureCount& count = counts[failure];
      if (line > 0) count.lines.insert(line);
      if (!own.insert(failure).second) continue;
      ++count.submissions;
      if (count.example == 0) count.example = submission;
    }
  }
  std::vector<FailureCount> sorted;
  for (auto& [failure, count] : counts) {
    count.failure = failure;
    sorted.push_back(std::move(count));
  }
  std::ranges::stable_sort(sorted, std::greater{}, &FailureCount::submissions);
  return sorted;
}

}  // namespace opgrade::service
