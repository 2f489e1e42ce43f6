/// The ranking of an assignment as one of its students sees it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/service/service.hpp"

namespace opgrade::service {

struct RankingRow {
  std::optional<int> rank;
  std::string name;  ///< an alias, or the one that the owner chose
  double time_ms = 0;
  bool own = false;
};

struct Ranking {
  std::string why_none;  ///< where the assignment has no ranking to show; the rest is empty then
  std::vector<RankingRow> rows;  ///< those with a rank, the fastest first
  std::string own_text;  ///< rank, percentile and distance to the next, or why there is no rank
};

/// `own`: the owner who reads. The ranked result of an owner is the one that counts.
Ranking ranking_of(const Service& service, const course::Assignment& assignment,
                   const std::string& own);

/// "amber-heron-41": stable in a course, and told by nothing but the course's own secret.
std::string alias_of(const Service& service, const std::string& owner);
std::string chosen_name(const Service& service, const std::string& owner);
/// An empty name goes back to the alias. At most 40 printable characters are kept.
void choose_name(Service& service, const std::string& owner, const std::string& name);

}  // namespace opgrade::service
