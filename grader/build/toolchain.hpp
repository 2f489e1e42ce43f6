/// The compilers this machine has for submissions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace opgrade {

struct Toolchain {
  std::optional<std::filesystem::path> cxx;  ///< g++ or clang++
  std::string cxx_version;
  std::optional<std::filesystem::path> cuda_root;  ///< real path of the CUDA toolkit, with bin/nvcc
  /// What nvcc's -arch gets: OPGRADE_CUDA_ARCH, else sm_90.
  std::string cuda_architecture = "sm_90";
  std::optional<std::filesystem::path> emulator;  ///< opgrade-cucc

  static Toolchain detect();
};

}  // namespace opgrade
