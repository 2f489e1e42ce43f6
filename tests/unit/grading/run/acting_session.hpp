/// A session with the submission of submission.cpp, which acts as the test says. Its target defines
/// OPGRADE_SUBMISSION.
#pragma once

#include <gtest/gtest.h>

#include "grader/grading/run/session_failure.hpp"
#include "tests/support/session_fixture.hpp"
#include "tests/unit/grading/run/acts.hpp"

namespace opgrade::test {

class SessionTest : public SessionFixture {
 protected:
  void start(Act act, const char* submission = "submission.so",
             InterfaceSteps steps = {false, false}) {
    take(OPGRADE_SUBMISSION);
    launch(submission, steps);
    tensors.input(1).as<float>()[0] = static_cast<float>(act);
    fill(1);
  }
  void fill(float first) {
    float value = first;
    for (float& v : tensors.input(0).as<float>()) v = value++;
    tensors.output().poison(1);
  }
  /// Whether y is what `work` in submission.cpp makes of x.
  bool right() const {
    for (std::size_t i = 0; i < tensors.output().as<float>().size(); ++i) {
      if (tensors.output().as<float>()[i] != 2 * tensors.input(0).as<float>()[i]) return false;
    }
    return true;
  }
  SessionFailure failed() {
    const auto report = session->finish();
    const auto failure = session->failure(report);
    EXPECT_TRUE(failure);
    return failure.value_or(SessionFailure{Outcome::passed, {}});
  }

  CallTensors tensors{{2, 1, 1, 5, 7, 1, 1}, {70, 70, 1}};  // B M C H W K S; y x k
};

}  // namespace opgrade::test
