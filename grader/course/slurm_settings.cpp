#include "grader/course/slurm_settings.hpp"

#include <fmt/format.h>

namespace opgrade::course {

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

}  // namespace opgrade::course
