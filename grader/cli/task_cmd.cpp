#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "grader/authoring/task_check.hpp"
#include "grader/authoring/task_record.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/shell_word.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/report/words/events.hpp"
#include "grader/task/config/fields.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/own_configs.hpp"
#include "grader/task/config/public_task.hpp"
#include "grader/task/config/stage_case.hpp"
#include "grader/task/config/task_files.hpp"
#include "grader/task/folder/description.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

/// The lab that `task init` copies, without its form as a program.
constexpr const char* kModel = "reduction";
constexpr const char* kSecondForm = "_program";
constexpr const char* kSolution = "solution";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

void expect_new(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder) && !fs::is_empty(folder, error))
    throw UsageError(folder.string() + " is not empty", "name a new folder");
}

/// `task`: a folder, or the YAML file of one of its forms.
Config task_config(const std::string& task) {
  if (fs::is_directory(task) && !fs::exists(fs::path(task) / kTaskFile))
    throw UsageError(fmt::format("{} has no {}", task, kTaskFile),
                     "`opgrade task init FOLDER` makes a folder to start from");
  Config config = read_config(fs::absolute(task).string());
  if (task_folder(config).empty())
    throw UsageError(task + " is no task's folder", "its task.yaml needs a key `task`");
  return config;
}

/// The text of a form without its CPU stage, whose points go to the GPU's random shapes.
std::string without_cpu_stage(std::string text) {
  const auto begin = text.find("  - name: cpu"), end = text.find("  - name: gpu");
  text.erase(begin, end - begin);
  return replaced(text, "points: 40", "points: 80");
}

/// A C++ identifier made from a folder's name, for the names of files: "02_matmul" gives "matmul".
std::string identifier_of(const std::string& folder) {
  std::string name;
  for (const char c : folder) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool begins = name.empty();
    if (letter || (!begins && c >= '0' && c <= '9'))
      name += c;
    else if (!begins && name.back() != '_')
      name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  constexpr std::size_t kLongest = 64;
  return name.empty() ? "task" : name.substr(0, kLongest);
}

/// `folder` names the folder, `name` its files.
void copy_model(const fs::path& to, const std::string& folder, const std::string& name, bool cpu) {
  const fs::path from = own_config(kModel).value_or(kModel).parent_path();
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const fs::path& file = entry.path();
    // Copies only the first form.
    if (!entry.is_regular_file() || file.stem().string().ends_with(kSecondForm)) continue;
    if (!cpu && file.extension() == ".cc") continue;
    const fs::path place = to / replaced(file.lexically_relative(from).string(), kModel, name);
    fs::create_directories(place.parent_path());
    std::string text = replaced(text_of_file(file), kModel, name);
    if (file.filename() == kTaskFile) {
      text.erase(0, text.find('\n') + 1);  // a schema's path is valid in opgrade's own tree only
      if (!cpu) text = without_cpu_stage(text);
    }
    // A lab has a name for --config; another task's folder is assumed to be next to the student's.
    text = replaced(text, ", for the program `--config " + name + kSecondForm + "`", "");
    text = replaced(text, "--config " + name, "--config " + shell_word("../" + folder));
    write_file(place, text);
  }
}

Prototype prototype_of(const std::string& text) {
  try {
    return parse_prototype(text);
  } catch (const std::invalid_argument& e) {
    throw UsageError(
        fmt::format("--function: {}", e.what()),
        "give it as in `void scale(const float* x, float* y, int n)`. For a struct leave "
        "it out, write types.h into the new folder, then `function` in its task.yaml");
  }
}

/// Writes everything that follows from the function's prototype: reference() and the solution are
/// empty. Files are named after the function.
void write_skeleton(const fs::path& to, const std::string& folder, const Prototype& function,
                    bool cpu) {
  const std::string name = function.name.substr(function.name.rfind(':') + 1);  // npos + 1 is 0
  std::string sizes, buffers, large, extent;
  for (const auto& one : function.parameters) {
    if (!one.may_be_size()) continue;
    sizes += fmt::format("    {}: {{to: 1000000}}\n", one.name);
    large += fmt::format("{}{}: 1003", large.empty() ? "" : ", ", one.name);
    if (extent.empty()) extent = one.name;
  }
  const auto is_output = [](const Parameter& one) { return one.pointer && !one.constant; };
  // If several arrays are not const, a comment says which role each one is assumed to have.
  const bool is_doubtful = std::ranges::count_if(function.parameters, is_output) > 1;
  for (const auto& one : function.parameters)
    if (!one.may_be_size())
      buffers += fmt::format(
          "    {}: {{{}}}{}\n", one.name, one.pointer ? fmt::format("extents: [{}]", extent) : "",
          is_doubtful && is_output(one) ? " # an output; `role: in` if the function only reads it"
                                        : "");
  if (extent.empty())
    throw UsageError("--function: no parameter is a whole number, so the arrays have no sizes",
                     "add one, such as `int n`");
  const auto stage = [&](const char* device) {
    return fmt::format(
        "  - name: {0}\n    device: {1}\n    random_shapes: {{count: 10, points: 80}}\n"
        "    cases:\n      - {{name: large, sizes: {{{2}}}, points: 20}}\n",
        device, device == std::string_view("cpu") ? "cpu" : "cuda", large);
  };
  fs::create_directories(to);
  write_file(to / "reference.cpp", "");
  write_file(to / kTaskFile,
             fmt::format("opgrade: 1\nname: {0}\ntitle: {6}\ntask:\n  function: {1}\n  sizes:\n{2}"
                         "  buffers:\n{3}tolerance: 1e-6\nfindings: decide\nstages:\n{4}{5}",
                         name, function.text, sizes, buffers, cpu ? stage("cpu") : "", stage("gpu"),
                         YAML::Dump(YAML::Node(folder))));
  const Config config = task_config(to);
  write_file(to / "reference.cpp",
             fmt::format(
                 "#include \"reference.h\"\n\n{} {{\n}}\n",
                 replaced(std::string(config.task->reference_interface().cpu_signature), ";", "")));
  for (const char* end : {".cu", ".cc"}) {
    if (!cpu && end == std::string_view(".cc")) continue;
    for (const char* part : {kSolution, "template"}) {
      fs::create_directories(to / part);
      write_file(to / part / (name + end),
                 fmt::format("#include \"{}.h\"\n\n{} {{\n{}}}\n", name, function.text,
                             function.returns != nullptr ? "  return {};\n" : ""));
    }
  }
  write_file(to / "statement.md", fmt::format("# {0}\n\nWrite\n\n    {1};\n\nCheck with "
                                              "`opgrade check . --config {2}`.\n",
                                              name, function.text, shell_word("../" + folder)));
}

void add_task_init(arguments::Parser& app) {
  auto* verb = app.add_subcommand("init", "Make a folder with a small exercise, to be changed");
  auto folder = std::make_shared<std::string>();
  verb->add_option("folder", *folder,
                   "A new or empty folder; the task's files have its name, as a name of C++")
      ->required();
  auto function = std::make_shared<std::string>();
  auto cpu = std::make_shared<bool>(false);
  verb->add_option("--function", *function,
                   "The prototype, such as \"void scale(const float* x, float* y, int n)\"; the "
                   "folder then has its files, named after the function, and no code");
  verb->add_flag("--cpu", *cpu, "With a stage on the CPU, whose file every submission then has");
  verb->callback([=] {
    const fs::path to = fs::absolute(*folder).lexically_normal();
    const std::string name = to.has_filename() ? to.filename() : to.parent_path().filename();
    expect_new(to);
    if (function->empty())
      copy_model(to, name, identifier_of(name), *cpu);
    else
      write_skeleton(to, name, prototype_of(*function), *cpu);
    fmt::print(
        "{0} is ready: {1}. Change task.yaml, reference.cpp, solution/ and\n"
        "submissions/, then run: opgrade task check {0}\n",
        shell_word(*folder), function->empty() ? "the sum of an array" : "empty functions");
  });
}

void add_task_folder(arguments::Parser& verb, const char* name, std::string& folder,
                     const char* about) {
  verb.add_option(name, folder, about)->required()->check(arguments::existing_path());
}

constexpr const char* kTaskOrForm = "The task's folder, or the file of one of its forms";

void add_task_check(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("check", "Test an exercise before students do");
  struct Own {
    std::string folder, device = "auto";
    int mutants = TaskCheckOptions{}.mutants;
    int jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    std::string only;
    std::optional<std::uint64_t> seed;
    bool unsafe = false, fresh = false;
  };
  auto own = std::make_shared<Own>();
  add_task_folder(*verb, "folder", own->folder, kTaskOrForm);
  add_device_option(*verb, own->device);
  verb->add_option("--mutants", own->mutants,
                   "Most mistakes to plant in each source of the solution")
      ->check(arguments::range(0, 10'000))
      ->capture_default_str();
  verb->add_option("--jobs,-j", own->jobs, "Planted mistakes that are tried at a time")
      ->check(arguments::range(1, 256));
  verb->add_option("--only", own->only,
                   "One thing that is tried: solution, or a sample such as wrong_output/one_block");
  verb->add_flag("--fresh", own->fresh,
                 "Run again what was as expected at the last check and did not change");
  verb->add_option("--seed", own->seed,
                   "Seed of the random shapes and inputs, which later checks of the folder keep");
  verb->add_flag("--unsafe", own->unsafe, "Grade without a sandbox, if there is none");
  verb->callback([=, &exit_code] {
    const Config config = task_config(own->folder);
    GradingArguments grading;
    grading.config = own->folder;
    grading.device = own->device;
    grading.unsafe = own->unsafe;
    ProgressLine progress(false);
    std::mutex guard;
    std::string step;  // the only step that is running, because an event does not name its step
    const auto listen = [&](const Event& event) {
      const std::string text = report::event_text(event, report::Audience::staff);
      const std::scoped_lock lock(guard);
      if (const auto* const next = std::get_if<events::CheckStepStarted>(&event)) {
        step = next->of == 1 ? text : "";
        progress.show(text);
      } else if (!step.empty()) {
        progress.show(step + ": " + text);
      }
    };
    TaskCheckOptions options{
        .grading = grader_options(grading, listen), .mutants = own->mutants, .only = own->only};
    options.grading.parallel_runs = own->jobs;
    options.grading.handed_in.emplace();  // staff's own samples: staff know the inputs
    options.grading.seed = seed_of_checks(config, own->seed);
    if (!own->fresh && own->only.empty()) options.seen_before = seen_folder(config);
    fmt::print("checking {} with --seed {}: a line for each thing as it ends\n", own->folder,
               *options.grading.seed);
    std::fflush(stdout);
    const auto tell = [&](const TaskFinding& finding) {
      constexpr double kLong = 10;
      const std::scoped_lock lock(guard);
      progress.clear();
      fmt::print("{:9} {}: {}{}\n",
                 finding.undecided ? "undecided"
                 : finding.good    ? "ok"
                 : finding.mutant  ? "survived"
                                   : "WRONG",
                 finding.what, finding.seen,
                 finding.reused            ? " (as in the last check)"
                 : finding.took_s >= kLong ? fmt::format(" ({:.0f} s)", finding.took_s)
                                           : "");
      if (!finding.good) fmt::print("          {}\n", finding.advice);
      std::fflush(stdout);
    };
    const auto result = check_task(config, options, tell, [&](const std::string& what, double s) {
      progress.say(fmt::format("{:9} {}: runs for {:.0f} s", "", what, s));
    });
    progress.clear();
    fmt::print("\n{} of {} as expected; {} of {} planted mistakes noticed\n",
               result.tried - result.bad, result.tried, result.mutants - result.survivors,
               result.mutants);
    if (own->only.empty() && !record_check(config, result.bad == 0))
      fmt::print(stderr, "{} cannot be written: commands that grade do not know of this check\n",
                 task_record(*config.task).string());
    exit_code = result.bad == 0 ? kPassed : kBelowPassMark;
  });
}

void add_task_publish(arguments::Parser& app) {
  auto* verb = app.add_subcommand(
      "publish",
      "Write the folder that students get: every file, also reference.cpp, but no solution/, "
      "submissions/, hidden files, comments or hidden cases");
  struct Own {
    std::string folder, out;
    bool unchecked = false;
  };
  auto own = std::make_shared<Own>();
  add_task_folder(*verb, "folder", own->folder, kTaskOrForm);
  verb->add_option("out", own->out, "A new or empty folder")->required();
  verb->add_flag(kUnchecked, own->unchecked,
                 "Publish a folder that `opgrade task check` does not know as right");
  verb->callback([=] {
    const fs::path out = own->out;
    const Config config = task_config(own->folder);
    const fs::path from = task_folder(config);
    expect_new(out);
    if (!own->unchecked) expect_checked_task(config, "publishes");
    fs::create_directories(out);
    auto files = deciding_files(from);
    std::erase_if(files, [](const fs::path& file) {
      return *file.begin() == kSolution || *file.begin() == "serial";
    });
    if (fs::exists(from / "statement.md")) files.emplace_back("statement.md");
    for (fs::path& file : template_files(from)) files.push_back(std::move(file));
    for (const auto& name : files) {
      fs::create_directories((out / name).parent_path());
      fs::copy_file(from / name, out / name);
    }
    const auto publish = [&](const fs::path& form, double pass_mark) {
      write_file(out / form, public_task(text_of_file(from / form), pass_mark));
    };
    // Writes all forms before any is loaded, because a form may extend another one.
    for (const auto& form : forms_in(from)) publish(form, 0);
    for (const auto& form : forms_in(from)) {
      const auto [visible, problems, notes, models] = load_config(out / form);
      if (!problems.empty())
        throw UsageError(
            "the student's folder has problems: " + to_text(problems),
            fmt::format("change {} so that it is whole without its hidden cases", form.string()));
      // The pass mark stays the same share of the points.
      const Config whole = load_config(from / form).config;
      const double share = visible.max_points() / whole.max_points();
      publish(form, std::floor(whole.pass_mark * share * 100) / 100);
      files.push_back(form);
    }
    std::string names;
    for (const auto& file : files) names += (names.empty() ? "" : ", ") + file.string();
    fmt::print(
        "{0} is ready, with {1}.\nA student checks with: opgrade check MY_FOLDER --config {0}\n",
        own->out, names);
  });
}

/// The cases of a config by id, each with its rules as text.
std::map<std::string, std::string> rules_of(const Config& config) {
  std::map<std::string, std::string> rules;
  for (const auto& stage : config.stages) {
    for (const auto& c : stage.cases)
      rules[case_id(stage, c)] =
          fmt::format("sizes {}, {:g} points{}{}", text_of(c.sizes), c.points,
                      c.hidden ? ", hidden" : "", c.group.empty() ? "" : ", group " + c.group);
    if (stage.random_shapes.count > 0)
      rules[random_id(stage)] = fmt::format("{} shapes, {:g} points", stage.random_shapes.count,
                                            stage.random_shapes.points);
    for (const auto& group : stage.groups)
      rules[stage.name + "/group " + group.name] =
          fmt::format("{:g} points, score {}{}", group.points,
                      enum_names(group.score).names[static_cast<std::size_t>(group.score)],
                      group.needs.empty() ? "" : ", requires " + group.needs);
    for (const auto& c : stage.constructs)
      rules[stage.name +
            (c.forbidden.empty() ? "/require " + c.required : "/forbid " + c.forbidden)] =
          fmt::format("{:g} points{}", c.points, c.case_name.empty() ? "" : ", " + c.case_name);
    for (const auto& rule : stage.counts)
      rules[case_id(stage, rule) + " " + rule.count] = fmt::format(
          "at {}, {:g} points",
          rule.at_least.empty() ? "most " + rule.at_most : "least " + rule.at_least, rule.points);
    for (const auto& rule : stage.op_times)
      rules[(rule.cases.empty() ? case_id(stage, rule) : stage.name + ": " + rule_name(rule)) +
            " Op Time"] = fmt::format("{:g} points", rule.points);
  }
  return rules;
}

/// The changed files among those that decide a grade: "reference.cpp, solution/sums.cu".
std::string changed_files(const fs::path& before, const fs::path& after) {
  std::set<fs::path> files;
  for (const fs::path& folder : {before, after})
    for (const auto& file : deciding_files(folder)) {
      std::error_code missing;
      const bool same = fs::exists(before / file, missing) && fs::exists(after / file, missing) &&
                        text_of_file(before / file) == text_of_file(after / file);
      if (!same) files.insert(file);
    }
  std::string text;
  for (const auto& file : files) text += (text.empty() ? "" : ", ") + file.string();
  return text;
}

void add_task_diff(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("diff", "What grades differently by another version of a task");
  struct Own {
    std::string before, after;
  };
  auto own = std::make_shared<Own>();
  add_task_folder(*verb, "old", own->before, "The task's folder as it was");
  add_task_folder(*verb, "new", own->after, "The task's folder as it is");
  verb->callback([=, &exit_code] {
    const Config before = task_config(own->before), after = task_config(own->after);
    bool same = true;
    const auto say = [&](const std::string& line) {
      fmt::print("{}\n", line);
      same = false;
    };
    if (before.interface != after.interface) {
      const auto files = changed_files(task_folder(before), task_folder(after));
      say(fmt::format("{}: every case",
                      files.empty() ? "'task' in task.yaml changed" : files + " changed"));
    }
    if (before.tolerance != after.tolerance)
      say(fmt::format("tolerance {:g}, was {:g}: every case", after.tolerance, before.tolerance));
    const auto had = rules_of(before), has = rules_of(after);
    for (const auto& [id, rule] : has) {
      const auto old = had.find(id);
      if (old == had.end())
        say(fmt::format("{}: new, {}", id, rule));
      else if (old->second != rule)
        say(fmt::format("{}: {}, was {}", id, rule, old->second));
    }
    for (const auto& [id, rule] : had)
      if (!has.contains(id)) say(fmt::format("{}: gone, was {}", id, rule));
    if (same && dump_config(before) != dump_config(after))
      say("limits, flags or titles changed; no case did");
    if (same) fmt::print("nothing that decides a grade changed\n");
    exit_code = same ? kPassed : kBelowPassMark;
  });
}

}  // namespace

void add_task(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("task", "Exercises of your own, each a folder: docs/new-task.md");
  add_task_init(*verb);
  add_task_check(*verb, exit_code);
  add_task_publish(*verb);
  add_task_diff(*verb, exit_code);
}

}  // namespace opgrade::cli
