/// Compiles a submission, inside the sandbox, to a shared object that the harness loads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/build/toolchain.hpp"
#include "grader/grading/intake/intake.hpp"
#include "grader/platform/sandbox/sandbox.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/interface/interface.hpp"

namespace opgrade {

struct CompileJob {
  const Interface& interface;
  Device device;
  std::vector<std::string> sources;  ///< names among `files`
  std::vector<std::string> flags;
  std::vector<std::string> libraries;
  const TakenFiles& files;
  LimitConfig limits;
  /// Instrument every access, which is slower and finds mistakes: for the emulated device, and for
  /// a CPU if the compiler has sanitizer_runtimes().
  bool checks = false;
  /// From compile_adapter(), or empty. Not used if the submission brings a header that the adapter
  /// includes.
  std::filesystem::path adapter_object;
  bool counts = false;  ///< count every access, for the emulated device
  bool races = false;   ///< watch the accesses of OpenMP's threads, on a CPU
};

struct Compiled {
  BuildReport report;                ///< outcome `passed`, or why not
  std::filesystem::path submission;  ///< the shared object, inside `folder`
};

/// The adapter of a CUDA interface as an object in `folder`, for all submissions, because nvcc
/// takes as long for it as for most of them. Returns an empty path if none can be built: the
/// adapter includes the submission, needs the stage's flags or does not compile here. compile()
/// then says why.
std::filesystem::path compile_adapter(const Interface& interface, const LimitConfig& limits,
                                      const Toolchain& tools, const Sandbox& sandbox,
                                      const std::filesystem::path& folder);

/// Builds in `folder`, which must be empty and stay alive as long as the result is used. A
/// submission that does not build is a value. A missing compiler or sandbox throws Error. So does a
/// compiler that also fails on a source of the grader's own, which is tried if the failure may be
/// the machine's, by what the machine did: see compiler_end.hpp.
Compiled compile(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                 const std::filesystem::path& folder);

}  // namespace opgrade
