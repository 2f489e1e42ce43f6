/// The commands that build a submission, with the paths that they see inside the sandbox.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "grader/grading/build/compile.hpp"

namespace opgrade {

inline constexpr const char* kSources = "/submission";
inline constexpr const char* kAdapters = "/opgrade/adapters";
/// Where include_aliases.hpp writes: among the adapters, which every tier lets a compiler read.
inline constexpr const char* kAliases = "/opgrade/adapters/aliases";
inline constexpr const char* kEmulator = "/opgrade/emulation";
/// The header that an adapter includes if the interface's source is a header.
inline constexpr const char* kIncludedSource = "opgrade_submission.h";
inline constexpr const char* kOutput = "/out/submission.so";
inline constexpr const char* kAdapterObject = "/opgrade/adapter.o";

/// A source of the grader's own, which every compiler that works accepts.
const TakenFiles& control_files(Device device);

/// The course's headers, by the names that a source includes them by.
std::set<std::string> course_headers(const Interface& interface);

/// True if job.adapter_object takes the adapter's place. It does not if the submission brings an
/// interface header of its own, which some terms' students changed.
bool has_adapter_object(const CompileJob& job);

/// Compiles the stage's sources and links them with the adapter and `more`. Throws Error if there
/// is no compiler for the device.
std::vector<std::string> build_command(const CompileJob& job, const Toolchain& tools,
                                       const std::vector<std::string>& more = {});

/// Compiles (-c) or preprocesses (-E) one source with the flags and headers of the stage.
std::vector<std::string> one_source_command(const CompileJob& job, const Toolchain& tools,
                                            const std::string& step, const std::string& source,
                                            const std::string& output);

/// Asks the emulated device's front end what a preprocessed text uses: opgrade-cucc --uses.
std::vector<std::string> uses_command(const CompileJob& job, const Toolchain& tools,
                                      const std::string& text, const std::string& output);

/// The path of the adapter's source.
std::string adapter_source(const Interface& interface, Device device);

/// Compiles the adapter of a CUDA interface to an object, without a submission.
std::vector<std::string> adapter_command(const CompileJob& job, const Toolchain& tools,
                                         const std::string& object);

}  // namespace opgrade
