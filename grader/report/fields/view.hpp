/// Makes the part of a grade that one audience may see, with every text made harmless. Formats get
/// nothing else.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

enum class Audience {
  student,  ///< sees only the outcome and the points of a hidden case
  staff,    ///< sees everything
};

/// A copy of `grade` that is safe to show:
///  - Every one-line text is one line of printable UTF-8 of at most kMaxLine bytes.
///  - The outputs of compiler and submission, and the sources of a profile, are printable lines of
///    at most kMaxLine bytes each, kMaxOutput in total.
///  - A CI runner finds no command in it: "::" at the start of a word and "##[", "##vso[" and the
///    like show their first character as \x3a or \x23.
///  - A path has at most kMaxPath bytes. Students' reports have no path of the submission, and
///    those of a class have no seed.
///  - In a student's view, a case of which only the name may be shown has name, outcome and points.
///    A hidden case has its outcome, its points and a number instead of its id. Texts of other
///    cases that name the hidden case or repeat its reason are replaced.
///
/// The view of a view is equal to the view. The limits are above those of printable(), so texts
/// that went through printable() stay unchanged.
Grade view_for(const Grade& grade, Audience audience);

/// The grade with those cases visible that were hidden until the deadline. `grade` must be
/// complete, as staff's reports are.
Grade after_deadline(Grade grade);

inline constexpr std::size_t kMaxLine = 500;
inline constexpr std::size_t kMaxPath = 16 * 1024;  ///< PATH_MAX, if each byte becomes \xNN
inline constexpr std::size_t kMaxOutput = 256 * 1024;

/// One printable line: line ends and tabs become spaces, the rest is passed to printable().
std::string one_line(std::string_view text, std::size_t max_length = kMaxLine);

/// At most `max_lines` lines from the start of `text`; a last line says how many are left out.
std::string first_lines(std::string_view text, int max_lines);

/// The text of a file of the submission by Diagnostic::path; nullopt if there is none.
using SourceOf = std::function<std::optional<std::string>(const std::string& path)>;

}  // namespace opgrade::report
