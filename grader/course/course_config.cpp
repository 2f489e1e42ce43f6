#include "grader/course/course_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grader/core/yaml_document.hpp"
#include "grader/course/text_file.hpp"

namespace opgrade::course {
namespace {

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 64 && text[0] != '-' &&
         std::ranges::all_of(
             text, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

class CourseReader {
 public:
  explicit CourseReader(ProblemList& problems) : problems_(problems) {}

  Course read(const YAML::Node& root) {
    MapReader map(root, "the course", problems_);
    int version = 0;
    map.require("opgrade_course");
    map.read("opgrade_course", version, 1, 1);
    map.require("title");
    map.read("title", course_.title);
    map.require("time_zone");
    read_zone(map);
    read_executor(map, defaults_);
    map.require("assignments");
    map.each("assignments", [&](const YAML::Node& node) { read_assignment(node); });
    if (map.has("assignments") && course_.assignments.empty())
      problems_.add(map.node("assignments"), "'assignments' is empty: add at least one");
    return std::move(course_);
  }

 private:
  void read_zone(MapReader& map) {
    std::string name;
    map.read("time_zone", name);
    if (name.empty()) return;
    course_.zone = TimeZone::find(name);
    if (!course_.zone) {
      problems_.add(map.node("time_zone"),
                    fmt::format("'time_zone' must be an IANA name such as America/Chicago or "
                                "Europe/Berlin, not '{}'",
                                name));
    }
  }

  void read_assignment(const YAML::Node& node) {
    MapReader map(node, "an assignment", problems_);
    Assignment a = defaults_;
    map.require("name");
    map.read("name", a.name);
    if (!a.name.empty() && !is_name(a.name)) {
      problems_.add(map.node("name"),
                    fmt::format("'name' must be letters, digits, '-' and '_', not '{}'", a.name));
    }
    if (!names_.insert(a.name).second)
      problems_.add(map.node("name"), fmt::format("two assignments are named '{}'", a.name));
    a.title = a.name;
    map.read("title", a.title);
    map.require("config");
    map.read("config", a.config);
    map.require("deadline");
    read_deadline(map, a);
    if (map.has("grace")) read_span(map, "grace", a.grace);
    if (map.has("late")) read_late(map.node("late"), a.late);
    map.read("attempts_a_day", a.attempts_a_day, 0, 10'000);
    if (map.has("counts")) read_counts(map, a.counts);
    map.read("teams", a.teams);
    map.read("canvas_id", a.canvas_id);
    if (!std::ranges::all_of(a.canvas_id, [](unsigned char c) { return std::isdigit(c); })) {
      problems_.add(map.node("canvas_id"),
                    fmt::format("'canvas_id' must be the number at the end of the assignment's "
                                "address in Canvas, not '{}'",
                                a.canvas_id));
    }
    read_executor(map, a);
    if (a.on_slurm && a.slurm.shared.empty()) {
      problems_.add(node,
                    "'executor: slurm' needs 'shared' in 'slurm': a folder that all nodes see");
    }
    course_.assignments.push_back(std::move(a));
  }

  void read_executor(MapReader& map, Assignment& a) {
    std::string executor = a.on_slurm ? "slurm" : "local";
    map.read("executor", executor);
    a.on_slurm = executor == "slurm";
    if (executor != "slurm" && executor != "local") {
      problems_.add(map.node("executor"),
                    fmt::format("'executor' must be local or slurm, not '{}'", executor));
    }
    if (map.has("slurm")) read_slurm(map.node("slurm"), problems_, a.slurm);
  }

  void read_deadline(MapReader& map, Assignment& a) {
    std::string text;
    map.read("deadline", text);
    if (text.empty() || !course_.zone) return;
    const auto time = parse_wall_time(text);
    if (!time) {
      problems_.add(map.node("deadline"),
                    fmt::format("'deadline' must be a date and a time of the course's clock, such "
                                "as 2026-10-12 23:59 or 2026-10-12 24:00, not '{}'",
                                text));
    } else if (!time->end_of_day && !course_.zone->exists(time->time)) {
      problems_.add(map.node("deadline"),
                    fmt::format("the clocks of {} skip {} when they go forward; name another time",
                                course_.zone->name(), text));
    } else {
      a.deadline = course_.zone->moment(time->time);
    }
  }

  void read_span(MapReader& map, const std::string& key, std::chrono::seconds& value) {
    std::string text;
    map.read(key, text);
    if (const auto span = parse_span(text)) {
      value = *span;
    } else {
      problems_.add(map.node(key),
                    fmt::format("'{}' must be a time with its unit (30 s, 10 min, 1 h), not '{}'",
                                key, text));
    }
  }

  void read_late(const YAML::Node& node, LateRule& rule) {
    MapReader map(node, "'late'", problems_);
    map.require("days");
    map.read("days", rule.days, 0, 365);
    int given = 0;
    for (const auto& [key, price] :
         {std::pair{"percent_a_day", LateRule::Price::percent_of_earned},
          {"percent_of_maximum_a_day", LateRule::Price::percent_of_maximum},
          {"points_a_day", LateRule::Price::points}}) {
      if (!map.has(key)) continue;
      ++given;
      rule.price = price;
      map.read(key, rule.a_day, 0, price == LateRule::Price::points ? 1e6 : 100);
    }
    if (given != 1 && node.IsMap()) {
      problems_.add(node,
                    "'late' needs one of percent_a_day, percent_of_maximum_a_day and points_a_day");
    }
  }

  void read_counts(MapReader& map, Counting& counts) {
    std::string text;
    map.read("counts", text);
    constexpr std::string_view kMedian = "median of ";
    if (text == "last" || text == "best") {
      counts.which = text == "last" ? Counting::Which::last : Counting::Which::best;
      return;
    }
    if (text.starts_with(kMedian)) {
      const auto n = parse_number(text.substr(kMedian.size()));
      if (n && (*n == 3 || *n == 5 || *n == 7 || *n == 9)) {
        counts = {Counting::Which::median, static_cast<int>(*n)};
        return;
      }
    }
    problems_.add(map.node("counts"),
                  fmt::format("'counts' must be last, best or 'median of n' with n = 3, 5, 7 or 9, "
                              "not '{}'",
                              text));
  }

  ProblemList& problems_;
  Course course_;
  Assignment defaults_;
  std::set<std::string> names_;
};

}  // namespace

const Assignment* Course::find(const std::string& name) const {
  const auto found = std::ranges::find(assignments, name, &Assignment::name);
  return found == assignments.end() ? nullptr : &*found;
}

LoadedCourse parse_course(const std::string& text, const std::string& file_name) {
  ProblemList problems(file_name);
  LoadedCourse loaded;
  try {
    if (text.find('\0') != std::string::npos) {
      problems.add_in(file_name, YAML::Mark::null_mark(), "not a text file");
    } else {
      const YamlDocument document = read_yaml(text);
      if (document.second)
        problems.add_in(file_name, *document.second,
                        "a second YAML document: one file is one course");
      loaded.course = CourseReader(problems).read(document.root.value_or(YAML::Node()));
    }
  } catch (const YAML::Exception& e) {
    problems.add_in(file_name, e.mark, e.msg);
  }
  loaded.problems = problems.take();
  return loaded;
}

LoadedCourse load_course(const std::filesystem::path& file) {
  const auto text = read_text_file(file);
  if (!text) return {{}, {{file.string(), 0, 0, text.error()}}};
  LoadedCourse loaded = parse_course(*text, file.string());
  for (auto& a : loaded.course.assignments) {
    const bool is_path = a.config.find('/') != std::string::npos || a.config.ends_with(".yaml");
    if (is_path) a.config = (file.parent_path() / a.config).lexically_normal().string();
    // read_config() takes a text without a slash for a name.
    if (is_path && a.config.find('/') == std::string::npos) a.config = "./" + a.config;
  }
  return loaded;
}

}  // namespace opgrade::course
