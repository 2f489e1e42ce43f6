/// One run of a compiler in the sandbox, on a folder of its own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "grader/grading/build/compile.hpp"
#include "grader/grading/build/toolchain.hpp"
#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade {

/// Writes the sources and the adapters into `folder`, and gives it to the sandbox's user.
void prepare_folder(const CompileJob& job, const Sandbox& sandbox,
                    const std::filesystem::path& folder);

/// The sandbox of a compiler in a prepared folder.
SandboxPolicy compile_policy(const CompileJob& job, const Toolchain& tools,
                             const std::filesystem::path& folder);

bool has_built(const SandboxReport& run, const std::filesystem::path& folder);

struct CompilerRun {
  SandboxReport report;
  std::filesystem::path folder;

  std::string messages() const {
    return report.process.standard_output + report.process.standard_error;
  }
};

/// Repeats the run, after a pause, while other programs of the sandbox's user hold its processes.
CompilerRun run_compiler(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                         const std::filesystem::path& folder);

/// `text` without the grader's own paths, for the student.
std::string student_view(std::string_view text);

/// Throws Error if the compiler fails on a source of the grader's own as well.
void check_compiler(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                    const std::filesystem::path& folder);

}  // namespace opgrade
