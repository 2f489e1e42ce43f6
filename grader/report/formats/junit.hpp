/// JUnit XML in the testmo dialect, for CI systems that show test results.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// testsuites > one testsuite per stage > one testcase per case. A fault of the submission is a
/// `failure`, a fault of the grader an `error`, and a case that was not run is `skipped`. A build
/// that did not succeed is a test case named "build". A submission that reached no stage is a suite
/// of its own, so that a grade with a fault never gives a report without one. Times are seconds.
std::string junit_report(const Grade& grade, Audience audience);

}  // namespace opgrade::report
