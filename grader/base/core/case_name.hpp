/// The name of a case within its stage.
#pragma once

#include <string>

namespace opgrade {

/// The part of a case's id after its stage: "high/1000", or the name of a case with sizes.
inline std::string case_name(const std::string& model, int batch) {
  return batch == 0 ? model : model + "/" + std::to_string(batch);
}

}  // namespace opgrade
