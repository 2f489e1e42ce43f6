/// A word of a command line that a person may paste into a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace opgrade {

/// The word itself if a shell would not change it, else the word in single quotes.
std::string shell_word(std::string_view word);

/// Like shell_word(), for a path that must not look like an option: `-x` becomes `./-x`.
std::string shell_path(std::string_view path);

}  // namespace opgrade
