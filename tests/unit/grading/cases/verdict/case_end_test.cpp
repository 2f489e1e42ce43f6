// The end of a case with a session of its own, without a device.
#include "grader/grading/cases/verdict/case_end.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/config_task.hpp"
#include "tests/unit/grading/run/acting_session.hpp"

namespace opgrade {
namespace {

class CaseEnd : public test::SessionTest {
 protected:
  /// A case whose session made one call and ended.
  JudgedCase after_call(test::Act act) {
    start(act);
    EXPECT_TRUE(session->map(tensors));
    session->call();
    const StageContext stage{.config = config,
                             .task = task_of(config),
                             .interface = interface_of(config),
                             .sandbox = *sandbox,
                             .harness = folder.path() / "harness"};
    const CaseContext context{.stage = stage,
                              .built = {.submission = folder.path() / "submission.so"}};
    JudgedCase c = new_case(stage);
    end_session(c, *session, context);
    return c;
  }

  const Config config;
};

TEST_F(CaseEnd, AFailureOfTheSessionIsTheCases) {
  const JudgedCase c = after_call(test::Act::exits);
  ASSERT_TRUE(c.evidence.failure);
  EXPECT_EQ(c.evidence.failure->outcome, Outcome::exited_early);
  EXPECT_EQ(c.outcome, Outcome::exited_early);
  EXPECT_THAT(report::sentence_of(c.reason), testing::HasSubstr("exit(7)"));
}

TEST_F(CaseEnd, ASessionThatEndsWellIsNoFailure) {
  const JudgedCase c = after_call(test::Act::honest);
  EXPECT_FALSE(c.evidence.failure);
  EXPECT_EQ(c.outcome, Outcome::passed) << report::sentence_of(c.reason);
  EXPECT_GT(c.usage.elapsed_s, 0);
}

}  // namespace
}  // namespace opgrade
