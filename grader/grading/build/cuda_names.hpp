/// Names of CUDA in a compiler's messages.
#pragma once

#include <optional>
#include <string>

namespace opgrade {

/// A name that CUDA had once, and what does its work now: "__shfl", "__shfl_sync".
struct RemovedName {
  std::string name, successor;
};

/// The name that the first error does not know because CUDA no longer has it.
std::optional<RemovedName> find_removed_name(const std::string& messages);

/// `messages` without suggestions of names that are not for programs: "; did you mean '__sinl'?".
/// Such a name begins with two underscores, or one and a capital, and is not CUDA's; or it is the
/// emulated device's own.
std::string without_reserved_suggestions(const std::string& messages);

}  // namespace opgrade
