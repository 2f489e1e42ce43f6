/// The student-facing interfaces: which files a student writes and which adapter calls them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "grader/base/core/device.hpp"

namespace opgrade {

/// A source that opgrade writes next to the adapters: its path relative to them, and its text.
struct GeneratedFile {
  std::string path, text;
  bool is_included = true;  ///< of a header: before each source, whatever that includes
};

struct Interface {
  std::string_view id;          ///< as configs name it
  std::string_view terms;       ///< the terms of the course that used it
  std::string_view cpu_source;  ///< the course's file names; a stage may name others
  std::string_view gpu_source;
  std::string_view cpu_signature;  ///< for the hint if the function does not link
  std::string_view gpu_signature;
  std::span<const std::string_view> functions;  ///< the linker's names of what the student defines
  std::span<const GeneratedFile> generated;     ///< adapters and headers of a lecturer's task
  bool included = false;       ///< the adapter includes the first source, which is not compiled
  bool device_tensors = true;  ///< the GPU call gets device pointers, not host pointers
  bool gpu_around = true;      ///< the GPU adapter has a prolog and an epilog
  bool program = false;        ///< the student writes `main`, which runs once per process
  /// The adapter contains staff's code, so it is built with the stage's flags.
  bool has_caller = false;
  bool zeroed_output = false;  ///< the output is zero before the call, as in the course

  std::string_view source(Device device) const {
    return device == Device::cpu ? cpu_source : gpu_source;
  }
  bool prolog(Device device) const { return device != Device::cpu && gpu_around; }
  bool epilog(Device device) const { return device != Device::cpu && gpu_around; }
  /// The file name below share/opgrade/adapters/<id>/.
  static std::string_view adapter(Device device) {
    return device == Device::cpu ? "cpu.cpp" : "gpu.cu";
  }
};

}  // namespace opgrade
