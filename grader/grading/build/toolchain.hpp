/// The compilers this machine has for submissions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/error.hpp"

namespace opgrade {

/// True if the compiler of this `version`, such as "10" or "11.0.1", builds runs of the emulated
/// device that watch each access. g++ 11 and Clang 11 do, because they tell volatile objects from
/// others. Without that, a right program that waits for a volatile object would be blamed.
bool can_watch(const std::string& version);

struct Toolchain {
  std::optional<std::filesystem::path> cxx;  ///< g++ or clang++
  std::string cxx_version;
  bool cxx_can_watch = false;
  std::optional<std::filesystem::path> cuda_root;  ///< real path of the CUDA toolkit, with bin/nvcc
  /// The value of nvcc's -arch: OPGRADE_CUDA_ARCH, else build_for()'s name, else sm_90.
  std::string cuda_architecture = "sm_90";
  /// Prefix of the emulated device's compiler: bin/opgrade-cucc, lib/ and share/ below it.
  std::optional<std::filesystem::path> emulator;
  Error no_emulator{"the emulated device was not looked for"};  ///< why there is none

  static Toolchain detect();

  /// Has nvcc build for `architecture`, such as "sm_80", unless OPGRADE_CUDA_ARCH names another or
  /// this nvcc does not know it. A device newer than the toolkit translates older code.
  void build_for(const std::string& architecture);

  /// "CUDA V12.4.131, driver 550.54.15"; empty if one of them is unknown.
  std::string cuda_version(
      const std::filesystem::path& driver_file = "/sys/module/nvidia/version") const;

  /// The CUDA toolkit's shared objects that a submission linked with `-l<library>` loads, and their
  /// helpers (libcublasLt with libcublas), as files with the names that the loader asks for.
  std::vector<std::filesystem::path> cuda_library_files(const std::string& library) const;
  std::vector<std::filesystem::path> cuda_library_files(
      const std::vector<std::string>& libraries) const;

  /// The runtimes that a CPU submission needs if it was built with checks, or to find races. A
  /// program that runs the submission loads them before all else. Empty if the compiler has none.
  std::vector<std::filesystem::path> sanitizer_runtimes(bool races = false) const;

  /// True if Clang reads sources for the emulated device's compiler.
  bool has_front_end() const;

  /// Copies the emulated device's compiler to `folder` and uses that copy, so that the sandbox's
  /// user can read it wherever opgrade is installed. Does nothing if there is none.
  void move_emulator_to(const std::filesystem::path& folder);
};

}  // namespace opgrade
