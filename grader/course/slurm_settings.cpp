#include "grader/course/slurm_settings.hpp"

#include <fmt/format.h>

#include "grader/course/time_zone.hpp"

namespace opgrade::course {

void read_slurm(const YAML::Node& node, ProblemList& problems, SlurmSettings& settings) {
  MapReader map(node, "'slurm'", problems);
  std::string shared = settings.shared.string();
  map.read("shared", shared);
  settings.shared = shared;
  if (!shared.empty() && !settings.shared.is_absolute()) {
    problems.add(
        map.node("shared"),
        fmt::format("'shared' must be a path from / that all nodes see, not '{}'", shared));
  }
  map.read("partition", settings.partition);
  map.read("account", settings.account);
  map.read("qos", settings.qos);
  map.read("constraint", settings.constraint);
  map.read("gpus", settings.gpus);
  map.read("exclusive", settings.exclusive);
  std::string time;
  map.read("time", time);
  if (const auto span = parse_span(time); span && span->count() > 0) {
    settings.time = *span;
  } else if (!time.empty()) {
    problems.add(map.node("time"),
                 fmt::format("'time' must be a time with its unit (30 min, 2 h), not '{}'", time));
  }
  if (map.has("memory")) map.read_bytes("memory", settings.memory_bytes);
  map.read("cpus", settings.cpus, 1, 4096);
  map.read("at_once", settings.at_once, 1, 1000);
  map.read("batch", settings.batch, 1, 1000);
  map.read("retries", settings.retries, 0, 100);
  if (map.has("poll")) map.read("poll", settings.poll);
}

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
