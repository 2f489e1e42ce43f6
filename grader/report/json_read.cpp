#include "grader/core/json_reader.hpp"
#include "grader/report/json.hpp"
#include "grader/report/profile_fields.hpp"

namespace opgrade::report {

Grade grade_from_json(const std::string& text) {
  return record_from_json<JsonReport>(
             text, "report",
             "The file is damaged or not an opgrade report; remove it and grade again.")
      .grade;
}

}  // namespace opgrade::report
