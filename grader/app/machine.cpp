#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "grader/app/gpu.hpp"
#include "grader/app/grader.hpp"
#include "grader/app/program_version.hpp"

namespace opgrade {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

MachineReport describe_machine(const Sandbox& sandbox, const Toolchain& tools) {
  MachineReport machine;
  machine.opgrade_version = program_version();
  machine.host_cpu = processor_name();
  machine.cpus = static_cast<int>(std::thread::hardware_concurrency());
  machine.gpu = find_gpu().value_or("");
  machine.sandbox = std::string(name_of(sandbox.support().tier));
  machine.compiler = tools.cxx_version;
  machine.started = fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  return machine;
}

}  // namespace opgrade
