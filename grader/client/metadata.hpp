/// The student of a course platform's submission.
#pragma once

#include <string>

namespace opgrade::client {

/// E-mail and student id, by commas, of the first user in the text of Gradescope's
/// submission_metadata.json. Throws Error where it names none.
std::string student_of_metadata(const std::string& text);

}  // namespace opgrade::client
