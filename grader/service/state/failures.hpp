/// Finds what fails in the submissions of an assignment, and in how many of them at the same line.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "grader/base/core/recent_map.hpp"
#include "grader/course/gradebook/gradebook.hpp"

namespace opgrade::service {

/// A case that fails, or a stage that does not build, with its place in the submission if the
/// report knows one.
struct Failure {
  std::string where;  ///< the case or stage: "gpu/random"
  std::string rule;   ///< the finding's kind, or the id of the outcome
  /// The file's name without folders, because students name folders as they like.
  std::string file;
  std::string code;  ///< the text of the line, without the blanks around it; may be empty
  auto operator<=>(const Failure&) const = default;
};

/// A failure and the submissions that have it. Failures are compared by the text of the line,
/// because the line numbers of submissions differ.
struct FailureCount {
  Failure failure;
  std::size_t submissions = 0;
  std::set<int> lines;       ///< numbers of the line
  std::int64_t example = 0;  ///< one of the submissions
};

/// Caches the failures of each result. A result never changes, so its report is read once, unless
/// `kept` others were read since. Safe to use from several threads.
class FailureCache {
 public:
  static constexpr std::size_t kKept = 10'000;  ///< more than a class hands in for an assignment
  explicit FailureCache(std::size_t kept = kKept) : known_(kept) {}

  struct Line {
    Failure failure;
    int line = 0;  ///< from 1; 0: unknown
  };
  using Lines = std::vector<Line>;

  /// nullptr if the report was not read yet and `may_read` is 0. Each read report decreases
  /// `may_read` by one.
  std::shared_ptr<const Lines> of(const std::filesystem::path& course,
                                  const course::GradedSubmission& graded,
                                  const std::shared_ptr<const Config>& config,
                                  std::size_t& may_read);
  std::size_t size() const;

 private:
  mutable std::mutex guard_;
  RecentMap<std::string, std::shared_ptr<const Lines>> known_;  ///< by result
};

/// Each failure with its submissions, the most common first. A submission counts once for each
/// failure.
std::vector<FailureCount> count_failures(
    const std::vector<std::pair<std::int64_t, std::shared_ptr<const FailureCache::Lines>>>& all);

}  // namespace opgrade::service
