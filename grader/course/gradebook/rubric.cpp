#include "grader/course/gradebook/rubric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradebook/rubric_fields.hpp"
#include "grader/task/config/field_reader.hpp"

namespace opgrade::course {
namespace {

class RubricReader;

class RubricFields : public FieldReader<RubricReader> {
 public:
  using FieldReader::FieldReader;

  template <class T>
  void required_form(const char* key, T& value, const Form<T>& form, const Doc&) {
    map_.require(key);
    map_.read(key, value);
    if (map_.use_key(key) && map_.node(key).IsScalar() && !form.reads(value, value))
      problems_.add(map_.node(key),
                    fmt::format("'{}' must be {}, not '{}'", key, form.must_be, value));
  }
};

class RubricReader {
 public:
  explicit RubricReader(ProblemList& problems) : problems_(problems) {}

  Rubric read(const YAML::Node& root) {
    Rubric rubric;
    read(root, "the rubric", rubric);
    return rubric;
  }

 private:
  friend class FieldReader<RubricReader>;

  template <class Record>
  void read(const YAML::Node& node, const std::string& what, Record& record) {
    MapReader map(node, what, problems_);
    RubricFields io(*this, problems_, map);
    fields(io, record);
    check(map, node, record);
  }

  void check(MapReader& map, const YAML::Node&, const Rubric& rubric) {
    if (map.use_key("groups") && rubric.groups.empty())
      problems_.add(map.node("groups"), "'groups' is empty: add at least one");
  }

  void check(MapReader& map, const YAML::Node&, RubricGroup& group) {
    take_name(map, group.name);
    if (group.title.empty()) group.title = group.name;
    // Complains if no item could change the points.
    const auto moves = [&](const RubricItem& item) {
      return group.begins == RubricGroup::Begins::all ? item.points < 0 : item.points > 0;
    };
    if (!group.items.empty() && group.points > 0 && std::ranges::none_of(group.items, moves))
      problems_.add(map.node("items"),
                    group.begins == RubricGroup::Begins::all
                        ? "the group begins with all of its points, so an item must take some off: "
                          "give it points below 0"
                        : "the group begins with no points, so an item must add some: give it "
                          "points above 0, or begin with all of them (begins_with: all)");
  }

  void check(MapReader& map, const YAML::Node&, const RubricItem& item) {
    take_name(map, item.name);
  }

  void take_name(MapReader& map, const std::string& name) {
    if (!name.empty() && !names_.insert(name).second)
      problems_.add(map.node("name"),
                    "two groups or items are named '{}': marks could not tell them apart", name);
  }

  ProblemList& problems_;
  std::set<std::string> names_;
};

std::string item_text(const RubricItem& item) {
  return fmt::format("{} points: {}", points_text(item.points), item.text);
}

std::string group_text(const RubricGroup& group) {
  return fmt::format("{} points, begins with {}, takes {}: {}", points_text(group.points),
                     kBeginsNames[static_cast<std::size_t>(group.begins)],
                     kTakesNames[static_cast<std::size_t>(group.takes)], group.title);
}

/// What the rubric says of each group and item, by name.
std::map<std::string, std::string> lines_of(const Rubric& rubric) {
  std::map<std::string, std::string> lines;
  for (const RubricGroup& group : rubric.groups) {
    lines[group.name] = group_text(group);
    for (const RubricItem& item : group.items)
      lines[group.name + "/" + item.name] = item_text(item);
  }
  return lines;
}

}  // namespace

double Rubric::maximum() const {
  double sum = 0;
  for (const RubricGroup& group : groups) sum += group.points;
  return sum;
}

const RubricGroup* Rubric::find_group(const std::string& name) const {
  const auto found = std::ranges::find(groups, name, &RubricGroup::name);
  return found == groups.end() ? nullptr : &*found;
}

std::pair<const RubricGroup*, const RubricItem*> Rubric::find_item(const std::string& name) const {
  for (const RubricGroup& group : groups)
    if (const auto found = std::ranges::find(group.items, name, &RubricItem::name);
        found != group.items.end())
      return {&group, &*found};
  return {nullptr, nullptr};
}

LoadedRubric parse_rubric(const std::string& text, const std::string& file_name) {
  ProblemList problems(file_name);
  LoadedRubric loaded;
  try {
    if (const auto root = read_document(text, file_name, "rubric", problems))
      loaded.rubric = RubricReader(problems).read(*root);
  } catch (const YAML::Exception& e) {
    problems.add_in(file_name, e.mark, e.msg);
  }
  loaded.problems = problems.take();
  return loaded;
}

RubricPoints points_of(const Rubric& rubric, const Marks& marks) {
  RubricPoints all;
  for (const RubricGroup& group : rubric.groups) {
    GroupPoints& part = all.groups.emplace_back(GroupPoints{&group});
    double sum = group.begins == RubricGroup::Begins::all ? group.points : 0;
    for (const RubricItem& item : group.items) {
      if (!marks.items.contains(item.name)) continue;
      if (group.takes == RubricGroup::Takes::one && !part.items.empty()) break;
      part.items.push_back(&item);
      sum += item.points;
    }
    if (const auto free = marks.free.find(group.name);
        free != marks.free.end() && std::isfinite(free->second.points))
      sum += free->second.points;
    part.points = std::clamp(sum, 0.0, group.points);
    all.points += part.points;
  }
  return all;
}

std::vector<std::string> differences(const Rubric& before, const Rubric& after) {
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [name, text] : lines_of(before)) both[name].first = text;
  for (const auto& [name, text] : lines_of(after)) both[name].second = text;
  std::vector<std::string> lines;
  for (const auto& [name, texts] : both) {
    const auto& [was, is] = texts;
    if (was.empty())
      lines.push_back(fmt::format("{} is new: {}", name, is));
    else if (is.empty())
      lines.push_back(fmt::format("{} is removed: {}", name, was));
    else if (was != is)
      lines.push_back(fmt::format("{}: {} -> {}", name, was, is));
  }
  return lines;
}

}  // namespace opgrade::course
