#include "grader/config/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grader/config/extends.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

constexpr int kMaxBatch = 10'000'000;

/// The last part of the ids of a stage's other cases.
const std::set<std::string> kShapeCases{"random", "batches", "fixed"};

class ConfigReader {
 public:
  ConfigReader(ProblemList& problems, std::filesystem::path file)
      : problems_(problems), file_(std::move(file)) {}

  Config read(const YAML::Node& root) {
    MapReader map(root, "the config", problems_);
    (void)map.has("extends");  // a known key, merged by now
    int version = 0;
    map.require("opgrade");
    map.read("opgrade", version, 1, 1);
    map.require("name");
    map.read("name", config_.name);
    config_.title = config_.name;
    map.read("title", config_.title);
    map.read("interface", config_.interface);
    if (const Task* task = find_task(config_.interface)) task_ = task;
    map.read("pass_mark", config_.pass_mark, 0);
    map.read("tolerance", config_.tolerance, 0, 1);
    map.read("accept_emulated", config_.accept_emulated);
    map.read("run_after_timeout", config_.run_after_timeout);
    map.read("require_sandbox", config_.require_sandbox);
    if (!std::set<std::string>{"full", "no cgroup", "no user namespaces", "none"}.contains(
            config_.require_sandbox)) {
      problems_.add(map.node("require_sandbox"),
                    "'require_sandbox' must be full, 'no cgroup', 'no user namespaces' or none");
    }
    read_models(map.node("models"));
    if (map.has("files")) read_files(map.node("files"));
    if (map.has("limits")) read_limits(map.node("limits"));
    if (map.has("timing")) read_timing(map.node("timing"), config_.timing);
    map.require("stages");
    map.each("stages", [&](const YAML::Node& node) { read_stage(node); });
    if (map.has("ranking")) read_ranking(map.node("ranking"));
    if (config_.pass_mark > config_.max_points()) {
      problems_.add(map.node("pass_mark"),
                    fmt::format("'pass_mark' is {}, but all points together are {}",
                                config_.pass_mark, config_.max_points()));
    }
    return std::move(config_);
  }

 private:
  void read_models(const YAML::Node& node) {
    if (!node.IsDefined()) return;
    if (!node.IsMap()) {
      problems_.add(node, "'models' must be a mapping of names to models");
      return;
    }
    for (const auto& entry : node) {
      const std::string name = entry.first.Scalar();
      problems_.check_text(entry.first, "a model's name");
      MapReader map(entry.second, fmt::format("model '{}'", name), problems_);
      ModelConfig model;
      map.require("network");
      map.require("weights");
      map.read("network", model.network);
      map.read("weights", model.weights);
      set_place(model.network, map.node("network"));
      set_place(model.weights, map.node("weights"));
      if (!config_.models.emplace(name, model).second) {
        problems_.add(entry.first, fmt::format("model '{}' is given twice", name));
      }
    }
  }

  /// A path in a file that is extended is relative to that file.
  void set_place(std::string& path, const YAML::Node& written) {
    if (path.find('/') == path.npos || path.starts_with('/')) return;
    const auto folder = std::filesystem::path(problems_.file_of(written)).parent_path();
    if (folder == file_.parent_path()) return;
    const auto place = (folder / path).lexically_normal();
    const auto relative = place.lexically_proximate(file_.parent_path()).string();
    path = relative.find('/') == relative.npos ? "./" + relative : relative;
  }

  void read_files(const YAML::Node& node) {
    MapReader map(node, "'files'", problems_);
    map.read("folders", config_.files.folders);
    map.read("take", config_.files.take);
    map.read_bytes("max_file_size", config_.files.max_file_bytes);
    map.read("max_files", config_.files.max_files, 1, 10'000);
    for (const auto& folder : config_.files.folders) {
      const std::filesystem::path path(folder);
      const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
      if (path.is_absolute() || climbs) {
        problems_.add(map.node("folders"),
                      fmt::format("folder '{}' must lie inside the submission", folder));
      }
    }
  }

  void read_limits(const YAML::Node& node) {
    MapReader map(node, "'limits'", problems_);
    if (map.has("build")) read_limit(map.node("build"), "'limits: build'", config_.build_limits);
    if (map.has("run")) read_limit(map.node("run"), "'limits: run'", config_.run_limits);
  }

  void read_limit(const YAML::Node& node, const std::string& what, LimitConfig& limit) {
    MapReader map(node, what, problems_);
    map.read("wall", limit.wall);
    map.read("cpu", limit.cpu);
    map.read_bytes("memory", limit.memory_bytes);
    map.read_bytes("output", limit.output_bytes);
    map.read_bytes("file_size", limit.file_bytes);
    map.read("processes", limit.processes, 1, 100'000);
  }

  void read_outside_work(MapReader& map, OutsideWork& policy) {
    std::string outside = "count";
    map.read("outside_work", outside);
    policy = OutsideWork::count;
    if (outside == "reject") {
      policy = OutsideWork::reject;
    } else if (outside == "allow") {
      policy = OutsideWork::allow;
    } else if (outside != "count") {
      problems_.add(
          map.node("outside_work"),
          fmt::format("'outside_work' must be count, reject or allow, not '{}'", outside));
    }
  }

  void read_timing(const YAML::Node& node, TimingConfig& timing) {
    MapReader map(node, "'timing'", problems_);
    map.read("repetitions", timing.repetitions, 1, 1000);
    map.read("budget", timing.budget);
    map.read("warm_up", timing.warm_up);
    map.read("warm_ups", timing.warm_ups, 0, 1000);
    if (map.has("abort_above")) {
      map.read("abort_above", timing.abort_above);
      if (timing.warm_ups == 0)
        problems_.add(map.node("abort_above"),
                      "'abort_above' needs 'warm_ups': it is about their first");
    }
    map.read("settle", timing.settle);
    if (map.has("outside_work")) read_outside_work(map, timing.outside_work);
  }

  void read_stage(const YAML::Node& node) {
    MapReader map(node, "a stage", problems_);
    StageConfig stage;
    map.require("name");
    map.read("name", stage.name);
    stage.title = stage.name;
    map.read("title", stage.title);
    if (!stage_names_.insert(stage.name).second) {
      problems_.add(map.node("name"), fmt::format("two stages are named '{}'", stage.name));
    }
    map.require("device");
    read_device(map, stage.device);
    map.read("sources", stage.sources);
    map.read("flags", stage.flags);
    map.read("libraries", stage.libraries);
    if (map.has("tolerance")) map.read("tolerance", stage.tolerance.emplace(), 0, 1);
    cases_.clear();
    map.each("cases", [&](const YAML::Node& entry) { read_case(entry, stage); });
    if (map.has("random_shapes")) {
      MapReader random(map.node("random_shapes"), "'random_shapes'", problems_);
      random.require("count");
      random.read("count", stage.random_shapes.count, 0, 1000);
      random.read("points", stage.random_shapes.points, 0);
      random.read("hidden", stage.random_shapes.hidden);
      read_advice(random, stage.random_shapes);
    }
    if (map.has("random_batches")) {
      MapReader random(map.node("random_batches"), "'random_batches'", problems_);
      random.require("model");
      random.require("count");
      random.read("model", stage.random_batches.model);
      check_model(random, stage.random_batches.model);
      random.read("count", stage.random_batches.count, 0, 1000);
      random.read("points", stage.random_batches.points, 0);
      random.read("hidden", stage.random_batches.hidden);
      read_advice(random, stage.random_batches);
    }
    map.each("op_times", [&](const YAML::Node& entry) { read_op_time(entry, stage); });
    if (map.has("fixed_shapes")) read_fixed_shapes(map.node("fixed_shapes"), stage.fixed_shapes);
    map.each("open_items", [&](const YAML::Node& entry) {
      MapReader item(entry, "an open item", problems_);
      item.require("name");
      item.require("points");
      OpenItemConfig& open = stage.open_items.emplace_back();
      item.read("name", open.name);
      item.read("points", open.points, 0);
    });
    if (stage.cases.empty() && stage.random_shapes.count == 0 && stage.random_batches.count == 0 &&
        stage.fixed_shapes.shapes.empty()) {
      problems_.add(
          node,
          fmt::format("stage '{}' has nothing to run: give it cases or random_shapes", stage.name));
    }
    config_.stages.push_back(std::move(stage));
  }

  /// After the points and `hidden` of the same check.
  template <class Check>
  void read_advice(MapReader& map, Check& check) {
    map.read("advice", check.advice);
    if (check.advice && check.points > 0)
      problems_.add(map.node("advice"), "'advice' earns no points: leave out 'points' or 'advice'");
    if (check.advice && check.hidden)
      problems_.add(map.node("advice"), "'advice' is for the student and cannot be 'hidden'");
  }

  /// The sizes that the task names.
  Coordinates read_sizes(const YAML::Node& node, const std::string& what) {
    MapReader map(node, what, problems_);
    Coordinates sizes;
    for (const auto& [name, required] : task_->size_names()) {
      const std::string key(name);
      int value = 1;
      if (required) map.require(key);
      map.read(key, value, 1, 1 << 16);
      sizes.push_back({key, value});
    }
    if (const auto complaint = task_->complaint(sizes); !complaint.empty())
      problems_.add(node, complaint);
    return sizes;
  }

  /// The case that a rule is about: a model at a batch, or the name of a case with sizes.
  void read_case_of(MapReader& map, std::string& model, int& batch) {
    if (map.has("case")) {
      map.read("case", model);
      return;
    }
    for (const char* key : {"model", "batch"}) map.require(key);
    map.read("model", model);
    map.read("batch", batch, 1, kMaxBatch);
  }

  void read_fixed_shapes(const YAML::Node& node, FixedShapesConfig& fixed) {
    MapReader map(node, "'fixed_shapes'", problems_);
    map.require("shapes");
    map.each("shapes", [&](const YAML::Node& entry) {
      fixed.shapes.push_back(read_sizes(entry, "a fixed shape"));
    });
    map.read("points", fixed.points, 0);
    map.read("hidden", fixed.hidden);
    read_advice(map, fixed);
  }

  /// `others` is of the same case, whose reports and points show one time.
  void read_take(MapReader& map, Statistic& take, std::optional<Statistic> others) {
    std::string name = "median";
    map.read("take", name);
    const auto found = std::find(kStatisticNames.begin(), kStatisticNames.end(), name);
    if (found == kStatisticNames.end()) {
      problems_.add(map.node("take"),
                    fmt::format("'take' must be median, fastest or mean, not '{}'", name));
      return;
    }
    take = static_cast<Statistic>(found - kStatisticNames.begin());
    if (others && *others != take) {
      problems_.add(map.has("take") ? map.node("take") : map.node("model"),
                    fmt::format("'take' is {} here and {} in another rule for the same case: one "
                                "case has one Op Time",
                                name, name_of(*others)));
    }
  }

  static std::optional<Statistic> taken(const StageConfig& stage, const std::string& model,
                                        int batch) {
    for (const auto& rule : stage.op_times)
      if (rule.model == model && rule.batch == batch) return rule.take;
    return std::nullopt;
  }

  void read_ranking(const YAML::Node& node) {
    MapReader map(node, "'ranking'", problems_);
    RankingConfig ranking;
    map.require("stage");
    map.read("stage", ranking.stage);
    read_case_of(map, ranking.model, ranking.batch);
    map.require("rule");
    std::string rule = "deviations";
    map.read("rule", rule);
    if (rule == "ranks") {
      ranking.rule = RankingConfig::Rule::ranks;
    } else if (rule != "deviations") {
      problems_.add(map.node("rule"),
                    fmt::format("'rule' must be deviations or ranks, not '{}'", rule));
    }
    map.read("points", ranking.points, 0);
    map.read("deviations", ranking.deviations, 0.01, 100);
    map.each("steps", [&](const YAML::Node& entry) { read_step(entry, ranking); });
    const auto stage = std::find_if(config_.stages.begin(), config_.stages.end(),
                                    [&](const auto& s) { return s.name == ranking.stage; });
    const bool known = stage != config_.stages.end();
    read_take(map, ranking.take,
              known ? taken(*stage, ranking.model, ranking.batch) : std::nullopt);
    if (map.has("bonus")) {
      MapReader bonus(map.node("bonus"), "'bonus'", problems_);
      bonus.require("below");
      bonus.require("points");
      TimeBound below;
      read_bound(bonus, "below", below);
      if (below.times_reference) problems_.add(bonus.node("below"), "'below' must be a time");
      ranking.bonus_below_ms = below.value;
      bonus.read("points", ranking.bonus_points, 0);
    }
    if (!known || !lists(*stage, ranking.model, ranking.batch)) {
      problems_.add(node, fmt::format("'ranking' names the case {}/{}, which is not listed",
                                      ranking.stage, case_name(ranking.model, ranking.batch)));
    } else if (is_advice(*stage, ranking.model, ranking.batch)) {
      problems_.add(node, fmt::format("'ranking' names the case {}/{}, which is only advice",
                                      ranking.stage, case_name(ranking.model, ranking.batch)));
    }
    config_.ranking = std::move(ranking);
  }

  void read_step(const YAML::Node& node, RankingConfig& ranking) {
    MapReader map(node, "a step", problems_);
    RankingConfig::Step step;
    map.require("up_to");
    map.require("points");
    map.read("up_to", step.up_to, 1, 1'000'000);
    map.read("points", step.points, 0);
    if (!ranking.steps.empty() && !(step.up_to > ranking.steps.back().up_to)) {
      problems_.add(node, "the steps must be in the order of their ranks");
    }
    ranking.steps.push_back(step);
  }

  static bool lists(const StageConfig& stage, const std::string& model, int batch) {
    return std::any_of(stage.cases.begin(), stage.cases.end(),
                       [&](const CaseConfig& c) { return c.model == model && c.batch == batch; });
  }

  static bool is_advice(const StageConfig& stage, const std::string& model, int batch) {
    return std::any_of(stage.cases.begin(), stage.cases.end(), [&](const CaseConfig& c) {
      return c.advice && c.model == model && c.batch == batch;
    });
  }

  void read_device(MapReader& map, Device& device) {
    std::string name = "cpu";
    map.read("device", name);
    const auto found = std::find(kDeviceNames.begin(), kDeviceNames.end(), name);
    if (found == kDeviceNames.end()) {
      problems_.add(map.node("device"),
                    fmt::format("'device' must be cpu, cuda or emulated, not '{}'", name));
    } else {
      device = static_cast<Device>(found - kDeviceNames.begin());
    }
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

  void read_case_of_model(MapReader& map, CaseConfig& c) {
    map.require("model");
    map.require("batch");
    map.read("model", c.model);
    check_model(map, c.model);
    map.read("batch", c.batch, 1, kMaxBatch);
    if (map.has("accuracy")) {
      c.accuracy = 0;
      map.read("accuracy", *c.accuracy, 0, 1);
    }
  }

  void read_case(const YAML::Node& node, StageConfig& stage) {
    MapReader map(node, "a case", problems_);
    CaseConfig c;
    (void)map.has("name");  // a known key in any case
    if (map.has("sizes") || !task_->has_networks()) {
      map.require("name");
      map.require("sizes");
      map.read("name", c.model);
      if (kShapeCases.contains(c.model) || c.model.find('/') != c.model.npos)
        problems_.add(map.node("name"), fmt::format("a case cannot be named '{}'", c.model));
      if (map.has("sizes")) c.sizes = read_sizes(map.node("sizes"), "'sizes'");
    } else {
      read_case_of_model(map, c);
    }
    map.read("points", c.points, 0);
    map.read("hidden", c.hidden);
    read_advice(map, c);
    if (map.has("timing")) read_timing(map.node("timing"), c.timing.emplace(config_.timing));
    if (!cases_.insert({c.model, c.batch}).second)
      problems_.add(node, fmt::format("the case {} is listed twice", case_name(c.model, c.batch)));
    stage.cases.push_back(c);
  }

  void read_op_time(const YAML::Node& node, StageConfig& stage) {
    MapReader map(node, "an Op Time rule", problems_);
    OpTimeRule rule;
    read_case_of(map, rule.model, rule.batch);
    for (const char* key : {"points", "full", "zero"}) map.require(key);
    map.read("points", rule.points, 0);
    read_bound(map, "full", rule.full);
    read_bound(map, "zero", rule.zero);
    read_take(map, rule.take, taken(stage, rule.model, rule.batch));
    const bool both = rule.full.value > 0 && rule.zero.value > 0;
    if (both && rule.full.times_reference == rule.zero.times_reference &&
        rule.zero.value < rule.full.value) {
      problems_.add(map.node("zero"), "'zero' must not be less than 'full'");
    }
    if (!lists(stage, rule.model, rule.batch)) {
      problems_.add(node,
                    fmt::format("the Op Time rule names the case {}, which this stage does not run",
                                case_name(rule.model, rule.batch)));
    } else if (is_advice(stage, rule.model, rule.batch)) {
      problems_.add(node, fmt::format("the Op Time rule names the case {}, which is only advice",
                                      case_name(rule.model, rule.batch)));
    }
    stage.op_times.push_back(rule);
  }

  /// "70 ms", or "3 x reference".
  void read_bound(MapReader& map, const std::string& key, TimeBound& bound) {
    std::string text;
    map.read(key, text);
    if (text.empty()) return;
    constexpr std::string_view kReference = " x reference";
    if (text.ends_with(kReference)) {
      const auto factor = parse_number(text.substr(0, text.size() - kReference.size()));
      if (factor && *factor > 0) {
        bound = {*factor, true};
        return;
      }
    } else if (const auto ms = parse_duration_ms(text); ms && *ms > 0) {
      bound = {*ms, false};
      return;
    }
    problems_.add(map.node(key),
                  fmt::format("'{}' must be a time (70 ms) or a multiple (3 x reference), not '{}'",
                              key, text));
  }

  ProblemList& problems_;
  std::filesystem::path file_;  ///< of the config itself
  Config config_;
  const Task* task_ = tasks().front();  ///< of the config's interface
  std::set<std::string> stage_names_;
  std::set<std::pair<std::string, int>> cases_;  ///< of the stage that is being read
};

}  // namespace

double Config::max_points() const {
  double sum = 0;
  for (const auto& stage : stages) {
    sum += stage.random_shapes.points + stage.random_batches.points + stage.fixed_shapes.points;
    for (const auto& item : stage.open_items) sum += item.points;
    for (const auto& c : stage.cases) sum += c.points;
    for (const auto& rule : stage.op_times) sum += rule.points;
  }
  return sum;
}

LoadedConfig parse_config(const std::string& text, const std::string& file_name) {
  ProblemList problems(file_name);
  LoadedConfig loaded;
  try {
    if (const auto root = read_extended(text, file_name, problems))
      loaded.config = ConfigReader(problems, file_name).read(*root);
  } catch (const YAML::Exception& e) {
    problems.add_in(file_name, e.mark, e.msg);
  }
  loaded.problems = problems.take();
  return loaded;
}

LoadedConfig load_config(const std::filesystem::path& file) {
  std::string complaint;
  const auto text = read_config_text(file, complaint);
  if (!text) return {{}, {{file.string(), 0, 0, complaint}}};
  LoadedConfig loaded = parse_config(*text, file.string());
  std::error_code error;
  loaded.config.folder = std::filesystem::absolute(file, error).parent_path();
  return loaded;
}

}  // namespace opgrade
