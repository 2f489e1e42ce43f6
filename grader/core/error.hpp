/// The grader's own failures. A submission's failure is a value (outcome.hpp), never an Error.
#pragma once

#include <stdexcept>
#include <string>
#include <tl/expected.hpp>

namespace opgrade {

/// The grader, its input or its machine is at fault. `what()` says what happened and where,
/// `hint` what the operator can do about it.
struct Error : std::runtime_error {
  explicit Error(const std::string& what, std::string hint_text = {})
      : std::runtime_error(what), hint(std::move(hint_text)) {}
  std::string hint;
};

/// For callers that branch at once on a failure.
template <class T>
using Result = tl::expected<T, Error>;

}  // namespace opgrade
