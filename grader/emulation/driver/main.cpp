#include <sys/auxv.h>

#include <cstdio>
#include <filesystem>

#include "grader/base/core/error.hpp"
#include "grader/emulation/driver/pipeline.hpp"

namespace {

/// Works without /proc, which a sandbox may lack: the kernel also tells a program how it was
/// called.
std::filesystem::path own_path() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical("/proc/self/exe", error);
  if (!error) return path;
  return std::filesystem::canonical(reinterpret_cast<const char*>(getauxval(AT_EXECFN)));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace opgrade::emulation;
  const DriverOptions options =
      parse_driver_options(std::vector<std::string>(argv + 1, argv + argc));
  if (options.help) {
    std::fputs(driver_help(), stdout);
    return 0;
  }
  for (const std::string& problem : options.problems)
    std::fprintf(stderr, "opgrade-cucc: error: %s\n", problem.c_str());
  if (!options.problems.empty()) return 2;
  try {
    return run_pipeline(options, find_installation(own_path()));
  } catch (const opgrade::Error& error) {
    std::fprintf(stderr, "opgrade-cucc: error: %s\n", error.what());
    if (!error.hint.empty()) std::fprintf(stderr, "opgrade-cucc: note: %s\n", error.hint.c_str());
    return kBroken;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "opgrade-cucc: error: %s\n", error.what());
    return kBroken;
  }
}
