// A course that is copied while it changes, and a student of whom nothing is left.
#include "grader/course/store/student_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/store/sql.hpp"
#include "grader/service/state/tables.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace test;

/// The sample course with zelda (Zelda Quill) and bob in team red, and eve.
class StudentData : public testing::Test {
 protected:
  StudentData() {
    make_course(place.path());
    write_text(
        place.path() / kRosterFile,
        "id,login,name,email,section,team,extension,canvas_id\n"
        "7770001,zelda,Zelda Quill,zq@x.edu,A,red,,901\n2,bob,Bob Bell,bob@x.edu,A,red,,902\n"
        "3,eve,Eve Stone,eve@x.edu,B,,*=1 d,903\n");
    folder = open_course_folder(place.path());
    own = graded("m1", "zelda", 80);
    graded("m1", "eve", 60);
    graded("m4", "team red", 70);
    store.change({.at = utc("2026-10-12T10:00:00Z"),
                  .who = "sam",
                  .student = "zelda",
                  .assignment = "m1",
                  .points = 5,
                  .reason = "zelda asked"});
    store.change({.at = utc("2026-10-12T10:00:00Z"),
                  .who = "sam",
                  .student = "eve",
                  .assignment = "m1",
                  .points = 5,
                  .reason = "copied from Zelda Quill (zq@x.edu), not from Zeldas"});
    store.work([&](SQLite::Database& database) {
      sql::execute(database,
                   "INSERT INTO token (person, role, sha256, made) VALUES ('zelda', 'student', "
                   "'h', 0)");
      sql::execute(database,
                   "INSERT INTO message (submission, at, who, staff, text, file, line) VALUES "
                   "(?1, 0, 'sam', 1, 'a secret of zelda', 'cpu-new-forward.cc', 7)",
                   own.id);
      sql::execute(database,
                   "INSERT INTO audit (at, who, address, action, subject) VALUES (0, 'zelda', "
                   "'192.0.2.77', 'submit', 'm1 1 of zelda')");
    });
  }

  Submission graded(const std::string& assignment, const std::string& owner, double points) {
    const Submission s =
        hand_in(folder, store, assignment, owner, "2026-10-12T08:00:00Z", owner + "'s archive");
    publish(store, place.path(), s, grade_of(points), 1);
    return s;
  }

  /// The files below the course that hold these bytes in their text or name.
  std::vector<std::string> files_with(const std::string& text) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(place.path()))
      if (entry.path().filename().string().find(text) != std::string::npos ||
          (entry.is_regular_file() && text_of_file(entry.path()).find(text) != std::string::npos))
        found.push_back(entry.path().lexically_relative(place.path()).string());
    return found;
  }

  const TempDir place{"opgrade-test-"}, other{"opgrade-test-"};
  CourseFolder folder;
  Store store = Store::create(place.path(), {service::tables()});
  Submission own;
};

TEST_F(StudentData, NothingOfARemovedStudentIsFoundAndTheRestIsWhole) {
  write_text(place.path() / "course.db.v3.20260101.bak", "zelda");
  const auto list = remove_student(folder, store, folder.roster.students[0], {{"m1", 12.5}}, true);
  EXPECT_THAT(list, Contains("1 submission"));
  EXPECT_THAT(list, Contains("1 grading"));
  EXPECT_THAT(list, Contains("stays, under a pseudonym: 1 submission of a team"));
  EXPECT_THAT(files_with("zelda"), Contains(kRosterFile)) << "only told";

  remove_student(folder, store, folder.roster.students[0], {{"m1", 12.5}}, false);
  for (const char* word :
       {"zelda", "Zelda Quill", "zq@x.edu", "7770001", "192.0.2.77", "a secret of"})
    EXPECT_THAT(files_with(word), IsEmpty()) << word;
  const CourseFolder now = open_course_folder(place.path());
  EXPECT_THAT(verify(now, store), IsEmpty());
  EXPECT_EQ(store.submissions().size(), 2u);
  EXPECT_EQ(store.changes().at(0).reason, "copied from removed-1 (removed-1), not from Zeldas");
  const Gradebook book(now, store, {{"m1", {100, {}, RankingConfig{}, {}}}});
  EXPECT_EQ(book.ranking(now.course.assignments[0]).at(0).who.name, "removed-1")
      << "whose time keeps the others' ranks";
}

// The server takes it in after the command has looked for the team's submissions.
TEST_F(StudentData, ALateSubmissionOfATeamOfOneLeavesNoFile) {
  write_text(place.path() / kRosterFile,
             "id,login,name,team\n7770001,zelda,Zelda Quill,solo\n2,bob,Bob Bell,red\n"
             "3,eve,Eve Stone,\n");
  folder = open_course_folder(place.path());
  const std::string late = std::string(kSubmissions) + "/m4/solo/late.zip";
  write_text(place.path() / late, "a late archive");
  store.work([&](SQLite::Database& database) {
    database.exec(
        "CREATE TRIGGER comes AFTER INSERT ON removed_student BEGIN "
        "INSERT INTO submission (assignment, owner, sha256, file, handed_in, source, added, "
        "added_by) VALUES ('m4', 'team solo', 's', '" +
        late + "', 0, 'a test', 0, 'bob'); END");
  });
  remove_student(folder, store, folder.roster.students[0], {}, false);
  EXPECT_THAT(store.submissions("m4", "team solo"), IsEmpty());
  EXPECT_FALSE(fs::exists((place.path() / late).parent_path()));
  EXPECT_THAT(files_with("zelda"), IsEmpty());
  EXPECT_EQ(store.submissions("m4", "team red").size(), 1u);
}

TEST_F(StudentData, ASubmissionInWorkIsNotRemoved) {
  store.work([&](SQLite::Database& database) {
    sql::execute(database,
                 "INSERT INTO hand_in (submission, person, key, state, staff, queued) "
                 "VALUES (?, 'zelda', 'k', 'queued', 0, 0)",
                 own.id);
  });
  EXPECT_THROW(remove_student(folder, store, folder.roster.students[0], {}, false), UsageError);
  EXPECT_THAT(files_with("zelda"), Contains(own.file));
}

TEST_F(StudentData, AnExportHasWhatTheStudentMaySee) {
  const fs::path out = other.path() / "zelda";
  const AssignmentFacts facts{.maximum = 100};
  folder.course.assignments[1].released = false;
  const Gradebook book(folder, store, {{"m1", facts}, {"m2", facts}, {"m3", facts}, {"m4", facts}});
  export_student(folder, store, book, folder.roster.students[0], out);
  EXPECT_EQ(text_of_file(out / own.file), "zelda's archive");
  const auto json = nlohmann::json::parse(text_of_file(out / "student.json"));
  EXPECT_EQ(json.at("submissions").size(), 2u) << "the own one and the team's";
  EXPECT_EQ(json.at("change").at(0).at("points"), 5);
  const auto& said = json.at("submissions").at(0).at("message").at(0);
  EXPECT_EQ(said.at("file"), "cpu-new-forward.cc") << "a comment with its line";
  EXPECT_EQ(said.at("line"), 7);
  const auto& grades = json.at("grades");
  ASSERT_EQ(grades.size(), 4u);
  EXPECT_EQ(grades.at(0).at("assignment"), "m1");
  EXPECT_EQ(grades.at(0).at("points"), 5) << "as staff set it";
  EXPECT_EQ(grades.at(0).at("why").back(), "set to 5 by staff (on Mon 2026-10-12 10:00:00 UTC)");
  EXPECT_EQ(grades.at(1).at("state"), "held");
  EXPECT_EQ(grades.at(3).at("grade"), "70 of 100") << "the team's";
  EXPECT_FALSE(json.at("token").at(0).contains("sha256"));
  EXPECT_TRUE(fs::exists(out / store.attempts(own.id).at(0).result));
  EXPECT_THROW(export_student(folder, store, book, folder.roster.students[0], out), UsageError);
}

// Each of these is on no page of the student's.
TEST_F(StudentData, AnExportHasNothingThatStaffAloneMaySee) {
  const Submission held = graded("m2", "zelda", 33.25);
  folder.course.assignments[1].released = false;
  store.change({.at = utc("2026-10-12T10:00:00Z"),
                .who = "sam",
                .student = "zelda",
                .assignment = "m2",
                .points = 44.5,
                .reason = "in doubt",
                .told = "of a held grade"});
  store.change({.at = utc("2026-10-12T10:00:00Z"),
                .who = "sam",
                .student = "zelda",
                .assignment = "m1",
                .points = 6,
                .reason = "the dean's mail",
                .told = "two points more"});
  store.work([&](SQLite::Database& database) {
    sql::execute(database,
                 "INSERT INTO hand_in (submission, person, key, state, staff, queued, worker) "
                 "VALUES (?, 'zelda', 'k', 'done', 0, 0, 'node-of-staff')",
                 own.id);
    sql::execute(database,
                 "INSERT INTO event (submission, at, kind, text) VALUES (?, 0, 'case_started', "
                 "'{\"event\":\"case_started\",\"id\":\"cpu/high/38\",\"hidden\":true}')",
                 own.id);
    sql::execute(database, "INSERT INTO unfinished_run VALUES (?, 1, 'cpu/high/39')", own.id);
    sql::execute(database,
                 "INSERT INTO mark (submission, at, who, kind, name, is_on, points, text) VALUES "
                 "(?, 0, 'sam', 'comment', '', 1, 0, '')",
                 own.id);
  });
  const AssignmentFacts facts{.maximum = 100};
  const Gradebook book(folder, store, {{"m1", facts}, {"m2", facts}, {"m3", facts}, {"m4", facts}});
  const fs::path out = other.path() / "zelda";
  export_student(folder, store, book, folder.roster.students[0], out);
  const std::string text = text_of_file(out / "student.json");
  for (const char* word : {"33.25", "44.5", "in doubt", "of a held grade", "the dean's mail",
                           "\"sam\"", "node-of-staff", "cpu/high/38", "cpu/high/39"})
    EXPECT_THAT(text, Not(HasSubstr(word)));
  EXPECT_THAT(text, HasSubstr("two points more"));
  EXPECT_FALSE(fs::exists(out / store.attempts(held.id).at(0).result));
  EXPECT_TRUE(fs::exists(out / held.file)) << "the student's own archive";
}

TEST_F(StudentData, AnExportHasNothingOfARejudgeThatIsNotApplied) {
  const Attempt first = store.attempts(own.id).at(0);
  Rejudge rejudge{.assignment = "m1", .config = "m1.yaml", .who = "sam"};
  store.begin(rejudge, {{own.id, first.config_sha256, first.version, 2}});
  publish(store, place.path(), own, grade_of(77.75), 2);
  ASSERT_FALSE(store.attempts(own.id).at(1).counts);
  const AssignmentFacts facts{.maximum = 100};
  const Gradebook book(folder, store, {{"m1", facts}, {"m2", facts}, {"m3", facts}, {"m4", facts}});
  const auto exported = [&](const char* name) {
    export_student(folder, store, book, folder.roster.students[0], other.path() / name);
    return text_of_file(other.path() / name / "student.json");
  };
  EXPECT_THAT(exported("open"), Not(HasSubstr("77.75")));
  store.decide(rejudge.id, true, utc("2026-10-13T10:00:00Z"), "sam");
  EXPECT_THAT(exported("applied"), HasSubstr("77.75"));
}

TEST_F(StudentData, ACopyIsWholeWhateverComesMeanwhile) {
  // Between file and row, as another process leaves them for a moment.
  write_text(place.path() / "submissions/m1/eve/late.zip", "has no row yet");
  write_text(place.path() / "results/m1/eve/9/abc.1.1/report.json", "has no row yet");
  write_text(place.path() / "m1.yaml", "opgrade: 1\n");
  const fs::path copy = other.path() / "copy";
  EXPECT_THAT(copy_course(place.path(), copy), IsEmpty());
  EXPECT_EQ(text_of_file(copy / "m1.yaml"), "opgrade: 1\n");
  EXPECT_FALSE(fs::exists(copy / "submissions/m1/eve/late.zip"));
  EXPECT_EQ(open_to_others(copy), "");
  Store(Store::open(copy, {service::tables()})).read([](SQLite::Database& database) {
    EXPECT_EQ(sql::rows<std::string>(database, "SELECT file || line FROM message"),
              std::vector<std::string>{"cpu-new-forward.cc7"});
  });
  graded("m2", "eve", 50);
  EXPECT_EQ(Store::open(copy).submissions().size(), 3u);
  EXPECT_THROW(copy_course(place.path(), copy), UsageError) << "not over another one";
  EXPECT_THROW(copy_course(place.path(), place.path() / "in"), UsageError);
  const fs::path back = other.path() / "back";
  EXPECT_THAT(copy_course(copy, back), IsEmpty());
  EXPECT_EQ(Store::open(back).attempts().size(), 3u);
}

}  // namespace
}  // namespace opgrade::course
