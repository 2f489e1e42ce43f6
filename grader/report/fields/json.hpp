/// The versioned JSON report, described field by field in report.schema.json, and its reader.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

inline constexpr const char* kJsonSchema = "opgrade-report-1";

/// Indented by two, keys in the order of the schema, one newline at the end. Numbers that are not
/// finite, which JSON cannot hold, are the texts "NaN", "Infinity" and "-Infinity".
std::string json_report(const Grade& grade, Audience audience);

/// Reads a report of json_report() back. Throws Error, naming the field, for text that is no JSON,
/// is another schema's, or lacks or mistypes a field. Unknown fields are ignored, so that a later
/// opgrade may add some. A student's report gives back what it holds: hidden cases stay bare.
Grade grade_from_json(const std::string& text);

}  // namespace opgrade::report
