/// What a finding decides.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "grader/base/core/fields.hpp"
#include "grader/base/core/finding.hpp"
#include "grader/base/core/reasons/alternative.hpp"

namespace opgrade::why {

struct NeedsGpu {
  Finding finding;
  OPGRADE_REASON(NeedsGpu, needs_gpu);
};
struct Mistake {
  Finding finding;
  int watched_images = 0;  ///< images on which the finding showed in a network's layers
  OPGRADE_REASON(Mistake, mistake);
};
/// How the rerun on the emulated device differed.
enum class Variation { none, packed, filled, reversed };
struct WrongWhenVaried {
  Finding finding;
  Variation variation = Variation::none;
  std::vector<Reason> rerun;  ///< exactly one: how the varied run ended
  bool operator==(const WrongWhenVaried&) const;
  static constexpr std::string_view id = "wrong_when_varied";
};
/// The outputs are right in a plain run, but the watched run fails.
struct FailedWhenWatched {
  std::vector<Reason> rerun;  ///< exactly one: of the watched run, or of its build
  bool operator==(const FailedWhenWatched&) const;
  static constexpr std::string_view id = "failed_when_watched";
};
struct SanitizerMistake {
  Finding finding;
  OPGRADE_REASON(SanitizerMistake, sanitizer_mistake);
};

inline constexpr std::array<std::string_view, 4> kVariationNames{"none", "packed", "filled",
                                                                 "reversed"};
constexpr EnumNames enum_names(Variation) { return {"a variation", kVariationNames}; }

}  // namespace opgrade::why
