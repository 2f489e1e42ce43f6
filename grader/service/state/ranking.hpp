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

/// Caches the ranked class of each assignment. It is computed again if the content of the store,
/// the roster or the config has changed.
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
  std::string name;   ///< an alias, or the name that the owner chose
  std::string owner;  ///< for staff: the owner whom `name` stands for
  double time_ms = 0;
  bool own = false;
};

struct Ranking {
  std::string why_none;  ///< the reason if the assignment has no ranking to show; the other members
                         ///< are empty then
  std::vector<RankingRow> rows;  ///< the rows with a rank, the fastest first
  bool provisional = false;      ///< see score/rank.hpp
  std::string own_text;  ///< the reader's rank, percentile and distance to the next rank, or why
                         ///< there is no rank
};

/// True if the assignment has a ranking and its case is not hidden.
bool is_ranked(const Config& config);

/// The ranking for a reader. `own` is the owner to whom the reader belongs. The order and the times
/// are those of Gradebook::ranking(). Students see no ranking while staff hold the grades.
Ranking ranking_of(const Service& service, const course::Assignment& assignment,
                   const std::string& own, bool for_staff = false);

/// The names of owners in the ranking, as they are now.
class RankingNames {
 public:
  explicit RankingNames(const Service& service);
  /// The name that the owner chose, in quotation marks, so that it cannot pass for another's alias;
  /// else an alias such as "amber-heron-41". An alias is stable in a course, and cannot be derived
  /// without the course's secret.
  std::string operator()(const std::string& owner) const;

 private:
  std::string secret_;
  std::map<std::string, std::string> chosen_;
};
/// The chosen names by owner, of owners who chose one.
std::map<std::string, std::string> chosen_names(const Service& service);
/// Sets an owner's name in the ranking. An empty name restores the alias. At most 40 printable
/// characters are kept.
void choose_name(Service& service, const std::string& owner, const std::string& name);

}  // namespace opgrade::service
