#include "grader/grading/build/toolchain.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "grader/base/core/resources.hpp"
#include "grader/grading/build/installed_tools.hpp"
#include "grader/platform/process/process.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

std::string output_of(const fs::path& program, const std::string& argument) {
  Command command{
      .program = program, .arguments = {argument}, .environment = {"PATH=/usr/bin:/bin"}};
  // These programs end by themselves, but later on a busy machine.
  return run_command(command, {.wall = std::chrono::minutes(10)}).standard_output;
}

std::string first_line_of(const fs::path& program, const std::string& argument) {
  const auto text = output_of(program, argument);
  return text.substr(0, text.find('\n'));
}

}  // namespace

bool can_watch(const std::string& version) {
  constexpr int kFirst = 11;
  return std::atoi(version.c_str()) >= kFirst;
}

Toolchain Toolchain::detect() {
  Toolchain tools;
  for (const InstalledTool& compiler : cxx_compilers()) {
    if (!is_of_the_system(compiler) || tools.cxx_can_watch) continue;
    const bool can = can_watch(first_line_of(compiler.path, "-dumpversion"));
    if (tools.cxx && !can) continue;
    tools.cxx = compiler.path;
    tools.cxx_can_watch = can;
  }
  if (tools.cxx) tools.cxx_version = first_line_of(*tools.cxx, "--version");
  if (const auto toolkits = cuda_toolkits(); !toolkits.empty())
    tools.cuda_root = toolkits.front().path;
  if (const char* arch = std::getenv("OPGRADE_CUDA_ARCH"); arch != nullptr) {
    tools.cuda_architecture = arch;
  }
  try {
    tools.emulator = resources::helper_program("opgrade-cucc").parent_path().parent_path();
  } catch (const Error& e) {
    tools.no_emulator = e;
  }
  return tools;
}

void Toolchain::build_for(const std::string& architecture) {
  if (!cuda_root || architecture == cuda_architecture ||
      std::getenv("OPGRADE_CUDA_ARCH") != nullptr) {
    return;
  }
  std::istringstream known(output_of(*cuda_root / "bin/nvcc", "--list-gpu-code"));
  for (std::string word; known >> word;)
    if (word == architecture) cuda_architecture = architecture;
}

std::string Toolchain::cuda_version(const fs::path& driver_file) const {
  if (!cuda_root) return {};
  std::string driver, toolkit;
  std::ifstream(driver_file) >> driver;
  std::istringstream told(output_of(*cuda_root / "bin/nvcc", "--version"));
  for (std::string word; toolkit.empty() && told >> word;)
    if (word.starts_with("V") && word.find('.') != word.npos) toolkit = word;
  return toolkit.empty() || driver.empty() ? ""
                                           : fmt::format("CUDA {}, driver {}", toolkit, driver);
}

std::vector<fs::path> Toolchain::sanitizer_runtimes(bool races) const {
  // clang's runtimes are static archives, which only programs can use.
  if (!cxx || cxx->filename() != "g++") return {};
  std::vector<fs::path> files;
  const auto names = races ? std::vector{"libtsan.so"} : std::vector{"libasan.so", "libubsan.so"};
  for (const char* const name : names) {
    const fs::path found = first_line_of(*cxx, fmt::format("-print-file-name={}", name));
    std::error_code missing;
    const fs::path file = fs::canonical(found, missing);
    // The compiler prints a name without a folder if it did not find the file.
    if (!found.is_absolute() || missing) return {};
    files.push_back(file);
  }
  return files;
}

bool Toolchain::has_front_end() const {
  std::error_code unreadable;
  return emulator && fs::exists(*emulator / "lib/opgrade/emulation/cuda-front-end", unreadable);
}

void Toolchain::move_emulator_to(const fs::path& folder) {
  if (!emulator) return;
  // The three parts that opgrade-cucc looks for relative to itself.
  for (const fs::path part :
       {"bin/opgrade-cucc", "lib/opgrade/emulation", "share/opgrade/emulation"}) {
    try {
      fs::create_directories((folder / part).parent_path());
      fs::copy(*emulator / part, folder / part, fs::copy_options::recursive);
    } catch (const fs::filesystem_error& e) {
      const bool missing = e.code() == std::errc::no_such_file_or_directory;
      throw Error(fmt::format("cannot copy the emulated device's {}: {}",
                              (*emulator / part).string(), e.code().message()),
                  missing ? "install opgrade again: a part of it is missing"
                          : "check the free space and the rights of the temporary folder (TMPDIR)");
    }
  }
  emulator = folder;
}

std::vector<fs::path> Toolchain::cuda_library_files(const std::string& library) const {
  std::vector<fs::path> files;
  std::error_code missing;
  if (!cuda_root) return files;
  for (const auto& entry : fs::directory_iterator(*cuda_root / "lib64", missing)) {
    const std::string name = entry.path().filename();
    const auto version = name.rfind(".so.");
    // libcublas.so.13, not libcublas.so nor libcublas.so.13.0.2.14
    if (name.starts_with("lib" + library) && version != name.npos &&
        name.find_first_not_of("0123456789", version + 4) == name.npos)
      files.push_back(entry.path());
  }
  return files;
}

std::vector<fs::path> Toolchain::cuda_library_files(
    const std::vector<std::string>& libraries) const {
  std::vector<fs::path> all;
  for (const auto& library : libraries) {
    const auto files = cuda_library_files(library);
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

}  // namespace opgrade
