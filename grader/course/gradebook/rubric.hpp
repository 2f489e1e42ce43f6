/// rubric.yaml: what a document is marked by. Pure: a rubric and the marks of a document give its
/// points.
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

/// What a grader may tick. Its points are added, or taken off if they are negative.
struct RubricItem {
  std::string name;  ///< unique in the rubric; marks refer to it
  double points = 0;
  std::string text;  ///< for graders and students
};

struct RubricGroup {
  enum class Begins { none, all };  ///< of its points, before an item applies
  enum class Takes { several, one };
  std::string name;  ///< unique in the rubric, also among the items
  std::string title;
  double points = 0;  ///< the most that the group gives; the least is 0
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
  std::vector<ConfigProblem> problems;  ///< all of them; usable only when empty
};

/// Never throws for what the text says.
LoadedRubric parse_rubric(const std::string& text, const std::string& file_name);

/// Points of a grader's own, beside the items.
struct FreePoints {
  double points = 0;
  std::string text;  ///< why, for the student
};

/// What graders decided about one document.
struct Marks {
  std::set<std::string> items;                  ///< names of those that apply
  std::map<std::string, FreePoints> free;       ///< by group
  std::map<std::string, std::string> comments;  ///< by group or item; "": on the whole document
  bool done = false;                            ///< a grader finished the document
  std::string done_by;                          ///< the last who finished it

  bool empty() const { return items.empty() && free.empty() && comments.empty() && !done; }
};

struct GroupPoints {
  const RubricGroup* group = nullptr;      ///< of the rubric that was asked
  std::vector<const RubricItem*> items{};  ///< that apply, in the rubric's order
  double points = 0;                       ///< from 0 to the group's
};

struct RubricPoints {
  std::vector<GroupPoints> groups{};  ///< all of the rubric, in its order
  double points = 0;                  ///< from 0 to the rubric's maximum
};

/// The order in which marks were made does not matter. What the rubric lacks is left out. If
/// several items of a group that takes one are ticked, the first of the rubric applies.
RubricPoints points_of(const Rubric& rubric, const Marks& marks);

/// What differs, a line each: "figures/axes: -2 -> -1 points". Empty if both give the same points
/// with the same texts.
std::vector<std::string> differences(const Rubric& before, const Rubric& after);

}  // namespace opgrade::course
