/// Why a stage cannot run on a machine.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "grader/base/core/fields.hpp"
#include "grader/base/core/reasons/alternative.hpp"

namespace opgrade::why {

/// What a machine lacks.
enum class Lack { gpu, toolkit, emulator, gpu_and_emulator, gpus };

struct NoDevice {
  Lack lack = Lack::gpu;
  bool can_emulate = false;  ///< the machine can emulate, if the command asks for it
  std::string words{};  ///< why there is no emulated device; if there are too few GPUs, how many
  OPGRADE_REASON(NoDevice, no_device);
};

inline constexpr std::array<std::string_view, 5> kLackNames{"gpu", "toolkit", "emulator",
                                                            "gpu_and_emulator", "gpus"};
constexpr EnumNames enum_names(Lack) { return {"what a machine lacks", kLackNames}; }

}  // namespace opgrade::why
