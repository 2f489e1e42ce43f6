#include "grader/course/folder/course_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <set>

#include "grader/base/files/text_file.hpp"
#include "grader/course/folder/fields.hpp"
#include "grader/task/config/field_reader.hpp"
#include "grader/task/config/task_files.hpp"

namespace opgrade::course {
namespace {

class CourseReader;

/// Visits the fields of one mapping.
class CourseFields : public FieldReader<CourseReader> {
 public:
  using FieldReader::FieldReader;
  using FieldReader::word;

  void word(const char* key, bool& value, std::span<const std::string_view> names, const Doc& doc) {
    std::string name(names[value ? 1 : 0]);
    word(key, name, names, doc);
    value = name == names[1];
  }

  template <class T>
  void form(const char* key, T& value, const Form<T>& form, const Doc&) {
    if (!map_.use_key(key)) return;
    std::string text;
    map_.read(key, text);
    if (map_.node(key).IsScalar() && !form.reads(text, value))
      problems_.add(map_.node(key),
                    fmt::format("'{}' must be {}, not '{}'", key, form.must_be, text));
  }

  template <class T>
  void required_form(const char* key, T& value, const Form<T>& form, const Doc& doc) {
    map_.require(key);
    this->form(key, value, form, doc);
  }

  using TimeForm = Form<std::optional<WallTime>>;
  void deadline(const char* key, Moment& value, const TimeForm& form, const Doc&);
  void opening(const char* key, std::optional<Moment>& value, const TimeForm& form, const Doc&) {
    if (map_.use_key(key)) value = moment(key, map_.node(key), form);
  }
  void deadlines(const char* key, std::map<std::string, Moment>& values, const TimeForm& form,
                 const Doc&) {
    if (!map_.use_key(key)) return;
    if (!map_.node(key).IsMap())
      problems_.add(map_.node(key), fmt::format("'{}' must be a mapping of names to times", key));
    else
      for (const auto& one : map_.node(key))
        if (const auto time = moment(key, one.second, form)) values[one.first.Scalar()] = *time;
  }

  template <class Record>
  void short_form(const char* key, Record& value, std::string& text, const Doc& doc) {
    if (!map_.use_key(key)) return;
    if (map_.node(key).IsScalar())
      map_.read(key, text);
    else
      (*this)(key, value, doc);
  }

  void price(const char* key, LateRule& rule, LateRule::Price price, const Doc&, Range range) {
    if (!map_.use_key(key)) return;
    ++prices;
    rule.price = price;
    map_.read(key, rule.a_day, range.minimum, range.maximum);
  }

  int prices = 0;  ///< number of prices that were found

 private:
  std::optional<Moment> moment(const char* key, const YAML::Node& node, const TimeForm& form);
};

/// Reads records by their fields, and checks what one field alone does not show.
class CourseReader {
 public:
  explicit CourseReader(ProblemList& problems) : problems_(problems) {}

  Course read(const YAML::Node& root) {
    read(root, "the course", file_);
    if (!undated_.empty())
      problems_.add(first_undated_,
                    fmt::format("the deadline has {} in the place of a date: fill in those of {}",
                                kDateToFillIn, fmt::join(undated_, ", ")));
    for (const Assignment& a : file_.course.assignments)
      if (!a.report.file.empty()) add_documents_of(a);
    for (const Assignment& a : file_.course.assignments) {
      if (a.practice.config.empty()) continue;
      Assignment& runs = file_.course.practice.emplace_back(a);
      runs.name = std::string(kPractice) + a.name;
      runs.title = "Practice for " + a.title;
      runs.config = a.practice.config;
      runs.attempts_a_day = a.practice.a_day;
      runs.counts = {Counting::Which::best};
      runs.late = {.days = 365};
      runs.is_practice = runs.released = true;
      runs.on_slurm = a.on_slurm && a.practice.on_devices;
      runs.report = {};
    }
    return std::move(file_.course);
  }

  const std::optional<TimeZone>& zone() const { return file_.course.zone; }

  /// Notes a deadline that staff have to fill in. All of them together give one complaint.
  void fill_in(const YAML::Node& deadline, const YAML::Node& assignment) {
    if (undated_.empty()) first_undated_.reset(deadline);
    undated_.push_back(assignment.IsScalar() ? assignment.Scalar() : "");
  }

 private:
  friend class FieldReader<CourseReader>;

  /// Adds the documents of an assignment. For each section they are due as much later than the code
  /// as for the others.
  void add_documents_of(const Assignment& a) {
    Assignment& documents = file_.course.reports.emplace_back(a);
    documents.name = std::string(kDocuments) + a.name;
    documents.title = "Report of " + a.title;
    documents.report_of = a.name;
    documents.attempts_a_day = 0;
    documents.counts = {};
    documents.late = a.report.late.value_or(a.late);
    documents.practice = {};
    if (!a.report.deadline || !zone()) return;
    documents.deadline = *a.report.deadline;
    for (auto& [section, deadline] : documents.section_deadlines)
      deadline = zone()->later(deadline, a.deadline, documents.deadline);
  }

  template <class T>
  T& start(std::optional<T>& value) {
    return value.emplace();
  }

  template <class Record>
  void read(const YAML::Node& node, const std::string& what, Record& record) {
    if constexpr (std::is_same_v<Record, Assignment>) record = file_.defaults;
    MapReader map(node, what, problems_);
    CourseFields io(*this, problems_, map);
    fields(io, record);
    check(map, node, record, io.prices);
  }

  void check(MapReader& map, const YAML::Node&, const CourseFile& file, int) {
    if (map.use_key("assignments") && file.course.assignments.empty())
      problems_.add(map.node("assignments"), "'assignments' is empty: add at least one");
  }

  void check(MapReader& map, const YAML::Node& node, Assignment& a, int) {
    if (!map.node("title").IsDefined()) a.title = a.name;
    if (map.node("practice_a_day").IsDefined() && map.node("practice").IsMap() &&
        map.node("practice")["a_day"].IsDefined())
      problems_.add(
          map.node("practice_a_day"),
          "'practice_a_day' and 'a_day' of 'practice' both limit practice runs: keep one");
    if (!names_.insert(a.name).second)
      problems_.add(map.node("name"), fmt::format("two assignments are named '{}'", a.name));
    if (a.on_slurm && a.slurm.shared.empty()) {
      problems_.add(node,
                    "'executor: slurm' needs 'shared' in 'slurm': a folder that all nodes see");
    }
  }

  void check(MapReader&, const YAML::Node& node, const LateRule&, int prices) {
    if (prices == 1 || !node.IsMap()) return;
    problems_.add(node,
                  "'late' needs one of percent_a_day, percent_of_maximum_a_day and points_a_day");
  }

  void check(MapReader& map, const YAML::Node&, const ReportRules& report, int) {
    if (report.largest < 1 || report.largest > kLargestDocument)
      problems_.add(map.node("largest"), "'largest' must be at most {} MiB",
                    kLargestDocument >> 20);
  }

  void check(MapReader&, const YAML::Node&, const SlurmSettings&, int) {}
  void check(MapReader&, const YAML::Node&, const GpuSettings&, int) {}
  void check(MapReader& map, const YAML::Node&, const Practice& practice, int) {
    for (const auto& tool : practice.tools)
      if (device_tool(tool) == nullptr)
        problems_.add(map.node("tools"), "'tools' must be of {}, not '{}'",
                      in_words(device_tool_names()), tool);
    if (practice.tool_file_bytes < 1 || practice.tool_file_bytes > kLargestToolFile)
      problems_.add(map.node("tool_file"),
                    fmt::format("'tool_file' must be at most {} MiB", kLargestToolFile >> 20));
  }

  ProblemList& problems_;
  CourseFile file_;
  YAML::Node first_undated_;
  std::vector<std::string> undated_;  ///< names of assignments
  std::set<std::string> names_;
};

void CourseFields::deadline(const char* key, Moment& value, const TimeForm& form, const Doc&) {
  map_.require(key);
  if (!map_.use_key(key)) return;
  if (const auto node = map_.node(key);
      node.IsScalar() && node.Scalar().starts_with(kDateToFillIn) && map_.use_key("name"))
    all_.fill_in(node, map_.node("name"));
  else
    value = moment(key, node, form).value_or(value);
}

std::optional<Moment> CourseFields::moment(const char* key, const YAML::Node& node,
                                           const TimeForm& form) {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  std::optional<WallTime> time;
  const auto& zone = all_.zone();
  if (!form.reads(text, time))
    problems_.add(node, fmt::format("'{}' must be {}, not '{}'", key, form.must_be, text));
  else if (zone && !time->end_of_day && !zone->exists(time->time))
    problems_.add(node,
                  fmt::format("the clocks of {} skip {} when they go forward; name another time",
                              zone->name(), text));
  else if (zone)
    return zone->moment(time->time);
  return std::nullopt;
}

}  // namespace

bool matches(const std::string& text, const char* pattern) {
  constexpr std::size_t kLongest = 1024;  // std::regex recurses for each character
  return text.size() <= kLongest && std::regex_match(text, std::regex(pattern));
}

bool read_zone(const std::string& text, std::optional<TimeZone>& zone) {
  zone = TimeZone::find(text);
  return zone.has_value();
}

bool read_keep(const std::string& text, std::chrono::months& keep) {
  keep = std::chrono::months(std::stoi(text) * (text.find("year") != text.npos ? 12 : 1));
  return keep.count() > 0;
}

bool read_span(const std::string& text, std::chrono::seconds& span) {
  const auto read = parse_span(text);
  if (read) span = *read;
  return read.has_value();
}

bool read_task_time(const std::string& text, std::chrono::seconds& time) {
  return read_span(text, time) && time.count() > 0;
}

bool read_counting(const std::string& text, Counting& counts) {
  using Which = Counting::Which;
  counts.which = text == "last" ? Which::last : text == "best" ? Which::best : Which::median;
  if (counts.which == Which::median) counts.of = text.back() - '0';
  return true;
}

bool read_deadline(const std::string& text, std::optional<WallTime>& time) {
  time = parse_wall_time(text);
  return time.has_value();
}

const Assignment* Course::find(const std::string& name) const {
  for (const auto* all : {&assignments, &practice, &reports})
    if (const auto found = std::ranges::find(*all, name, &Assignment::name); found != all->end())
      return &*found;
  return nullptr;
}

const Assignment* Course::report_for(const Assignment& assignment) const {
  const auto found = std::ranges::find(reports, assignment.name, &Assignment::report_of);
  return found == reports.end() ? nullptr : &*found;
}

std::optional<Moment> Course::delete_at() const {
  if (keep.count() == 0 || assignments.empty()) return std::nullopt;
  Moment last;
  for (const auto* all : {&assignments, &reports})
    for (const Assignment& a : *all) {
      last = std::max(last, a.deadline);
      for (const auto& [section, deadline] : a.section_deadlines) last = std::max(last, deadline);
    }
  const auto day = std::chrono::floor<std::chrono::days>(zone->local(last));
  std::chrono::year_month_day until = std::chrono::year_month_day(day) + keep;
  if (!until.ok()) until = until.year() / until.month() / std::chrono::last;
  return zone->moment(std::chrono::local_days(until));
}

LoadedCourse parse_course(const std::string& text, const std::string& file_name) {
  ProblemList problems(file_name);
  LoadedCourse loaded;
  try {
    if (const auto root = read_document(text, file_name, "course", problems))
      loaded.course = CourseReader(problems).read(*root);
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
  for (auto* all : {&loaded.course.assignments, &loaded.course.practice, &loaded.course.reports})
    for (auto& a : *all) {
      if (!a.report.file.empty())
        a.report.rubric = (file.parent_path() / a.report.rubric).lexically_normal().string();
      std::error_code ignored;
      const bool is_path =
          a.config.find('/') != std::string::npos || a.config.ends_with(".yaml") ||
          std::filesystem::exists(file.parent_path() / a.config / kTaskFile, ignored);
      if (is_path) a.config = (file.parent_path() / a.config).lexically_normal().string();
      // read_config() treats a text without a slash as a name.
      if (is_path && a.config.find('/') == std::string::npos) a.config = "./" + a.config;
    }
  return loaded;
}

}  // namespace opgrade::course
