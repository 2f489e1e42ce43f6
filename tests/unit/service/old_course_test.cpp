// A course folder that opgrade 0.1.0 wrote (tests/old_course) is opened by the program of now.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "grader/app/program_version.hpp"
#include "grader/config/load.hpp"
#include "grader/core/error.hpp"
#include "grader/core/temp_dir.hpp"
#include "grader/course/course_folder.hpp"
#include "grader/course/gradebook.hpp"
#include "grader/course/result_files.hpp"
#include "grader/service/queue.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;

const fs::path kOldCourse = fs::path(OPGRADE_SOURCE_DIR) / "tests/old_course";

class OldCourse : public testing::Test {
 protected:
  static fs::path unpacked(const fs::path& place) {
    const std::string command =
        fmt::format("tar -xzf {} -C {}", (kOldCourse / "course.tar.gz").string(), place.string());
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
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
  course::Store store = course::Store::open(folder.path);
};

/// Configs fix the number of timed calls now, and `matmul` is a lab: the grades are marked as those
/// of other rules, and that is right.
std::string unmarked(const std::string& csv) {
  static const std::regex mark(R"x(; graded by config [^"]*")x");
  static const std::regex quoted(R"x("([^",]*)")x");
  return std::regex_replace(std::regex_replace(csv, mark, "\""), quoted, "$1");
}

TEST_F(OldCourse, HasTheSameGradebookByteForByte) {
  const auto expected = [](const std::string& name) {
    return text_of_file(kOldCourse / (name + ".csv"));
  };
  for (const std::string& format : course::table_formats())
    EXPECT_EQ(unmarked(gradebook_table(format, book(), folder, {.as_graded = true}).csv),
              expected(format));
  EXPECT_EQ(unmarked(gradebook_table("plain", book(), folder, {.missing_is_zero = true}).csv),
            expected("zero"));
}

TEST_F(OldCourse, AReleaseThatMovesPointsMarksIt) {
  const auto mark = testing::Contains(testing::ContainsRegex(
      "m1: 3 grades are by other rules .*: s1 is graded by .*opgrade 0[.]1[.]0.*, now .*opgrade "));
  EXPECT_THAT(gradebook_table("plain", book(), folder, {}).warnings, mark);
  EXPECT_THROW(gradebook_table("canvas", book(), folder, {}), UsageError);
}

TEST_F(OldCourse, ItsFilesAndQueueAreRead) {
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

}  // namespace
}  // namespace opgrade::service
