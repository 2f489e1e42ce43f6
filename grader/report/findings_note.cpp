#include "grader/report/findings_note.hpp"

#include <fmt/format.h>

#include "grader/report/reason_words.hpp"

namespace opgrade::report {

std::string findings_note(const std::string& id, const Reason& why, bool begun) {
  return begun ? fmt::format(
                     "{}: findings were not looked for to the end of the emulated device's run: {}",
                     id, sentence_of(why))
               : fmt::format("{}: findings were not looked for: {}", id, sentence_of(why));
}

}  // namespace opgrade::report
