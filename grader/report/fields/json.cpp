#include "grader/report/fields/json.hpp"

#include <nlohmann/json.hpp>

#include "grader/base/core/json_reader.hpp"
#include "grader/base/core/json_writer.hpp"
#include "grader/report/fields/profile_fields.hpp"

namespace opgrade::report {

std::string json_report(const Grade& grade, Audience audience) {
  const JsonReport report{audience, view_for(grade, audience)};
  // The view is valid UTF-8. If a text is ever invalid, a report with a replacement character is
  // better than none.
  return json_of(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Grade grade_from_json(const std::string& text) {
  return record_from_json<JsonReport>(
             text, "report",
             "The file is damaged or not an opgrade report; remove it and grade again.")
      .grade;
}

}  // namespace opgrade::report
