/// The student-facing interfaces: which files a student writes and which adapter calls them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "grader/base/core/device.hpp"

namespace opgrade {

/// A source that opgrade writes beside the adapters: its path below them, and its text.
struct GeneratedFile {
  std::string path, text;
  bool is_included = true;  ///< of a header: before each source, whatever that includes
};

struct Interface {
  std::string_view id;          ///< as in the config
  std::string_view terms;       ///< where it was used
  std::string_view cpu_source;  ///< the course's file names; a stage may name others
  std::string_view gpu_source;
  std::string_view cpu_signature;  ///< for the hint when it does not link
  std::string_view gpu_signature;
  std::span<const std::string_view> functions;  ///< how the linker names what the student defines
  std::span<const GeneratedFile> generated;     ///< adapters and headers of a lecturer's task
  bool included = false;       ///< the adapter includes the first source; it is not compiled itself
  bool device_tensors = true;  ///< the GPU call gets device pointers, not host pointers
  bool gpu_around = true;      ///< the GPU adapter has a step before the call and one after it
  bool program = false;        ///< the student writes `main`, which runs once a process
  bool has_caller = false;     ///< the adapter holds code of staff's, for the stage's flags
  bool zeroed_output = false;  ///< the output is zero before the call, as in the course

  std::string_view source(Device device) const {
    return device == Device::cpu ? cpu_source : gpu_source;
  }
  bool prolog(Device device) const { return device != Device::cpu && gpu_around; }
  bool epilog(Device device) const { return device != Device::cpu && gpu_around; }
  /// Below share/opgrade/adapters/<id>/.
  static std::string_view adapter(Device device) {
    return device == Device::cpu ? "cpu.cpp" : "gpu.cu";
  }
};

}  // namespace opgrade
