#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <map>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/core/shell_word.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/course/slurm/slurm_executor.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/task_files.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

/// sbatch --export=NONE drops this shell's environment, so the command sets the variables that
/// opgrade reads.
std::string node_command() {
  std::string line = "/usr/bin/env";
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with("OPGRADE_TOKEN=")) continue;  // a secret of the service
    for (const std::string_view name : {"OPGRADE_", "PATH=", "CUDA_HOME=", "CUDA_PATH="})
      if (text.starts_with(name)) line += " " + shell_word(text);
  }
  return line + " " + shell_word((resources::program_folder() / "opgrade").string()) +
         " course run-batch";
}

/// The folder of the config's task in a run's folder.
constexpr const char* kTask = "./task";

/// Networks, weights and the task's folder of the course's own, by their names in the config.
std::map<std::string, fs::path> files_of(const Config& config) {
  std::map<std::string, fs::path> files;
  for (const auto& [name, source] : travelling_files(config, kTask))
    files.emplace(name.lexically_normal().string(), source);
  for (const auto& [name, model] : config.models) {
    for (const std::string& path : {model.network, model.weights}) {
      if (path.find('/') == path.npos || path.starts_with('/')) continue;
      const fs::path relative = fs::path(path).lexically_normal();
      if (*relative.begin() == "..") {
        throw UsageError(fmt::format("the config reads {}, which is not below its folder", path),
                         "move the file there, or name it by a path from / that all nodes see");
      }
      files.emplace(relative.string(), config.folder / relative);
    }
  }
  return files;
}

bool ask_to_cancel(std::size_t tasks) {
  if (::isatty(STDIN_FILENO) == 0) {
    fmt::print(stderr, "\n{} on; course grade --resume waits for the results\n",
               counted(tasks, "Slurm task goes", "Slurm tasks go"));
    return false;
  }
  fmt::print(stderr, "\nCancel {} (y), or let Slurm go on (n)? ", counted(tasks, "Slurm task"));
  std::string answer;
  std::getline(std::cin, answer);
  return answer.starts_with('y') || answer.starts_with('Y');
}

/// Throws Error if this program does not have the tool.
void use_tool_options(std::map<std::string, std::string>& option, GraderOptions& grading) {
  const auto wish = read_tool_wish(option["tool"]);
  if (!wish)
    throw Error(fmt::format("this opgrade has no tool '{}'", printable_line(option["tool"], 60)),
                "run the same opgrade on all machines");
  grading.tool = *wish;
  if (const auto bytes = whole_number(option["tool_file"])) grading.tool_file_bytes = *bytes;
  if (const auto seconds = whole_number(option["tool_time"]))
    grading.tool_time = std::chrono::seconds(*seconds);
  if (const auto calls = whole_number<int>(option["timed_calls"]))
    grading.most_timed_calls = *calls;
}

}  // namespace

std::unique_ptr<course::Executor> slurm_executor(const course::CourseFolder& folder,
                                                 const course::Assignment& assignment,
                                                 const SlurmWork& work) {
  if (assignment.slurm.shared.empty())
    throw UsageError("course.yaml has no 'shared' in 'slurm'",
                     "name a folder that this machine and all nodes see");
  const GraderOptions& grading = work.grading;
  course::RunFacts facts{course::course_name(folder.path),
                         dump_config_beside(work.config, kTask),
                         files_of(work.config),
                         {{"config", grading.config_argument},
                          {"data", fs::absolute(grading.data_folder).string()},
                          {"unsafe", grading.unsafe ? "yes" : ""},
                          {"profile", grading.profile ? "yes" : ""},
                          {"counts", grading.counts ? "yes" : ""},
                          {"sanitize", grading.sanitize ? "yes" : ""},
                          {"tool", grading.tool.text()},
                          {"tool_file", std::to_string(grading.tool_file_bytes)}},
                         node_command()};
  if (grading.tool_time) facts.options["tool_time"] = std::to_string(grading.tool_time->count());
  if (grading.most_timed_calls)
    facts.options["timed_calls"] = std::to_string(*grading.most_timed_calls);
  if (grading.gpu_device) facts.options["device"] = name_of(*grading.gpu_device);
  if (grading.seed) facts.options["seed"] = std::to_string(*grading.seed);
  return std::make_unique<course::SlurmExecutor>(
      course::slurm_commands(),
      course::SlurmOptions{assignment.slurm, std::move(facts), work.resume_only, ask_to_cancel,
                           work.listen, work.take_file});
}

void add_course_run_batch(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand("run-batch", "Grade one batch, in a Slurm task");
  verb->hide();
  struct Own {
    fs::path run;
    int batch = 0;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("run", own->run, "The run's folder")->required();
  verb->add_option("batch", own->batch, "Number of the batch")->required();
  verb->callback([=] {
    const course::SlurmRun run = course::SlurmRun::open(own->run);
    LoadedConfig loaded = load_config(run.config());
    if (!loaded.problems.empty()) throw Error(to_text(loaded.problems), "repeat course grade");
    auto option = run.options();  // options by name; empty: not given
    GraderOptions grading;
    if (const std::string& device = option["device"]; !device.empty())
      grading.gpu_device = device == name_of(Device::cuda) ? Device::cuda : Device::emulated;
    if (const std::string& seed = option["seed"]; !seed.empty()) grading.seed = std::stoull(seed);
    grading.unsafe = !option["unsafe"].empty();
    grading.profile = !option["profile"].empty();
    grading.counts = !option["counts"].empty();
    grading.sanitize = !option["sanitize"].empty();
    use_tool_options(option, grading);
    fs::path files;  // files of the job that is running
    grading.keep_tool_file = [&files](const ToolFile& file) {
      fs::create_directories(files);
      write_file(files / file.name, file.bytes, 0600);
    };
    grading.whole_class = grading.for_class = true;
    grading.data_folder = option["data"];
    grading.config_argument = option["config"];
    // The submissions were handed in before the run's folder was made.
    grading.handed_in = std::chrono::file_clock::to_sys(fs::last_write_time(run.config()));
    Grader grader(std::move(loaded.config), std::move(grading));
    run_batch(run, own->batch, [&](const fs::path& file, const std::string& name, GradedAt at) {
      files = run.files_of(file);
      fs::remove_all(files);  // left by a node that failed here
      Grade grade = grader.grade(file, name, at);
      fmt::print("{}: {}, {:g} of {:g}\n", name, words(grade.outcome).text, grade.points,
                 grade.max_points);
      return grade;
    });
  });
}

}  // namespace opgrade::cli
