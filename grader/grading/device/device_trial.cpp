#include "grader/grading/device/device_trial.hpp"

#include <fmt/format.h>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/grading/run/runtime_view.hpp"

namespace opgrade {

std::optional<std::string> why_no_device(const Sandbox& sandbox,
                                         const std::filesystem::path& harness,
                                         const std::string& uuid) {
  constexpr const char* kInside = "/opgrade/opgrade-harness";
  SandboxReport report;
  try {
    SandboxPolicy policy;
    add_runtime_view(policy, Device::cuda, {uuid});
    policy.mounts.push_back({harness, kInside});
    report = sandbox.run(policy, {kInside, "--try-device"});
  } catch (const Error& e) {
    return printable_line(e.what());
  }
  if (report.process.succeeded()) return std::nullopt;
  std::string said = report.process.standard_output + report.process.standard_error;
  said.erase(said.find_last_not_of('\n') + 1);
  if (report.limit) return "the trial ran into its limit: " + text_of(*report.limit);
  if (!said.empty()) return printable_line(said);
  const auto* const exited = std::get_if<Exited>(&report.process.end);
  return exited != nullptr ? fmt::format("the trial ended with exit code {}", exited->code)
                           : std::string("the trial was killed");
}

}  // namespace opgrade
