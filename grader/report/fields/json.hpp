/// The versioned JSON report, described field by field in report.schema.json, and its reader.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

inline constexpr const char* kJsonSchema = "opgrade-report-1";

/// Indented by two, with keys in the order of the schema and one newline at the end. JSON has no
/// numbers that are not finite, so they are written as the texts "NaN", "Infinity" and "-Infinity".
std::string json_report(const Grade& grade, Audience audience);

/// Reads a report of json_report() back. Throws Error, naming the field, if the text is not JSON,
/// has another schema, or if a field is missing or has the wrong type. Unknown fields are ignored,
/// so that a later opgrade may add some. A student's report gives back only what it contains:
/// hidden cases stay without details.
Grade grade_from_json(const std::string& text);

}  // namespace opgrade::report
