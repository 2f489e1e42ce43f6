/// The keys of rubric.yaml: each once, with its value, limits and documentation. A test holds
/// configs/rubric.schema.json to them; UPDATE_GOLDEN=1 writes it anew.
#pragma once

#include "grader/course/folder/fields.hpp"
#include "grader/course/gradebook/rubric.hpp"

namespace opgrade::course {

inline constexpr double kMostRubricPoints = 10'000;

inline constexpr std::array<std::string_view, 2> kBeginsNames{"none", "all"};
inline constexpr std::array<std::string_view, 2> kTakesNames{"several", "one"};

constexpr EnumNames enum_names(RubricGroup::Begins) { return {"", kBeginsNames}; }
constexpr EnumNames enum_names(RubricGroup::Takes) { return {"", kTakesNames}; }

constexpr const char* item_name(const Rubric&) { return "the rubric"; }
constexpr const char* item_name(const RubricGroup&) { return "a group"; }
constexpr const char* item_name(const RubricItem&) { return "an item"; }

void fields(auto& io, Is<RubricItem> auto& i) {
  io.required_form("name", i.name, kName, "unique in the rubric; marks refer to it, so it stays");
  io.required("points", i.points, "added, or taken off if below 0",
              Range{-kMostRubricPoints, kMostRubricPoints});
  io.required("text", i.text, "for graders and students");
}

void fields(auto& io, Is<RubricGroup> auto& g) {
  io.required_form("name", g.name, kName, "unique in the rubric, also among the items");
  io("title", g.title, "heading; the name unless given");
  io.required("points", g.points, "the most that the group gives; the least is 0",
              Range{0, kMostRubricPoints});
  io("begins_with", g.begins, "none or all of the points, before an item applies");
  io("takes", g.takes, "several items, or one");
  io.required("items", g.items, "what graders tick");
}

void fields(auto& io, Is<Rubric> auto& r) {
  int version = 1;
  io.required("opgrade_rubric", version, "version of this format: 1", Range{1, 1});
  io.required("groups", r.groups, "parts of the document, each with its points");
}

}  // namespace opgrade::course
