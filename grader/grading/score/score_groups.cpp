#include "grader/grading/score/score_groups.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "grader/grading/score/score_stage.hpp"

namespace opgrade {
namespace {

/// How far a group's cases are right.
struct Standing {
  int right = 0, open = 0, ran = 0;
  std::string first_wrong;  ///< the first wrong case; if none is wrong, the first open case
  const BrokenRule* broken = nullptr;  ///< the first one of a case with right outputs

  bool whole() const { return right == ran && ran > 0; }
};

bool has_right_outputs(const CaseReport& c) {
  return c.outcome == Outcome::passed || c.outcome == Outcome::not_credible;
}

bool is_right(const CaseReport& c) { return has_right_outputs(c) && !c.broken_rule; }

bool is_open(const CaseReport& c) {
  if (c.broken_rule && has_right_outputs(c)) return c.broken_rule->open;
  return is_undecided(c.outcome) ||
         std::ranges::any_of(c.points, [](const PointItem& item) { return item.open; });
}

Standing standing_of(const std::vector<CaseReport*>& cases) {
  Standing standing{.ran = static_cast<int>(cases.size())};
  std::string first_open;
  for (const CaseReport* c : cases) {
    if (standing.broken == nullptr && c->broken_rule && has_right_outputs(*c))
      standing.broken = &*c->broken_rule;
    if (is_open(*c)) {
      ++standing.open;
      if (first_open.empty()) first_open = c->id;
    } else if (is_right(*c)) {
      ++standing.right;
    } else if (standing.first_wrong.empty()) {
      standing.first_wrong = c->id;
    }
  }
  if (standing.first_wrong.empty()) standing.first_wrong = first_open;
  return standing;
}

PointItem item_of(const CaseGroupConfig& group, const Standing& standing, int all) {
  PointItem item{.name = "group " + group.name,
                 .max_points = group.points * standing.ran / std::max(all, 1),
                 .reason = why::RightCases{standing.right, standing.ran}};
  // Else nothing tells why a case with right outputs does not count.
  if (standing.broken != nullptr) item.reason = standing.broken->reason;
  const bool lost =
      group.score == CaseGroupConfig::Score::all && standing.right + standing.open < standing.ran;
  item.open = standing.open > 0 && !lost;
  if (item.open || lost) return item;
  item.points = item.max_points * standing.right / standing.ran;
  return item;
}

/// Withholds the points of `item`, because it depends on a group with this standing.
void withhold(PointItem& item, const std::string& needed, const Standing& standing) {
  const bool lost = standing.right + standing.open < standing.ran;
  item.points = 0;
  item.open = !lost;
  item.reason = why::NeedsGroup{needed, standing.first_wrong};
}

}  // namespace

void score_groups(const Config& config, Grade& grade) {
  std::map<std::string, Standing> standings;
  for (const auto& stage : config.stages) {
    const auto report = std::ranges::find(grade.stages, stage.name, &StageReport::name);
    if (report == grade.stages.end()) continue;
    for (const auto& group : stage.groups) {
      std::vector<CaseReport*> cases;
      for (auto& c : report->cases)
        if (weight_of(case_of(stage, c.id)).group == group.name) cases.push_back(&c);
      if (cases.empty()) continue;
      const Standing& standing = standings[group.name] = standing_of(cases);
      std::vector<PointItem*> items;
      for (CaseReport* c : cases) {
        if (group.score != CaseGroupConfig::Score::each) c->points.clear();  // the group's alone
        for (auto& item : c->points) items.push_back(&item);
      }
      if (group.points > 0)
        items.push_back(
            &report->points.emplace_back(item_of(group, standing, cases_in(stage, group.name))));
      const auto needed = standings.find(group.needs);
      if (needed == standings.end() || needed->second.whole()) continue;
      for (PointItem* item : items) withhold(*item, group.needs, needed->second);
    }
  }
}

}  // namespace opgrade
