#include "grader/task/config/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "grader/base/core/cpp_tokens.hpp"
#include "grader/base/core/gpu_rates.hpp"
#include "grader/base/core/nearest.hpp"
#include "grader/task/config/case_rules.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/count_bound.hpp"
#include "grader/task/config/extends.hpp"
#include "grader/task/config/field_reader.hpp"
#include "grader/task/config/registry.hpp"
#include "grader/task/config/task_files.hpp"
#include "grader/task/config/task_reader.hpp"
#include "grader/task/config/time_bound.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {
namespace {

/// The names after the last slash in the ids of a stage's other cases.
const std::set<std::string> kShapeCases{"random", "batches", "fixed"};

/// Keys of an assignment in course.yaml.
const std::set<std::string> kCourseKeys{"deadline", "grace", "late",     "attempts_a_day",
                                        "counts",   "teams", "canvas_id"};

bool same_case(const auto& a, const auto& b) { return a.model == b.model && a.batch == b.batch; }

/// Reads records by their fields, and checks what needs more than one field.
class ConfigReader {
 public:
  using KeptTasks = std::vector<std::shared_ptr<const FolderTask>>;

  ConfigReader(ProblemList& problems, std::filesystem::path file, const KeptTasks& kept)
      : problems_(problems), file_(std::move(file)), tasks_(kept) {}

  /// `task`: the config's own; null if the file names an interface.
  Config read(const YAML::Node& root, const std::shared_ptr<const FolderTask>& task) {
    config_.task = task;
    if (task) config_.interface = task->id();
    read(root, item_name(config_), config_);
    return std::move(config_);
  }

  std::vector<ModelFile> take_model_files() { return std::move(model_files_); }

 private:
  friend class FieldReader<ConfigReader>;

  template <class Record>
  void read(const YAML::Node& node, const std::string& what, Record& record) {
    if constexpr (std::is_same_v<Record, StageConfig>) {
      stage_ = &record;
      cases_.clear();
      if (!read_own_task(node, record)) return;
    }
    MapReader map(node, what, problems_);
    FieldReader<ConfigReader> io(*this, problems_, map);
    fields(io, record);
    if constexpr (requires { record.visibility; }) join_visibility(map, record);
    check(map, node, record);
  }

  /// Joins `visibility` and `hidden`, the key of 0.1, to one value.
  void join_visibility(MapReader& map, auto& check) {
    using enum Visibility;
    const bool shown = check.visibility == open || check.visibility == name;
    if (check.hidden && shown && map.use_key("visibility"))
      problems_.add(map.node("visibility"), "'visibility' and 'hidden' contradict each other");
    check.hidden = check.hidden || !shown;
    if (check.visibility == hidden) check.visibility = open;
  }

  template <class T>
  T& start(std::optional<T>& value) {
    return value.emplace();
  }
  /// A case's timing has the config's values as defaults.
  TimingConfig& start(std::optional<TimingConfig>& timing) {
    return timing.emplace(config_.timing);
  }

  bool uses_alternative_key(MapReader& map, const CaseConfig&, const char* key) {
    (void)map.use_key("name");  // marks the key as known in any case
    return map.use_key(key) || !task().has_networks();
  }
  bool uses_alternative_key(MapReader& map, const auto& record, const char* key) {
    // Marks the keys as known in any case.
    if constexpr (requires { record.forbidden; }) (void)map.use_key("require");
    if constexpr (requires { record.at_most; }) (void)map.use_key("at_most");
    return map.use_key(key);
  }

  /// Sets the task of a stage that has its own: the folder that its `task` names, or the kept task
  /// that its `interface` names. Returns false, with problems, if the task cannot be used, because
  /// the rest of the stage would then be checked against another task.
  bool read_own_task(const YAML::Node& node, StageConfig& stage) {
    if (!node.IsMap()) return true;
    const YAML::Node path = node["task"], interface = node["interface"];
    const auto is = [](const std::string& id) {
      return [&id](const auto& known) { return known && known->id() == id; };
    };
    if (!path) {
      const std::string id = interface && interface.IsScalar() ? interface.Scalar() : "";
      if (const auto kept = std::ranges::find_if(tasks_, is(id)); kept != tasks_.end())
        stage.task = *kept;
      return true;
    }
    incomplete_ = true;
    if (interface)
      problems_.add(interface,
                    "'interface' names one of opgrade's tasks: leave it out beside "
                    "'task'");
    else if (!path.IsScalar())
      problems_.add(path, "'task' of a stage is the path of a task's folder");
    else
      stage.task = read_task(node, problems_);
    if (!stage.task) return false;
    incomplete_ = false;
    // Two stages of one task share its object and what belongs to it, such as the process of its
    // reference.
    stage.interface = stage.task->id();
    const auto known = std::ranges::find_if(tasks_, is(stage.interface));
    if (known != tasks_.end())
      stage.task = *known;
    else
      tasks_.push_back(stage.task);
    if (!node["folder"]) stage.folder = stage.task->description().name;
    return true;
  }

  const Task& task(const StageConfig& stage) const {
    const Task* found = find_task(config_, stage);
    return found ? *found : *tasks().front();
  }
  /// The task of the stage that is being read.
  const Task& task() const { return task(*stage_); }

  void read_models(const YAML::Node& node, std::map<std::string, ModelConfig>& models) {
    if (!node.IsDefined() || node.IsNull()) return;
    if (!node.IsMap()) return problems_.add(node, "'models' must be a mapping of names to models");
    for (const auto& entry : node) {
      const std::string name = entry.first.Scalar();
      problems_.check_text(entry.first, "a model's name");
      ModelConfig model;
      read(entry.second, fmt::format("model '{}'", name), model);
      if (!models.emplace(name, model).second)
        problems_.add(entry.first, "model '{}' is given twice", name);
    }
  }

  /// Reads the sizes that the task names.
  Coordinates read_sizes(const YAML::Node& node, const std::string& what) {
    MapReader map(node, what, problems_);
    Coordinates sizes;
    for (const auto& [name, required] : task().size_names()) {
      const std::string key(name);
      int value = 1;
      if (required) map.require(key);
      const bool own = folder_task_of(config_, *stage_) == nullptr;
      map.read(key, value, own ? 1 : 0, own ? kMaxSize : kMaxTaskSize);
      sizes.push_back({key, value});
    }
    if (const auto complaint = task().complaint(sizes); !complaint.empty())
      problems_.add(node, complaint);
    if (find_task(config_, *stage_) == nullptr) return sizes;  // an unknown interface
    const auto why = task().interface_complaint(interface_of(config_, *stage_), sizes);
    if (!why.empty()) problems_.add(node, why);
    return sizes;
  }

  /// Reads the text that bound_text() writes.
  void read_bound(MapReader& map, const std::string& key, TimeBound& bound) {
    std::string text;
    map.read(key, text);
    if (text.empty()) return;
    if (const auto read = parse_time_bound(text)) {
      bound = *read;
      if (bound.unit == TimeBound::Unit::roofline && bound.value > 1)
        problems_.add(map.node(key),
                      "'{}' is {}, more than the whole of a GPU's rates: a share is at most 1{}",
                      key, text,
                      bound.value > 100 || bound.value < 2
                          ? ""
                          : fmt::format(". Write {} for {} %", bound.value / 100, bound.value));
    } else {
      problems_.add(
          map.node(key),
          "'{}' must be a time (70 ms), a multiple (3 x reference) or a rate (300 GB/s, 2 "
          "TFLOP/s, 0.6 of roofline), not '{}'",
          key, text);
    }
  }

  void check(MapReader& map, const YAML::Node&, const auto& record) {
    if constexpr (requires { record.advice; }) check_advice(map, record);
    if constexpr (requires { record.count; }) check_runs(map, record, record.count > 0, "count");
  }

  void check(MapReader& map, const YAML::Node& node, Config& config) {
    if (std::ranges::find(kGpuNames, config.roofline) == kGpuNames.end())
      problems_.add(map.node("roofline"), "'roofline' must be {}, not '{}'", in_words(kGpuNames),
                    config.roofline);
    for (const auto& entry : node.IsMap() ? node : YAML::Node(YAML::NodeType::Map)) {
      if (!entry.first.IsScalar() || !kCourseKeys.contains(entry.first.Scalar())) continue;
      const std::string& key = entry.first.Scalar();
      (void)map.use_key(key);  // so that it is not an unknown key as well
      problems_.add(entry.first,
                    "'{}' belongs in a course's course.yaml, beside the assignment's "
                    "'config'; `opgrade course init DIR` writes an example",
                    key);
    }
    if (!map.node("title").IsDefined()) config.title = config.name;
    check_tasks(map);
    if (config.pass_mark > config.max_points() && !incomplete_)
      problems_.add(map.node("pass_mark"), "'pass_mark' is {}, but all points together are {}",
                    config.pass_mark, config.max_points());
  }

  /// Complains about tasks of the same name, because their names are those of the students' files.
  void check_tasks(MapReader& map) {
    std::map<std::string, std::string> ids;
    for (const auto& task : folder_tasks(config_)) {
      const std::string& name = task->description().name;
      const auto [known, is_new] = ids.emplace(name, task->id());
      if (!is_new && known->second != task->id())
        problems_.add(map.node("stages"),
                      "two of the exercises are named '{}', and so are their files: give one of "
                      "them another 'name'",
                      name);
    }
  }

  void check(MapReader& map, const YAML::Node&, ModelConfig& model) {
    for (auto& [key, value] :
         {std::pair("network", &model.network), std::pair("weights", &model.weights)}) {
      const YAML::Node written = map.node(key);
      set_place(*value, written);
      if (!value->empty()) model_files_.push_back({key, *value, problems_.about(written, "")});
    }
  }

  /// Makes the path relative to the file that contains it, which may be one that the config
  /// extends.
  void set_place(std::string& path, const YAML::Node& written) {
    if (path.find('/') == path.npos || path.starts_with('/')) return;
    const std::filesystem::path file = problems_.file_of(written);
    if (in_one_folder(file, file_)) return;
    const auto place = (file.parent_path() / path).lexically_normal();
    const auto relative = place.lexically_proximate(file_.parent_path()).string();
    path = relative.find('/') == relative.npos ? "./" + relative : relative;
  }

  void check(MapReader& map, const YAML::Node&, const FilesConfig& files) {
    for (const auto& folder : files.folders) check_inside(map.node("folders"), folder);
  }

  void check_inside(const YAML::Node& node, const std::string& folder) {
    const std::filesystem::path path(folder);
    const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
    if (path.is_absolute() || climbs)
      problems_.add(node, "folder '{}' must lie inside the submission", folder);
  }

  void check(MapReader& map, const YAML::Node&, const HandedOutFile& file) {
    const std::filesystem::path name(file.name);
    if (name.has_parent_path() || !name.has_stem() || file.name.starts_with('.'))
      problems_.add(map.node("name"), "'{}' must be the plain name of a file, such as matmul.h",
                    file.name);
    if (const YAML::Node text = map.node("text"); text.IsDefined() && file.text.bytes.empty())
      problems_.add(text, "'text' has no lines");
    if (!handed_out_.insert(file.name).second)
      problems_.add(map.node("name"), "'{}' is handed out twice", file.name);
  }

  /// Checks that handed out files are not the only sources, because a student must write at least
  /// one.
  void check_sources(MapReader& map, const StageConfig& stage) {
    const auto is_handed_out = [&](const std::string& name) { return handed_out_.contains(name); };
    if (!stage.sources.empty() && std::ranges::all_of(stage.sources, is_handed_out))
      problems_.add(map.node("sources"),
                    "the course hands out all of these: list a file that "
                    "students write");
  }

  void check(MapReader& map, const YAML::Node& node, const ConstructConfig& construct) {
    if (!construct.forbidden.empty() && map.node("require").IsDefined())
      problems_.add(node, "a construct has 'require' or 'forbid', not both");
    if (construct.points > 0 && !construct.case_name.empty())
      problems_.add(node, "a construct has 'points' or a 'case', not both");
    const std::string& text =
        construct.forbidden.empty() ? construct.required : construct.forbidden;
    for (const auto& token : cpp_tokens(text)) {
      const auto one = token.in(text);
      const auto refuse = [&](const char* why) {
        problems_.add(node, "the construct '{}' matches no source: {}", text, why);
      };
      if (one == "_Pragma")
        refuse("the compiler makes a pragma of it. Write '#pragma omp parallel', for both forms");
      else if (one.starts_with('#') && !one.starts_with("#pragma"))
        refuse("of the lines that begin with '#' the compiler leaves those of #pragma alone");
      else if ((one.front() == '"' || one.front() == '\'') &&
               (one.size() == 1 || one.back() != one.front()))
        refuse("its quotes are not closed. A text in quotes is one token: name all of it");
    }
  }

  void check(MapReader& map, const YAML::Node& node, const CountRule& rule) {
    if (!rule.at_least.empty() && map.node("at_most").IsDefined())
      problems_.add(node, "a rule on counts has 'at_most' or 'at_least', not both");
  }

  void check(MapReader& map, const YAML::Node&, const TimingConfig& timing) {
    if (map.use_key("abort_above") && timing.warm_ups == 0)
      problems_.add(map.node("abort_above"),
                    "'abort_above' needs 'full_warmups': it is about their first");
  }

  void check(MapReader& map, const YAML::Node& node, StageConfig& stage) {
    check_sources(map, stage);
    check_inside(map.node("folder"), stage.folder);
    if (!map.node("title").IsDefined()) stage.title = stage.name;
    if (!stage_names_.insert(stage.name).second)
      problems_.add(map.node("name"), "two stages are named '{}'", stage.name);
    if (stage.cases.empty() && stage.random_shapes.count == 0 && stage.random_batches.count == 0 &&
        stage.fixed_shapes.shapes.empty())
      problems_.add(node,
                    "stage '{}' has nothing to run: give it cases or random_shapes, or name the "
                    "other stages in 'only', at the top of the config",
                    stage.name);
    if (stage.gpus > 1 && stage.device == Device::cpu)
      problems_.add(map.node("gpus"), "'gpus' needs a stage with device cuda or emulated");
    check_groups(map, stage);
    check_counts(map, stage);
    for (const auto& construct : stage.constructs)
      if (!construct.case_name.empty() &&
          std::ranges::find(stage.cases, construct.case_name, &CaseConfig::model) ==
              stage.cases.end())
        problems_.add(map.node("constructs"),
                      "'constructs' names the case {}, which this stage does not run",
                      construct.case_name);
  }

  void check_counts(MapReader& map, const StageConfig& stage) {
    const auto complain = [&](const std::string& text) { problems_.add(map.node("counts"), text); };
    if (!stage.counts.empty() && stage.device == Device::cpu)
      complain("'counts' needs a stage with device cuda or emulated");
    for (const auto& rule : stage.counts) {
      const auto counted = std::ranges::find_if(
          stage.cases, [&](const CaseConfig& c) { return same_case(c, rule); });
      if (counted == stage.cases.end()) {
        complain(fmt::format("'counts' names the case {}, which this stage does not run",
                             case_name(rule.model, rule.batch)));
        continue;
      }
      Coordinates sizes = counted->sizes;
      if (sizes.empty())
        for (const SizeName& size : task().size_names())
          sizes.push_back({std::string(size.name), 64});
      const CountName* const count = find_count(rule.count);
      const std::string& text = rule.at_least.empty() ? rule.at_most : rule.at_least;
      try {
        if (count_bound(text, sizes).times_ideal && count != nullptr && count->ideal == nullptr)
          complain(fmt::format("{} has no ideal count: give a number or an expression of the sizes",
                               rule.count));
      } catch (const std::invalid_argument& e) {
        complain(fmt::format("the bound '{}' of {}: {}", text, rule.count, e.what()));
      }
    }
  }

  void check_groups(MapReader& map, const StageConfig& stage) {
    const auto complain = [&](const std::string& text) {
      problems_.add(map.use_key("groups") ? map.node("groups") : map.node("name"), text);
    };
    for (const auto& group : stage.groups) {
      if (!group.needs.empty() && !groups_.contains(group.needs))
        complain(fmt::format("group '{}' requires '{}', which is no earlier group", group.name,
                             group.needs));
      if (!groups_.insert(group.name).second)
        complain(fmt::format("two groups are named '{}'", group.name));
      const bool each = group.score == CaseGroupConfig::Score::each;
      if (each && group.points > 0)
        complain(
            fmt::format("group '{}' has points, and so may its cases: name the score 'all' or "
                        "'fraction'",
                        group.name));
      int cases = 0;
      const auto count = [&](const auto& check) {
        if (check.group != group.name) return;
        ++cases;
        if (!each && check.points > 0)
          complain(
              fmt::format("a case of group '{}' has points, which only the group has", group.name));
      };
      for_each_check(stage, count);
      if (cases == 0) complain(fmt::format("no case is in group '{}'", group.name));
    }
    for_each_check(stage, [&](const auto& check) {
      const auto known = std::ranges::find(stage.groups, check.group, &CaseGroupConfig::name);
      if (!check.group.empty() && known == stage.groups.end())
        complain(fmt::format("stage '{}' has no group '{}'; list it in 'groups'", stage.name,
                             check.group));
    });
  }

  static void for_each_check(const StageConfig& stage, const auto& visit) {
    for (const auto& c : stage.cases) visit(c);
    visit(stage.random_shapes);
    visit(stage.random_batches);
    visit(stage.fixed_shapes);
  }

  void check(MapReader& map, const YAML::Node& node, const CaseConfig& c) {
    if (!uses_alternative_key(map, c, "sizes")) {
      check_model(map, c.model);
    } else if (kShapeCases.contains(c.model) || c.model.find('/') != c.model.npos) {
      problems_.add(map.node("name"), "a case cannot be named '{}'", c.model);
    }
    check_advice(map, c);
    check_accuracy(map, c);
    if (!cases_.insert({c.model, c.batch}).second)
      problems_.add(node, "the case {} is listed twice", case_name(c.model, c.batch));
  }

  void check(MapReader& map, const YAML::Node&, const RandomBatchesConfig& random) {
    check_model(map, random.model);
    check_advice(map, random);
    check_runs(map, random, random.count > 0, "count");
  }

  void check(MapReader& map, const YAML::Node&, const FixedShapesConfig& fixed) {
    check_advice(map, fixed);
    check_runs(map, fixed, !fixed.shapes.empty(), "shapes");
  }

  /// Complains about points of a check without calls, because every student would lose them.
  void check_runs(MapReader& map, const auto& check, bool runs, const char* key) {
    if (!runs && check.points > 0 && map.use_key(key))
      problems_.add(map.node(key), "'{}' leaves nothing to run, but the check has {} points", key,
                    check.points);
  }

  void check(MapReader& map, const YAML::Node&, const LimitConfig& limits) {
    // Far less than a program with the CUDA or C++ runtime needs. A limit above this that is still
    // too low shows in a case.
    constexpr std::int64_t kLeast = std::int64_t{64} << 20;
    if (limits.memory_bytes < kLeast)
      problems_.add(map.node("memory"), "'memory' is {}, but nothing runs in less than 64 MiB",
                    map.node("memory").Scalar());
  }

  /// An accuracy must be a share k/n, written with all its digits or with six, as programs print
  /// it. Other shares cannot be reached.
  void check_accuracy(MapReader& map, const CaseConfig& c) {
    if (!c.accuracy || c.batch < 1) return;
    constexpr double kSixDigits = 5.1e-7;
    const double images = *c.accuracy * c.batch;
    if (std::abs(std::round(images) - images) <= kSixDigits * c.batch) return;
    const double below = std::floor(images);
    problems_.add(map.node("accuracy"),
                  "'accuracy' {} is of no number among {} images; the nearest are "
                  "{:.6g} ({}) and {:.6g} ({})",
                  *c.accuracy, c.batch, below / c.batch, below, (below + 1) / c.batch, below + 1);
  }

  template <class Check>
  void check_advice(MapReader& map, const Check& check) {
    if (check.advice && check.run != RunWhen::always)
      problems_.add(map.node("advice"), "'advice' comes at hand-in: leave out 'run' or 'advice'");
    if (check.advice && check.points > 0)
      problems_.add(map.node("advice"), "'advice' earns no points: leave out 'points' or 'advice'");
    if (check.advice && check.hidden)
      problems_.add(map.node("advice"), "'advice' is for the student and cannot be 'hidden'");
  }

  void check_model(MapReader& map, const std::string& name) {
    if (name.empty() || config_.models.contains(name)) return;
    std::set<std::string> names;
    for (const auto& [known, model] : config_.models) names.insert(known);
    const auto meant = nearest(name, names);
    problems_.add(map.node("model"),
                  meant ? fmt::format("unknown model '{}'; did you mean '{}'?", name, *meant)
                        : fmt::format("unknown model '{}'; list it under 'models'", name));
  }

  void check(MapReader& map, const YAML::Node& node, const OpTimeRule& rule) {
    if (rule.needs(TimeBound::Unit::roofline) && stage_->device != Device::cuda)
      problems_.add(node, "'of roofline' is about a GPU: the stage needs 'device: cuda'");
    if (rule.needs(TimeBound::Unit::serial)) check_serial(node);
    if (rule.late) check_late(map, rule);
    if (rule.slope.over.empty()) check_bounds(map, rule);
    check_together(map, rule);
    for (const OpTimeRule& one : rule.by_case()) check_one(map, node, one);
  }

  void check(MapReader& map, const YAML::Node&, const OpTimeRule::Late& late) {
    OpTimeRule rule;
    rule.full = late.full;
    rule.zero = late.zero;
    rule.between = late.between;
    check_bounds(map, rule);
  }

  void check_late(MapReader& map, const OpTimeRule& rule) {
    const YAML::Node late = map.node("late");
    if (rule.late->points > rule.points)
      problems_.add(late, "'late' has {} points, more than the {} in time", rule.late->points,
                    rule.points);
    if (!rule.slope.over.empty())
      problems_.add(late,
                    "'late' has bounds of times, and the rule is about a slope: leave 'late' out");
    const OpTimeRule of_late = rule.for_late();
    if (of_late.needs(TimeBound::Unit::roofline) && stage_->device != Device::cuda)
      problems_.add(late, "'of roofline' is about a GPU: the stage needs 'device: cuda'");
    if (of_late.needs(TimeBound::Unit::serial)) check_serial(late);
  }

  void check_serial(const YAML::Node& node) {
    const FolderTask* const task = folder_task_of(config_, *stage_);
    if (task == nullptr)
      return problems_.add(node,
                           "only a task's folder has a 'serial/', whose Op Time a bound can be a "
                           "multiple of");
    const auto serial = task->folder() / "serial";
    if (!std::filesystem::is_directory(serial))
      problems_.add(node, "there is no {}, whose Op Time is part of a bound", serial.string());
  }

  void check_together(MapReader& map, const OpTimeRule& rule) {
    if (!map.use_key("cases")) {
      if (map.use_key("slope")) problems_.add(map.node("slope"), "'slope' needs 'cases'");
      return;
    }
    if (rule.cases.size() < 2)
      problems_.add(map.node("cases"), "'cases' needs two cases or more; 'case' names one");
    if (std::set(rule.cases.begin(), rule.cases.end()).size() < rule.cases.size())
      problems_.add(map.node("cases"), "'cases' names a case twice");
    if (!rule.slope.over.empty()) check_slope(map, rule);
  }

  /// Cases that the stage lacks are reported as another problem.
  void check_slope(MapReader& map, const OpTimeRule& rule) {
    const OpTimeRule::Slope& slope = rule.slope;
    std::set<std::int64_t> sizes;
    for (const CaseConfig& c : stage_->cases) {
      if (!rule.names(c.model, c.batch)) continue;
      if (std::ranges::find(c.sizes, slope.over, &Coordinate::name) == c.sizes.end())
        return problems_.add(map.node("slope"), "'over' is {}, which is no size of the task",
                             slope.over);
      sizes.insert(value_of(c.sizes, slope.over));
    }
    if (sizes.size() == 1 || sizes.contains(0))
      problems_.add(map.node("slope"), "a slope over {} needs cases where it differs and is not 0",
                    slope.over);
    if (slope.zero <= slope.full)
      problems_.add(map.node("slope"), "'zero' must be more than 'full'");
    if (slope.below == kNever)
      problems_.add(map.node("slope"), "'below' must be a bound: slowing small cases pays without");
  }

  /// Checks a rule that names one case.
  void check_one(MapReader& map, const YAML::Node& node, const OpTimeRule& rule) {
    check_take(map, rule, *stage_);
    check_case(node, rule, *stage_, "the Op Time rule", "which this stage does not run", "");
    const auto timed = std::ranges::find_if(
        stage_->cases, [&](const CaseConfig& c) { return same_case(c, rule); });
    if (timed != stage_->cases.end()) check_work(node, rule, *timed);
    if (timed != stage_->cases.end() && rule.late) check_work(node, rule.for_late(), *timed);
    if (timed != stage_->cases.end() && timed->hidden)
      problems_.add(node,
                    "the Op Time rule names the case {}, which is hidden: reports "
                    "name each case that has points for speed",
                    case_name(rule.model, rule.batch));
  }

  /// Checks that a case with sizes has the work that the rule's rate needs. A network always has
  /// bytes and operations of float.
  void check_work(const YAML::Node& node, const OpTimeRule& rule, const CaseConfig& c) {
    if (c.sizes.empty() || !rule.needs_work() || !task().complaint(c.sizes).empty()) return;
    const auto problem = task().problem(c.sizes);
    const double flops = problem->flops();
    auto bounds = rule.bounds();
    for (const TimeBound& bound :
         std::span(bounds).first(bounds[0] == bounds[1] ? 1 : bounds.size())) {
      const bool by_bytes = bound.unit == TimeBound::Unit::gbyte_s;
      if ((by_bytes && problem->bytes() <= 0) ||
          (bound.unit == TimeBound::Unit::gflop_s && flops <= 0))
        problems_.add(node, "{} is no time for the case {}, which has no {}", bound_text(bound),
                      c.model, by_bytes ? "bytes" : "operations: give the task 'flops'");
    }
    if (rule.needs(TimeBound::Unit::roofline) && flops > 0 &&
        task().operations() == Operations::others)
      problems_.add(
          node,
          "the roofline counts operations of float or of double alone, and the task has "
          "others: give a bound in GB/s or GFLOP/s, or leave 'flops' out if memory bounds "
          "the task");
  }

  /// A greater rate is faster, so its bounds are in the opposite order. Bounds in different units
  /// can be compared only when a case has run.
  void check_bounds(MapReader& map, const OpTimeRule& rule) {
    const TimeBound &full = rule.full, &zero = rule.zero;
    if (full == kNever)
      problems_.add(map.node(map.use_key("full") ? "full" : "limit"), "only 'zero' can be 'never'");
    if (zero == kNever && rule.between == OpTimeRule::Between::time)
      problems_.add(map.node("zero"), "'zero: never' needs 'between: speed'");
    if (full.value <= 0 || zero.value <= 0 || full.unit != zero.unit) return;
    if (full.is_rate() && zero.value > full.value)
      problems_.add(map.node("zero"), "'zero' must not be more than 'full', for it is a rate");
    if (!full.is_rate() && zero.value < full.value)
      problems_.add(map.node("zero"), "'zero' must not be less than 'full'");
  }

  void check(MapReader& map, const YAML::Node& node, const RankingConfig& ranking) {
    const auto stage = std::ranges::find(config_.stages, ranking.stage, &StageConfig::name);
    static const StageConfig kNone;
    const StageConfig& named = stage == config_.stages.end() ? kNone : *stage;
    check_take(map, ranking, named);
    check_case(node, ranking, named, "'ranking'", "which is not listed", ranking.stage + "/");
    const bool by_best = ranking.rule == RankingConfig::Rule::best;
    for (std::size_t i = 0; i < ranking.steps.size(); ++i) {
      const RankingConfig::Step& step = ranking.steps[i];
      if (by_best ? step.within == 0 : step.within > 0)
        problems_.add(map.node("steps")[i], "a step of the rule '{}' has '{}'",
                      by_best ? "best" : "ranks", by_best ? "within" : "up_to");
      else if (i > 0 && (by_best ? step.within <= ranking.steps[i - 1].within
                                 : step.up_to <= ranking.steps[i - 1].up_to))
        problems_.add(map.node("steps")[i], "the steps must be in the order of their {}",
                      by_best ? "times" : "ranks");
    }
    if (ranking.full < 1)
      problems_.add(map.node("full"), "'full' must be at least 1, the fastest time");
    if (ranking.zero <= ranking.full)
      problems_.add(map.node("zero"), "'zero' must be more than 'full'");
  }

  /// Rules on one case must use the same statistic, because a case's report and points have one
  /// time.
  void check_take(MapReader& map, const auto& rule, const StageConfig& stage) {
    const auto other = std::ranges::find_if(stage.op_times, [&](const OpTimeRule& earlier) {
      return earlier.names(rule.model, rule.batch);
    });
    if (other == stage.op_times.end() || other->take == rule.take) return;
    const char* const named = map.use_key("model")  ? "model"
                              : map.use_key("case") ? "case"
                                                    : "cases";
    problems_.add(map.node(map.use_key("take") ? "take" : named),
                  "'take' is {} here and {} in another rule for the same case: one "
                  "case has one Op Time",
                  name_of(rule.take), name_of(other->take));
  }

  void check_case(const YAML::Node& node, const auto& rule, const StageConfig& stage,
                  const char* who, const char* not_there, const std::string& place) {
    const auto found =
        std::ranges::find_if(stage.cases, [&](const CaseConfig& c) { return same_case(c, rule); });
    if (found == stage.cases.end() || found->advice)
      problems_.add(node, "{} names the case {}{}, {}", who, place,
                    case_name(rule.model, rule.batch),
                    found == stage.cases.end() ? not_there : "which is only advice");
    if (found == stage.cases.end() || stage.device != Device::cuda || found->sizes.empty()) return;
    if (const auto complaint = task(stage).gpu_timing_complaint(found->sizes); !complaint.empty())
      problems_.add(node, "{} cannot time the case {}{}: {}", who, place,
                    case_name(rule.model, rule.batch), complaint);
  }

  ProblemList& problems_;
  std::filesystem::path file_;  ///< the config's own file
  std::vector<ModelFile> model_files_;
  Config config_;
  const StageConfig* stage_ = nullptr;  ///< the stage that is being read
  KeptTasks tasks_;                     ///< tasks of stages, and the kept ones
  bool incomplete_ = false;             ///< a stage could not be read
  std::set<std::string> stage_names_, groups_, handed_out_;
  std::set<std::pair<std::string, int>> cases_;  ///< cases of the stage that is being read
};

}  // namespace

double Config::max_points() const {
  double sum = 0;
  for (const auto& stage : stages) {
    sum += graded_points(stage);
    for (const auto& item : stage.open_items) sum += item.points;
  }
  return sum;
}

LoadedConfig parse_config(const std::string& text, const std::string& file_name,
                          const std::vector<std::shared_ptr<const FolderTask>>& kept) {
  ProblemList problems(file_name);
  LoadedConfig loaded;
  try {
    if (const auto root = read_extended(text, file_name, problems)) {
      const YAML::Node interface = root->IsMap() ? (*root)["interface"] : YAML::Node();
      const bool has_task = root->IsMap() && (*root)["task"];
      const auto found = std::ranges::find_if(kept, [&](const auto& one) {
        return one && interface && interface.IsScalar() && interface.Scalar() == one->id();
      });
      const auto task = has_task              ? read_task(*root, problems)
                        : found != kept.end() ? *found
                                              : nullptr;
      // Sizes can be read only if the task is known.
      if (has_task && task && interface) {
        problems.add(interface,
                     "'interface' names one of opgrade's tasks: leave it out beside 'task'");
      } else if (!has_task || task) {
        ConfigReader reader(problems, file_name, kept);
        loaded.config = reader.read(*root, task);
        loaded.model_files = reader.take_model_files();
      }
    }
  } catch (const YAML::Exception& e) {
    problems.add_in(file_name, e.mark, e.msg);
  }
  loaded.problems = problems.take();
  loaded.notes = problems.take_notes();
  return loaded;
}

LoadedConfig load_config(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool is_task = std::filesystem::exists(path / kTaskFile, ignored);
  const auto file = is_task ? path / kTaskFile : path;
  const auto text = read_config_text(file);
  if (!text) return {{}, {{file.string(), 0, 0, text.error()}}};
  LoadedConfig loaded = parse_config(*text, file.string());
  std::error_code error;
  loaded.config.folder = std::filesystem::absolute(file, error).parent_path();
  return loaded;
}

}  // namespace opgrade
