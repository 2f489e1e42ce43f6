/// The sentence of a note.
#pragma once

#include <string>

#include "grader/base/core/note.hpp"

namespace opgrade::report {

/// Sentence for notes::AccessesNotWatched, and for a case whose points depend on these accesses.
inline constexpr const char* kCannotWatch =
    "races and wrong accesses are not looked for: that takes g++ 11 or Clang 11, such as by "
    "`apt-get "
    "install clang`";

/// One line of at most kMaxLine bytes (view.hpp). It begins with the case or the stage, if the note
/// is about one.
std::string sentence_of(const Note& note);

/// "3 kernel launches outside the convolution call (1.5 ms)".
std::string launches_text(const notes::LaunchesOutside& outside);

/// "other timed runs may have overlapped: ...".
std::string overlap_text(const std::string& why);

}  // namespace opgrade::report
