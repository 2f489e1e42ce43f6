/// JUnit XML in the testmo dialect, for CI systems that show test results.
#pragma once

#include <string>
#include <string_view>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// testsuites > one testsuite per stage > one testcase per case.
/// A fault of the submission is a `failure`, a fault of the grader an `error`, a case that was not
/// run is `skipped`. A build that did not succeed is a test case named "build". A submission that
/// never reached a stage is a suite of its own. So no report without a fault can stand for a grade
/// with one. Times are seconds.
std::string junit_report(const Grade& grade, Audience audience);

/// Without the characters that XML 1.0 forbids even when escaped (section 2.2): control characters
/// but tab and line ends, U+FFFE and U+FFFF. `text` is UTF-8.
std::string xml_text(std::string_view text);

}  // namespace opgrade::report
