/// JUnit XML in the testmo dialect, for CI systems that show test results.
#pragma once

#include <string>
#include <string_view>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// testsuites > one testsuite per stage > one testcase per case. A fault of the submission is a
/// `failure`, a fault of the grader an `error`, and a case that was not run is `skipped`. A build
/// that did not succeed is a test case named "build". A submission that reached no stage is a suite
/// of its own, so that a grade with a fault never gives a report without one. Times are seconds.
std::string junit_report(const Grade& grade, Audience audience);

/// Removes the characters that XML 1.0 forbids even when escaped (section 2.2): control characters
/// except for tab and line ends, U+FFFE and U+FFFF. `text` is UTF-8.
std::string xml_text(std::string_view text);

}  // namespace opgrade::report
