/// The ranking of an assignment as one of its students sees it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grader/grading/score/rank.hpp"
#include "grader/service/state/service.hpp"

namespace opgrade::service {

/// The ranked class of each assignment. It is made again when the store, the roster or the config
/// has another content.
class RankingCache {
 public:
  using Class = std::shared_ptr<const std::vector<Ranked>>;
  Class ranked(const Service& service, const course::Assignment& assignment,
               const std::shared_ptr<const Config>& config);

 private:
  struct Made {
    std::string version;  ///< Store::grades_version()
    std::shared_ptr<const course::CourseFolder> folder;
    std::shared_ptr<const Config> config;
    Class ranked;
  };
  std::mutex guard_;
  std::map<std::string, Made> made_;  ///< by assignment
};

struct RankingRow {
  std::optional<int> rank;
  std::string name;   ///< an alias, or the one that the owner chose
  std::string owner;  ///< for staff: the one behind `name`
  double time_ms = 0;
  bool own = false;
};

struct Ranking {
  std::string why_none;  ///< where the assignment has no ranking to show; the rest is empty then
  std::vector<RankingRow> rows;  ///< those with a rank, the fastest first
  bool provisional = false;      ///< see score/rank.hpp
  std::string own_text;  ///< rank, percentile and distance to the next, or why there is no rank
};

/// False too where the ranked case is hidden.
bool is_ranked(const Config& config);

/// `own`: the owner who reads. The order and the times are those of Gradebook::ranking().
/// Students see none while staff hold the grades.
Ranking ranking_of(const Service& service, const course::Assignment& assignment,
                   const std::string& own, bool for_staff = false);

/// The names of owners in the ranking, as they are now.
class RankingNames {
 public:
  explicit RankingNames(const Service& service);
  /// The chosen one in quotation marks, so that it cannot pass for another's alias; else the alias
  /// "amber-heron-41": stable in a course, and told by nothing but the course's own secret.
  std::string operator()(const std::string& owner) const;

 private:
  std::string secret_;
  std::map<std::string, std::string> chosen_;
};
/// By owner, of those who chose one.
std::map<std::string, std::string> chosen_names(const Service& service);
/// An empty name goes back to the alias. At most 40 printable characters are kept.
void choose_name(Service& service, const std::string& owner, const std::string& name);

}  // namespace opgrade::service
