// A course folder that opgrade 0.1.0 wrote (tests/old_course), also with its database as 0.2.0
// migrated it, is opened by the program of now.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradebook/rubric_csv.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/course/store/sql.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/service/queue/queue.hpp"
#include "grader/service/state/tables.hpp"
#include "grader/task/config/load.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;

const fs::path kOldCourse = fs::path(OPGRADE_SOURCE_DIR) / "tests/old_course";

/// By the archives that one is unpacked from.
class OldCourse : public testing::TestWithParam<std::vector<const char*>> {
 protected:
  static fs::path unpacked(const fs::path& place) {
    for (const char* archive : GetParam()) {
      const std::string command =
          fmt::format("tar -xzf {} -C {}", (kOldCourse / archive).string(), place.string());
      EXPECT_EQ(std::system(command.c_str()), 0) << command;
    }
    return place / "course";
  }

  course::Gradebook book() const {
    std::map<std::string, course::AssignmentFacts> facts;
    for (const auto& a : folder.course.assignments)
      facts.emplace(a.name, course::facts_of(load_config(a.config).config));
    return {folder, store, std::move(facts)};
  }

  const TempDir place{"opgrade-test-"};
  course::CourseFolder folder = course::open_course_folder(unpacked(place.path()));
  course::Store store = open_store(folder.path);
};

/// Configs fix the number of timed calls now, and `matmul` is a lab: the grades are marked as those
/// of other rules, and that is right.
std::string unmarked(const std::string& csv) {
  static const std::regex mark(R"x(; graded by config [^"]*")x");
  static const std::regex quoted(R"x("([^",]*)")x");
  return std::regex_replace(std::regex_replace(csv, mark, "\""), quoted, "$1");
}

TEST_P(OldCourse, HasTheSameGradebookByteForByte) {
  const auto expected = [](const std::string& name) {
    return text_of_file(kOldCourse / (name + ".csv"));
  };
  for (const std::string& format : course::table_formats()) {
    // The releases of these courses had no such tables.
    if (format == "stages" || course::is_about_marks(format)) continue;
    EXPECT_EQ(unmarked(gradebook_table(format, book(), folder, {.as_graded = true}).csv),
              expected(format));
  }
  EXPECT_EQ(unmarked(gradebook_table("plain", book(), folder, {.missing_is_zero = true}).csv),
            expected("zero"));
}

TEST_P(OldCourse, AReleaseThatMovesPointsMarksIt) {
  const auto mark = testing::Contains(testing::ContainsRegex(
      "m1: 3 grades are by other rules .*: s1 is graded by .*opgrade 0[.]1[.]0.*, now .*opgrade "));
  EXPECT_THAT(gradebook_table("plain", book(), folder, {}).warnings, mark);
  EXPECT_THROW(gradebook_table("canvas", book(), folder, {}), UsageError);
}

TEST_P(OldCourse, ItsFilesAndQueueAreRead) {
  EXPECT_THAT(course::verify(folder, store), testing::IsEmpty());
  EXPECT_EQ(course::record_found_results(store, folder.path), 0u);
  EXPECT_EQ(store.attempts().size(), 15u);
  EXPECT_EQ(store.rejudges().size(), 2u);
  const Queue queue(store);
  const auto of = [&](const char* owner) { return queue.of_owner(owner, "m3").at(0); };
  EXPECT_EQ(of("s4").state, State::done);
  EXPECT_EQ(of("s5").state, State::queued);
  EXPECT_FALSE(queue.events(of("s4").submission.id, 0).empty());
}

TEST_P(OldCourse, TheCourseKnowsWhatIsOnItsWay) {
  Queue queue(store);
  const auto of = [&](const char* owner) { return queue.of_owner(owner, "m3").at(0).submission; };
  EXPECT_TRUE(of("s4").limited);
  EXPECT_FALSE(store.submissions("m1").at(0).limited) << "staff added it";
  const auto waits = of("s5").id;
  EXPECT_THAT(store.unfinished(), testing::ElementsAre(waits));
  const auto before = store.grades_version();
  ASSERT_TRUE(queue.cancel(waits, {}));
  EXPECT_THAT(store.unfinished(), testing::IsEmpty());
  EXPECT_TRUE(of("s5").withdrawn);
  EXPECT_NE(store.grades_version(), before);
  ASSERT_TRUE(queue.requeue(waits, {}));
  EXPECT_THAT(store.unfinished(), testing::ElementsAre(waits));
  EXPECT_FALSE(of("s5").withdrawn);
}

INSTANTIATE_TEST_SUITE_P(Releases, OldCourse,
                         testing::Values(std::vector{"course.tar.gz"},
                                         std::vector{"course.tar.gz", "database-0.2.0.tar.gz"}));

/// A program of the course alone migrated the database before the service saw it.
TEST(OldDatabase, TheServiceKnowsItsTablesAfterACourseMigratedTheRest) {
  for (const char* release : {"course.tar.gz", "database-0.2.0.tar.gz"}) {
    const TempDir place("opgrade-test-");
    const std::string command =
        fmt::format("tar -xzf {} -C {}", (kOldCourse / release).string(), place.path().string());
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const fs::path course = place.path() / "course";
    EXPECT_THAT(course::Store::open(course).unfinished(), testing::IsEmpty()) << release;
    const auto store = open_store(course);
    EXPECT_EQ(store.unfinished().size(), 1u) << release;
    EXPECT_EQ(Queue(store).count(State::queued), 1) << release;
  }
}

TEST(OldDatabase, ACourseAloneHasNoTableOfTheService) {
  const TempDir place("opgrade-test-");
  const auto has_table = [](const course::Store& store, const char* name) {
    bool has = false;
    store.read([&](SQLite::Database& database) { has = database.tableExists(name); });
    return has;
  };
  std::vector<course::TableRows> own(tables().of_submission.begin(), tables().of_submission.end());
  own.insert(own.end(), tables().of_person.begin(), tables().of_person.end());
  const auto alone = course::Store::create(place.path());
  for (const auto& rows : own) EXPECT_FALSE(has_table(alone, rows.table)) << rows.table;
  const auto served = open_store(place.path());
  for (const auto& rows : own) EXPECT_TRUE(has_table(served, rows.table)) << rows.table;
}

}  // namespace
}  // namespace opgrade::service
