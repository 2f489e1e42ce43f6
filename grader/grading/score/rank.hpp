/// Points that depend on the whole class: a rule over all times, applied when all are graded.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Whether a contender is ranked, and why not.
enum class Entry {
  timed,      ///< right, with a time: ranked
  incorrect,  ///< graded and not right: no points, and no weight in the class's median
  absent,     ///< on the roster, but handed nothing in: treated as incorrect
  too_slow,   ///< right, but beyond the limit of a warm-up call: no points
  open,       ///< not known to be wrong, but without a credible time: staff decide
};

struct Contender {
  std::string name;
  Entry entry = Entry::absent;
  double time_ms = 0;        ///< of `timed`: finite and positive
  Reason reason;             ///< of `open`: what is missing
  std::string files;         ///< SHA-256 of the submission's files, or empty
  bool provisional = false;  ///< a course's final timing has not measured it yet
};

struct Ranked {
  Contender who;
  std::optional<int> rank;  ///< 1 for the fastest; equal times share the better rank (1 2 2 4)
  double points = 0;
  bool open = false;
  Reason reason;
};

/// The median and the standard deviation around the mean, of the whole class (divided by n). For an
/// even count the median is the mean of the two in the middle.
struct ClassTimes {
  int count = 0;
  double median_ms = 0;
  double deviation_ms = 0;
};

ClassTimes class_times(std::span<const Contender> contenders);

/// Rows in the order of ranks, then rows without a rank by name. Times are rounded first
/// (graded_time), so contenders whose difference is chance share a rank. Copies of the same files
/// have the median of their times.
///
/// deviations: z = (median - time) / deviation; points * (z / (2 * rule.deviations) + 1/2), within
/// within 0 and rule.points: the median time gets half. If the deviation is zero, all times get
/// half.
/// ranks: the points of the first step whose `up_to` the rank does not pass, else none.
/// best: points * op_time_share() of the time in multiples of the class's fastest, and the points
/// of the first step whose `within` the multiple does not pass. Each rule adds the bonus on top. A
/// contender whose own time grows, even the fastest, never gains points.
std::vector<Ranked> rank_class(std::vector<Contender> contenders, const RankingConfig& rule);

/// True if a time in the ranking is provisional.
bool is_provisional(std::span<const Ranked> table);

/// One grade's result for the case that `rule` ranks.
Contender contender_of(const Grade& grade, const RankingConfig& rule);

}  // namespace opgrade
