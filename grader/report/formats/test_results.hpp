/// The tests of a grade, for formats of tools that know tests and nothing of stages and cases.
#pragma once

#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

enum class TestEnd {
  passed,   ///< the outputs are right
  warned,   ///< the outputs are right, but there is a warning
  failed,   ///< a fault of the submission
  error,    ///< a fault of the grader
  skipped,  ///< not run, or advice, which fails no test
};

struct TestResult {
  const StageReport* stage = nullptr;   ///< null for the whole submission
  const CaseReport* of_case = nullptr;  ///< null for a build and for the whole submission
  std::string name = {};                ///< the case's id, "build" or "submission"
  double elapsed_s = 0;
  Outcome outcome = Outcome::not_run;
  TestEnd end = TestEnd::skipped;
  std::string message = {};          ///< one sentence; empty if the test passed
  std::string details = {};          ///< facts, next action and command, or a hint; may be empty
  std::string compiler_output = {};  ///< of a build that did not succeed
  std::string printed = {};          ///< what the submission printed in this case
};

/// One test per case, in the order of the stages. A build that did not succeed is a test before
/// those of its stage, as is one that was not tried in a stage without cases. A submission that
/// reached no stage is a test, and so is one with a fault that no other test shows: a bad grade is
/// never a list of tests that passed. The results point into `view`, which must outlive them.
std::vector<TestResult> test_results_of(const Grade& view);

}  // namespace opgrade::report
