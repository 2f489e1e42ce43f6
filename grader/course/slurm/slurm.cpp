#include "grader/course/slurm/slurm.hpp"

#include <fmt/format.h>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/platform/process/tool.hpp"

namespace opgrade::course {
namespace {

/// sbatch --parsable prints "17" or "17;cluster", after its warnings.
std::string array_id(const std::string& text) {
  std::string id;
  for (const auto& line : split(text, '\n'))
    if (const auto first = line.substr(0, line.find(';')); whole_number(first)) id = first;
  return id;
}

}  // namespace

std::vector<std::string> sbatch_options(const SlurmSettings& s) {
  std::vector<std::string> options;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) options.push_back(fmt::format("--{}={}", name, value));
  };
  add("partition", s.partition);
  add("account", s.account);
  add("qos", s.qos);
  add("constraint", s.constraint);
  add("gpus-per-node", s.gpus);
  if (s.exclusive) options.emplace_back("--exclusive");
  if (s.time.count() > 0) {
    const auto t = s.time.count();
    add("time", fmt::format("{}:{:02}:{:02}", t / 3600, t / 60 % 60, t % 60));
  }
  if (s.memory_bytes > 0) {
    add("mem", fmt::format("{}K", s.memory_bytes / 1024));
  } else if (s.exclusive) {
    add("mem", "0");  // --exclusive gives all CPUs, not all memory
  }
  if (s.cpus > 0) add("cpus-per-task", std::to_string(s.cpus));
  return options;
}

TaskEnd task_end(std::string_view state) {
  for (const char* ended : {"NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "REVOKED"})
    if (state == ended) return TaskEnd::machine;
  for (const char* ended : {"COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "DEADLINE"})
    if (state == ended) return TaskEnd::ended;
  return state == "CANCELLED" ? TaskEnd::cancelled : TaskEnd::alive;
}

std::vector<SlurmTask> parse_squeue(const std::string& text) {
  std::vector<SlurmTask> tasks;
  for (const auto& line : split(text, '\n')) {
    auto cells = split(line, '|');
    const auto index = cells.size() < 4 ? std::nullopt : whole_number<int>(cells[1]);
    if (!index || !whole_number(cells[0])) continue;
    cells.resize(6);
    tasks.push_back({cells[0], *index, cells[2], cells[3], cells[4], cells[5]});
  }
  return tasks;
}

bool is_silence(std::string_view output) {
  // slurm_strerror() of Slurm 22.05: connection, send, receive and shutdown failures, and its
  // time-outs.
  for (const char* const phrase : {"Unable to contact slurm controller", "Socket timed out",
                                   "Zero Bytes were transmitted", "controller in standby mode"})
    if (output.find(phrase) != std::string_view::npos) return true;
  return false;
}

/// Slurm's commands give up by themselves after some minutes of silence at most, unless the file
/// system that they are on hangs. sbatch is always awaited, because its array must be known.
constexpr std::chrono::minutes kLongestAnswer{2};

Slurm slurm_commands() {
  if (!run_tool({"sbatch", "--version"}).well) {
    throw Error("this machine has no sbatch",
                "run opgrade on a login node of the cluster, or grade with --executor local");
  }
  return {[](const std::vector<std::string>& arguments) -> std::optional<std::string> {
            std::vector<std::string> words{"sbatch", "--parsable"};
            words.insert(words.end(), arguments.begin(), arguments.end());
            const ToolResult said = run_tool(words);
            const std::string id = array_id(said.text);
            if (!said.well && is_silence(said.text)) return std::nullopt;
            if (!said.well || id.empty()) {
              throw Error("sbatch refused the job array: " + printable_line(said.text),
                          "correct 'slurm' in course.yaml, then repeat the command");
            }
            return id;
          },
          []() -> std::optional<std::vector<SlurmTask>> {
            const ToolResult said = run_tool({"squeue", "--me", "--array", "--noheader",
                                              "--states=all", "--format=%F|%K|%j|%T|%N|%r"},
                                             kLongestAnswer);
            if (!said.well) return std::nullopt;
            return parse_squeue(said.text);
          },
          [](const std::vector<std::string>& arrays) {
            std::vector<std::string> words{"scancel", "--quiet"};
            words.insert(words.end(), arrays.begin(), arrays.end());
            return arrays.empty() || run_tool(words, kLongestAnswer).well;
          }};
}

}  // namespace opgrade::course
