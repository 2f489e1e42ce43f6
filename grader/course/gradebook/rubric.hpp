/// rubric.yaml: the rules by which a document is marked. The functions are pure: a rubric and the
/// marks of a document give its points.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/files/yaml_reader.hpp"

namespace opgrade::course {

/// An item that a grader may tick. Its points are added, or subtracted if they are negative.
struct RubricItem {
  std::string name;  ///< unique in the rubric; marks refer to it
  double points = 0;
  std::string text;  ///< for graders and students
};

struct RubricGroup {
  enum class Begins { none, all };  ///< the group's points before an item applies
  enum class Takes { several, one };
  std::string name;  ///< unique in the rubric, also among the items
  std::string title;
  double points = 0;  ///< the most that the group gives; it never gives less than 0
  Begins begins = Begins::none;
  Takes takes = Takes::several;
  std::vector<RubricItem> items;
};

struct Rubric {
  std::vector<RubricGroup> groups;

  double maximum() const;
  const RubricGroup* find_group(const std::string& name) const;
  /// The item and its group; two nullptr for a name that the rubric lacks.
  std::pair<const RubricGroup*, const RubricItem*> find_item(const std::string& name) const;
};

struct LoadedRubric {
  Rubric rubric;
  /// All that the text has; the rubric is usable only if there are none.
  std::vector<ConfigProblem> problems;
};

/// Never throws for the content of the text.
LoadedRubric parse_rubric(const std::string& text, const std::string& file_name);

/// Points that a grader adds apart from the items.
struct FreePoints {
  double points = 0;
  std::string text;  ///< why, for the student
};

/// What graders decided about one document.
struct Marks {
  std::set<std::string> items;                  ///< names of the items that apply
  std::map<std::string, FreePoints> free;       ///< by group
  std::map<std::string, std::string> comments;  ///< by group or item; "": on the whole document
  bool done = false;                            ///< a grader finished the document
  std::string done_by;                          ///< the grader who finished it last

  bool empty() const { return items.empty() && free.empty() && comments.empty() && !done; }
};

struct GroupPoints {
  const RubricGroup* group = nullptr;      ///< a group of the rubric that points_of() got
  std::vector<const RubricItem*> items{};  ///< the items that apply, in the rubric's order
  double points = 0;                       ///< from 0 to the group's points
};

struct RubricPoints {
  std::vector<GroupPoints> groups{};  ///< all of the rubric, in its order
  double points = 0;                  ///< from 0 to the rubric's maximum
};

/// The order in which marks were made does not matter. Marks that refer to no item or group of the
/// rubric are ignored. If several items of a group that takes one are ticked, the first of the
/// rubric applies.
RubricPoints points_of(const Rubric& rubric, const Marks& marks);

/// The differences of two rubrics, a line for each: "figures/axes: -2 -> -1 points". Empty if both
/// give the same points with the same texts.
std::vector<std::string> differences(const Rubric& before, const Rubric& after);

}  // namespace opgrade::course
