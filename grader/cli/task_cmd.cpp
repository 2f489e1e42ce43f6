#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "grader/app/task_check.hpp"
#include "grader/app/task_record.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/config/fields.hpp"
#include "grader/config/load.hpp"
#include "grader/config/own_configs.hpp"
#include "grader/config/public_task.hpp"
#include "grader/config/task_files.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/results/result_folder.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

/// The lab that `task init` copies, without its form as a program.
constexpr const char* kModel = "reduction";
constexpr const char* kSecondForm = "_program";

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

/// `task`: a folder, or the yaml file of one of its forms.
Config task_config(const std::string& task) {
  if (fs::is_directory(task) && !fs::exists(fs::path(task) / kTaskFile))
    throw UsageError(fmt::format("{} has no {}", task, kTaskFile),
                     "`opgrade task init FOLDER` makes a folder to start from");
  Config config = read_config(fs::absolute(task).string());
  if (task_folder(config).empty())
    throw UsageError(task + " is no task's folder", "its task.yaml needs a key `task`");
  return config;
}

void add_task_init(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("init", "Make a folder with a small exercise, to be changed");
  auto folder = std::make_shared<std::string>();
  verb->add_option("folder", *folder, "A new or empty folder; its name becomes the task's")
      ->required();
  verb->callback([=, &exit_code] {
    const fs::path to = fs::absolute(*folder).lexically_normal();
    const std::string name = to.has_filename() ? to.filename() : to.parent_path().filename();
    expect_new(to);
    const fs::path from = own_config(kModel).value_or(kModel).parent_path();
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      // Of its first form alone.
      if (!entry.is_regular_file() || entry.path().stem().string().ends_with(kSecondForm)) continue;
      const fs::path place =
          to / replaced(entry.path().lexically_relative(from).string(), kModel, name);
      fs::create_directories(place.parent_path());
      write_file(place, replaced(text_of_file(entry.path()), kModel, name));
    }
    fmt::print(
        "{0} is ready: the sum of an array. Change task.yaml, reference.cpp, solution/ and\n"
        "submissions/, then run: opgrade task check {0}\n",
        *folder);
    exit_code = kPassed;
  });
}

void add_task_check(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("check", "Test an exercise before students do");
  struct Own {
    std::string folder, device = "auto";
    int mutants = TaskCheckOptions{}.mutants;
    int jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    bool unsafe = false;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("folder", own->folder, "The task's folder, or the file of one of its forms")
      ->required()
      ->check(arguments::existing_path());
  verb->add_option("--device", own->device, "Where GPU stages run: auto, cuda or emulated")
      ->check(arguments::one_of({"auto", "cuda", "emulated"}))
      ->capture_default_str();
  verb->add_option("--mutants", own->mutants,
                   "Most mistakes to plant in each source of the solution")
      ->check(arguments::range(0, 10'000))
      ->capture_default_str();
  verb->add_option("--jobs,-j", own->jobs, "Planted mistakes that are tried at a time")
      ->check(arguments::range(1, 256));
  verb->add_flag("--unsafe", own->unsafe, "Grade without a sandbox, if there is none");
  verb->callback([=, &exit_code] {
    const Config config = task_config(own->folder);
    GradingArguments grading;
    grading.config = own->folder;
    grading.device = own->device;
    grading.unsafe = own->unsafe;
    TaskCheckOptions options{.grading = grader_options(grading, [](const Event&) {}),
                             .mutants = own->mutants};
    options.grading.parallel_runs = own->jobs;
    const auto result = check_task(config, options, [](const TaskFinding& finding) {
      fmt::print("{:9} {}: {}\n",
                 finding.good     ? "ok"
                 : finding.mutant ? "survived"
                                  : "WRONG",
                 finding.what, finding.seen);
      if (!finding.good) fmt::print("          {}\n", finding.advice);
      std::fflush(stdout);
    });
    fmt::print("\n{} of {} as expected; {} of {} planted mistakes noticed\n",
               result.tried - result.bad, result.tried, result.mutants - result.survivors,
               result.mutants);
    if (!record_check(config, result.bad == 0))
      fmt::print(stderr, "{} cannot be written: commands that grade do not know of this check\n",
                 task_record(config).string());
    exit_code = result.bad == 0 ? kPassed : kBelowPassMark;
  });
}

void add_task_publish(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand(
      "publish", "Write the folder that students get: no samples, no hidden cases");
  struct Own {
    std::string folder, out;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("folder", own->folder, "The task's folder, or the file of one of its forms")
      ->required()
      ->check(arguments::existing_path());
  verb->add_option("out", own->out, "A new or empty folder")->required();
  verb->callback([=, &exit_code] {
    const fs::path out = own->out;
    const fs::path from = task_folder(task_config(own->folder));
    expect_new(out);
    fs::create_directories(out);
    auto files = deciding_files(from);
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      const fs::path name = entry.path().lexically_relative(from);
      if (entry.is_regular_file() && (name == "statement.md" || *name.begin() == "template"))
        files.push_back(name);
    }
    for (const auto& name : files) {
      fs::create_directories((out / name).parent_path());
      fs::copy_file(from / name, out / name);
    }
    for (const auto& form : forms_in(from))
      write_file(out / form, public_task(text_of_file(from / form)));
    for (const auto& form : forms_in(from)) {
      const auto problems = load_config(out / form).problems;
      if (!problems.empty())
        throw UsageError(
            "the student's folder has problems: " + to_text(problems),
            fmt::format("change {} so that it is whole without its hidden cases", form.string()));
    }
    fmt::print("{0} is ready. A student checks with: opgrade check MY_FOLDER --config {0}\n",
               own->out);
    exit_code = kPassed;
  });
}

/// The cases of a config by their ids, each with its rule as text.
std::map<std::string, std::string> rules_of(const Config& config) {
  std::map<std::string, std::string> rules;
  for (const auto& stage : config.stages) {
    for (const auto& c : stage.cases)
      rules[stage.name + "/" + case_name(c.model, c.batch)] =
          fmt::format("sizes {}, {:g} points{}{}", text_of(c.sizes), c.points,
                      c.hidden ? ", hidden" : "", c.group.empty() ? "" : ", group " + c.group);
    if (stage.random_shapes.count > 0)
      rules[stage.name + "/random"] = fmt::format(
          "{} shapes, {:g} points", stage.random_shapes.count, stage.random_shapes.points);
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
      rules[fmt::format("{}/{} {}", stage.name, case_name(rule.model, rule.batch), rule.count)] =
          fmt::format("at {}, {:g} points",
                      rule.at_least.empty() ? "most " + rule.at_most : "least " + rule.at_least,
                      rule.points);
    for (const auto& rule : stage.op_times)
      rules[stage.name + "/" + case_name(rule.model, rule.batch) + " Op Time"] =
          fmt::format("{:g} points", rule.points);
  }
  return rules;
}

/// "reference.cpp, solution/sums.cu", of those that decide.
std::string changed_files(const fs::path& before, const fs::path& after) {
  std::set<fs::path> files;
  const auto add = [&](const fs::path& folder) {
    for (const auto& file : deciding_files(folder)) {
      std::error_code missing;
      const bool same = fs::exists(before / file, missing) && fs::exists(after / file, missing) &&
                        text_of_file(before / file) == text_of_file(after / file);
      if (!same) files.insert(file);
    }
  };
  add(before);
  add(after);
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
  verb->add_option("old", own->before, "The task's folder as it was")
      ->required()
      ->check(arguments::existing_path());
  verb->add_option("new", own->after, "The task's folder as it is")
      ->required()
      ->check(arguments::existing_path());
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
  add_task_init(*verb, exit_code);
  add_task_check(*verb, exit_code);
  add_task_publish(*verb, exit_code);
  add_task_diff(*verb, exit_code);
}

}  // namespace opgrade::cli
