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

/// The request is wrong: the command line, the config or a file that it names. The machine is not
/// at fault.
struct UsageError : Error {
  using Error::Error;
};

/// Runs `f`, which reads what the user named. Its errors become UsageErrors, because the user can
/// fix them.
template <class F>
auto as_usage(F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    throw UsageError(e.what(), e.hint);
  }
}

/// For callers that handle a failure at once.
template <class T>
using Result = tl::expected<T, Error>;

}  // namespace opgrade
