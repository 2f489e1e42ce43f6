// What staff must mend first: a task's folder that did not pass its own check, a file of the course
// that cannot be read. Submissions wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grader/service/queue/ranker.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/state/status.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The task of m1 alone is not checked.
class UncheckedTaskTest : public testing::Test {
 protected:
  UncheckedTaskTest() {
    s.config_of = [this](const course::Assignment& a) {
      if (a.name == broken) throw Error("line 3 of task.yaml is no YAML");
      Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
      config.title = a.name;
      return config;
    };
    s.why_unchecked = [this](const Config& config) { return config.title == "m1" ? why : ""; };
  }
  std::int64_t hand_in(const std::string& login, const std::string& assignment) {
    const auto answer = s.submit(login, assignment, "key00000" + login, "int " + login + ";");
    EXPECT_EQ(answer.status, 201) << answer.body;
    return nlohmann::json::parse(answer.body).at("id");
  }
  std::optional<std::int64_t> next() {
    return choose_next(s.service.queue.in_work(), Ranker(s.service), s.now);
  }

  std::string why = "the task sums failed its check";
  std::string broken;  ///< the assignment whose config cannot be read
  test::SampleService s;
};

TEST_F(UncheckedTaskTest, ItsSubmissionsWaitUntilTheCheckHasPassed) {
  const auto waits = hand_in("ada", "m1");
  EXPECT_EQ(next(), std::nullopt);
  EXPECT_EQ(next(), hand_in("bob", "m2")) << "another assignment is graded";
  why.clear();
  s.now += std::chrono::seconds(3);  // files are read every two seconds
  EXPECT_EQ(next(), waits);
}

TEST_F(UncheckedTaskTest, ATaskThatCannotBeReadAnyMoreWaits) {
  why.clear();
  const auto waits = hand_in("ada", "m1");
  broken = "m1";
  s.now += std::chrono::seconds(3);
  EXPECT_EQ(next(), std::nullopt);
  EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("m1: line 3 of task.yaml is no YAML"));
  broken.clear();
  s.now += std::chrono::seconds(3);
  EXPECT_EQ(next(), waits);
}

TEST_F(UncheckedTaskTest, StaffReadWhyAndStudentsThatItWaits) {
  const auto id = hand_in("ada", "m1");
  EXPECT_EQ(place_text(place_of(s.service, id).value()), "waits for staff; position 1 of 1");
  const std::string page = s.get("ada", fmt::format("/submissions/{}", id)).body;
  EXPECT_THAT(page, AllOf(HasSubstr("waits for staff"), Not(HasSubstr("check"))));
  const auto tells = HasSubstr("m1: the task sums failed its check, so its submissions wait. Run");
  EXPECT_THAT(s.get("sam", "/staff").body, tells);
  why.clear();
  s.now += std::chrono::seconds(3);
  EXPECT_THAT(s.get("sam", "/staff").body, Not(tells));
}

TEST_F(UncheckedTaskTest, ATaskThatCouldNeverBeReadWaits) {
  why.clear();
  broken = "m1";  // as when the server is started anew
  EXPECT_EQ(s.service.files.waits_for("m1"), "staff");
  EXPECT_EQ(s.service.files.waits_for("m2"), "");
}

// The server goes on with the files that it read last, but a worker reads them anew.
TEST_F(UncheckedTaskTest, AllWaitsWhileAFileOfTheCourseHasAMistake) {
  why.clear();
  const auto waits = hand_in("ada", "m1");
  for (const char* file : {course::kCourseFile, course::kRosterFile}) {
    const auto path = s.place.path() / file;
    const std::string good = text_of_file(path);
    course::test::write_text(path, good + "\"no closing quote\n");
    ASSERT_NE(s.service.files.folder_problem(), "") << file;
    EXPECT_EQ(next(), std::nullopt) << file;
    EXPECT_EQ(place_text(place_of(s.service, waits).value()), "waits for staff; position 1 of 1");
    EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr(file));
    course::test::write_text(path, good);
    EXPECT_EQ(next(), waits) << file;
  }
}

TEST_F(UncheckedTaskTest, ASubmissionOfAnAssignmentThatWasRenamedWaits) {
  why.clear();
  const auto waits = hand_in("ada", "m1");
  const auto path = s.place.path() / course::kCourseFile;
  const std::string good = text_of_file(path);
  std::string other = good;
  other.replace(other.find("name: m1"), 8, "name: mp1");
  course::test::write_text(path, other);
  ASSERT_EQ(s.service.files.folder_problem(), "");
  EXPECT_EQ(next(), std::nullopt);
  course::test::write_text(path, good);
  EXPECT_EQ(next(), waits);
}

TEST_F(UncheckedTaskTest, ARejudgeWaits) {
  s.grade(hand_in("ada", "m1"), course::test::grade_of(80));
  ASSERT_EQ(s.post("sam", "/staff/rejudges", "assignment=m1&times=1&reason=x").status, 303);
  EXPECT_FALSE(s.service.rejudges->next(s.service));
  why.clear();
  s.now += std::chrono::seconds(3);
  EXPECT_TRUE(s.service.rejudges->next(s.service));
}

}  // namespace
}  // namespace opgrade::service
