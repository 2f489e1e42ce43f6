#include "grader/course/store/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "grader/base/core/error.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/store/sql.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreTest : public testing::Test {
 protected:
  const TempDir place{"opgrade-test-"};
  const CourseFolder folder = test::make_course(place.path());
  Store store = Store::create(place.path());

  Submission ada() {
    return test::hand_in(folder, store, "m1", "ada", "2026-10-12T11:00:00Z", "80");
  }
};

TEST_F(StoreTest, KeepsWhatWasHandedIn) {
  Submission first = ada();
  EXPECT_FALSE(store.add(first)) << "the same content at the same time is the same submission";
  test::hand_in(folder, store, "m1", "ada", "2026-10-12T10:00:00Z", "70");
  test::hand_in(folder, store, "m2", "ada", "2026-10-12T09:00:00Z", "80");
  const auto all = store.submissions("m1");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(iso_text(all[0].handed_in), "2026-10-12T10:00:00Z") << "in the order of time";
  EXPECT_EQ(all[1].sha256, first.sha256);
  EXPECT_EQ(all[1].source, "a test");
  EXPECT_EQ(all[1].added_by, "staff");
  EXPECT_EQ(store.submissions().size(), 3u);
}

TEST_F(StoreTest, VersionsTellOfChangesBeforeTheFirstHandIn) {
  const std::string before = store.grades_version();
  EXPECT_NE(before, "") << "a table without rows is no text without a value";
  const auto set = [&](const std::string& assignment) {
    store.change({.at = test::utc("2026-10-12T11:00:00Z"),
                  .who = "tom",
                  .student = "ada",
                  .assignment = assignment,
                  .points = 5,
                  .reason = "because"});
  };
  set("m1");
  const std::string after = store.grades_version();
  EXPECT_NE(after, before);
  const auto first = store.grades_versions();
  EXPECT_TRUE(first.contains("m1"));
  set("m2");
  EXPECT_NE(store.grades_version(), after);
  EXPECT_EQ(store.grades_versions().at("m1"), first.at("m1")) << "that of m2 changed";
  EXPECT_TRUE(store.grades_versions().contains("m2"));
}

TEST_F(StoreTest, AKeyHasOneResult) {
  const Submission s = ada();
  const Attempt first = test::publish(store, folder.path, s, test::grade_of(80), 1);
  EXPECT_THROW(test::publish(store, folder.path, s, test::grade_of(10), 1), Error);
  test::publish(store, folder.path, s, test::grade_of(70), 2);
  test::publish(store, folder.path, s, test::grade_of(60, std::string(64, 'd')), 1);
  test::publish(store, folder.path, s, test::grade_of(50, std::string(64, 'c'), "2.0+def"), 1);
  std::vector<double> points;
  for (const auto& a : store.attempts(s.id)) points.push_back(a.points);
  EXPECT_THAT(points, ElementsAre(80, 70, 60, 50));
  EXPECT_THAT(store.attempts(s.id + 1), IsEmpty());
  EXPECT_THAT(text_of_file(folder.path / first.result), HasSubstr("\"points\": 80"));
}

TEST_F(StoreTest, WhatIsKnownOfAnAssignmentFollowsEveryProgram) {
  Store other = Store::open(place.path());
  EXPECT_THAT(store.owners("m1"), IsEmpty());
  EXPECT_THAT(store.last_outcomes("m1"), IsEmpty());
  const std::string before = store.grades_version();
  EXPECT_EQ(store.grades_version(), before);
  const Submission s = test::hand_in(folder, other, "m1", "ada", "2026-10-12T11:00:00Z", "80");
  EXPECT_NE(store.grades_version(), before);
  EXPECT_THAT(store.owners("m1"), ElementsAre("ada"));
  EXPECT_THAT(store.owners("m2"), IsEmpty());
  test::publish(other, folder.path, s, test::grade_of(80), 1);
  EXPECT_THAT(store.last_outcomes("m1"), ElementsAre(Outcome::passed));
  Grade wrong = test::grade_of(10);
  wrong.outcome = Outcome::wrong_output;
  test::publish(store, folder.path, s, wrong, 2);
  EXPECT_THAT(store.last_outcomes("m1"), ElementsAre(Outcome::wrong_output)) << "its own change";
  EXPECT_THAT(other.last_outcomes("m1"), ElementsAre(Outcome::wrong_output));
}

TEST_F(StoreTest, KeepsEveryChangeOfAGrade) {
  store.change({.at = test::utc("2026-10-14T00:00:00Z"),
                .who = "tom",
                .student = "ada",
                .assignment = "m1",
                .kind = Change::Kind::points,
                .points = 90,
                .reason = "typo"});
  store.change({.at = test::utc("2026-10-15T00:00:00Z"),
                .who = "tom",
                .student = "ada",
                .assignment = "m1",
                .kind = Change::Kind::none,
                .reason = "no typo"});
  const auto changes = store.changes();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].points, 90);
  EXPECT_EQ(changes[0].who, "tom");
  EXPECT_EQ(changes[1].kind, Change::Kind::none);
  EXPECT_FALSE(changes[1].points);
  EXPECT_EQ(changes[1].reason, "no typo");
}

TEST_F(StoreTest, AChangeAndItsLineOfTheAuditLogAreThereTogetherOrNot) {
  const Change change{.at = test::utc("2026-10-14T00:00:00Z"),
                      .who = "tom",
                      .student = "ada",
                      .assignment = "m1",
                      .points = 90,
                      .maximum = 100,
                      .reason = "typo"};
  const auto audit_lines = [&] {
    std::vector<std::string> lines;
    store.read([&](SQLite::Database& database) {
      SQLite::Statement query(database, "SELECT who, address, action, subject FROM audit");
      while (query.executeStep())
        for (int i = 0; i < 4; ++i) lines.push_back(query.getColumn(i).getString());
    });
    return lines;
  };
  store.change(change, "192.0.2.1");
  EXPECT_THAT(audit_lines(), ElementsAre("tom", "192.0.2.1", "set points", "ada m1 90: typo"));
  EXPECT_EQ(store.changes().at(0).maximum, 100);
  store.work([](SQLite::Database& database) {
    database.exec(
        "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END");
  });
  EXPECT_THROW(store.change(change, "192.0.2.1"), Error);
  EXPECT_EQ(store.changes().size(), 1u);
}

TEST(StoreFiles, PointsThatAnOlderOpgradeSetHaveAMaximumWhereAllGradingsHaveOne) {
  const TempDir place("opgrade-test-");
  const CourseFolder folder = test::make_course(place.path());
  {
    SQLite::Database database((place.path() / kDatabase).string(),
                              SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    migrate(database, place.path() / kDatabase, migrations().first(5));
    for (const char* assignment : {"m1", "m2", "m3"})
      database.exec(fmt::format(
          "INSERT INTO change (at, who, student, assignment, kind, item, points, reason) "
          "VALUES (7, 'tom', 'ada', '{}', 'points', '', 40, 'typo')",
          assignment));
    int id = 0;
    for (const auto& [assignment, maximum, outcome] : {std::tuple{"m1", 50, "passed"},
                                                       {"m1", 50, "passed"},
                                                       {"m1", 0, "grader_fault"},
                                                       {"m2", 50, "passed"},
                                                       {"m2", 100, "passed"}}) {
      ++id;
      database.exec(fmt::format(
          "INSERT INTO submission (id, assignment, owner, sha256, file, handed_in, source, added, "
          "added_by) VALUES ({0}, '{1}', 'ada', '{0}', '{0}.zip', {0}, '', 0, '');"
          "INSERT INTO attempt (submission, config_sha256, version, number, machine, tier, device, "
          "started, outcome, points, max_points, open_points, result, result_sha256) "
          "VALUES ({0}, 'c', 'v', 1, '', '', '', '', '{3}', 0, {2}, 0, '{0}', '')",
          id, assignment, maximum, outcome));
    }
  }
  const auto changes = Store::open(place.path()).changes();
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].maximum, 50);
  EXPECT_EQ(changes[1].maximum, std::nullopt) << "of two maxima";
  EXPECT_EQ(changes[2].maximum, std::nullopt) << "nothing was graded";
}

TEST_F(StoreTest, StaysWhenItIsOpenedAgain) {
  ada();
  const Store again = Store::open(place.path());
  EXPECT_EQ(again.submissions().size(), 1u);
  struct stat info {};
  ASSERT_EQ(::stat((place.path() / kDatabase).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u) << "grades are for staff";
}

TEST(StoreFiles, AFolderWithoutADatabaseIsToldWhatToDo) {
  const TempDir place("opgrade-test-");
  try {
    Store::open(place.path());
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("has no course.db"));
    EXPECT_THAT(e.hint, HasSubstr("opgrade course init"));
  }
}

TEST(StoreFiles, ANetworkFileSystemIsRefused) {
  const TempDir place("opgrade-test-");
  try {
    Store::create(place.path(), {}, [](const fs::path&) { return 0x6969; });
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("is on a network file system (NFS)"));
    EXPECT_THAT(e.hint, HasSubstr("local disk"));
  }
  EXPECT_FALSE(fs::exists(place.path() / kDatabase));
  for (const auto& [type, name] : {std::pair<std::int64_t, const char*>{0xFF534D42, "CIFS"},
                                   {-11317950, "CIFS"},  // 0xFF534D42 as a signed word
                                   {0x0BD00BD0, "Lustre"},
                                   {0x47504653, "GPFS"},
                                   {0x65735546, "FUSE"}})
    EXPECT_EQ(network_file_system(type), name) << type;
  for (const std::int64_t local : {0xEF53l, 0x58465342l, 0x9123683El, 0x01021994l, 0x794C7630l})
    EXPECT_FALSE(network_file_system(local)) << "ext4, XFS, btrfs, tmpfs, overlayfs: " << local;
}

TEST(StoreFiles, AnOlderSchemaIsCopiedAndMigrated) {
  const TempDir place("opgrade-test-");
  const fs::path file = place.path() / "course.db";
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const char* const first = "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7);";
  const char* const second = "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = x + 1;";
  const char* const wrong = "CREATE TABLE b (x INTEGER); SELECT nothing;";
  const auto copies = [&] {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(place.path()))
      if (entry.path().extension() == ".bak") found.push_back(entry.path());
    return found;
  };
  migrate(database, file, std::vector{first});
  EXPECT_THAT(copies(), IsEmpty()) << "there was nothing to lose";
  migrate(database, file, std::vector{first});
  migrate(database, file, std::vector{first, second});
  EXPECT_EQ(database.execAndGet("SELECT y FROM a").getInt(), 8);
  ASSERT_EQ(copies().size(), 1u);
  EXPECT_THAT(copies()[0].filename().string(), testing::StartsWith("course.db.v1."));
  SQLite::Database copy(copies()[0].string());
  EXPECT_EQ(copy.execAndGet("SELECT x FROM a").getInt(), 7);
  EXPECT_FALSE(copy.tableExists("b"));

  EXPECT_THROW(migrate(database, file, std::vector{first, second, wrong}), SQLite::Exception);
  EXPECT_FALSE(database.tableExists("b")) << "a migration happens whole or not at all";
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 2);
  EXPECT_THROW(migrate(database, file, std::vector{first}), UsageError) << "a newer opgrade's";
}

TEST(StoreFiles, AModuleBringsItsTablesAndNumbersThemItself) {
  const TempDir place("opgrade-test-");
  static constexpr std::array kSteps{"CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7);",
                                     "UPDATE a SET x = x + 1;"};
  const auto with = [&](std::size_t steps) {
    return std::vector{ModuleTables{.name = "queue", .steps = std::span(kSteps).first(steps)}};
  };
  const auto x_of = [](const Store& store) {
    return sql::rows<int>(store, "SELECT x FROM a").at(0);
  };
  const auto copies = [&] {
    return std::count_if(fs::directory_iterator(place.path()), {},
                         [](const auto& entry) { return entry.path().extension() == ".bak"; });
  };
  Store::create(place.path());
  EXPECT_EQ(x_of(Store::open(place.path(), with(1))), 7);
  EXPECT_EQ(copies(), 0) << "nothing of the file changed";
  EXPECT_EQ(x_of(Store::open(place.path(), with(1))), 7);
  EXPECT_EQ(x_of(Store::open(place.path(), with(2))), 8);
  EXPECT_EQ(x_of(Store::open(place.path(), with(2))), 8);
  EXPECT_EQ(copies(), 1);
  EXPECT_EQ(x_of(Store::open(place.path())), 8) << "a program without the module leaves it alone";
  EXPECT_THROW(Store::open(place.path(), with(1)), UsageError) << "a newer opgrade's";
}

TEST(CourseFiles, AreForTheirOwnerAloneWhateverTheUmask) {
  const TempDir place("opgrade-test-");
  const fs::path made = place.path() / "gpu";
  const mode_t before = ::umask(0);
  make_course_folder(made);
  const CourseFolder folder = open_course_folder(made);
  {
    Store store = Store::open(made);
    const Submission s = test::hand_in(folder, store, "m1", "ada", "2026-10-12T11:00:00Z", "80");
    fs::remove(made / s.file);
    write_new_file(made / s.file, "80", made);
    test::publish(store, made, s, test::grade_of(80), 1);
    for (const auto& entry : fs::recursive_directory_iterator(made)) {
      const auto others =
          entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all);
      EXPECT_TRUE(entry.is_directory() || others == fs::perms::none) << entry.path();
    }
  }
  ::umask(before);
  EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all);
  EXPECT_EQ(open_to_others(made), "");
  fs::permissions(made, fs::perms::group_exec, fs::perm_options::add);
  EXPECT_THAT(open_to_others(made), AllOf(HasSubstr("secret seed"), HasSubstr("chmod -R go= ")));
}

TEST_F(StoreTest, VerifyAgreesOrSaysWhatDiffers) {
  const Submission s = ada();
  const Attempt a = test::publish(store, folder.path, s, test::grade_of(80), 1);
  EXPECT_THAT(verify(folder, store), IsEmpty());

  test::write_text(folder.path / s.file, "100");
  EXPECT_THAT(verify(folder, store), ElementsAre(HasSubstr("of ada has changed since")));
  test::write_text(folder.path / s.file, "80");
  const std::string report = text_of_file(folder.path / a.result);
  fs::remove(folder.path / a.result);
  EXPECT_THAT(verify(folder, store),
              ElementsAre(a.result + " is missing; restore it from a backup"));
  test::write_text(folder.path / a.result, report);
  EXPECT_THAT(verify(folder, store), IsEmpty());

  test::write_text(folder.path / "submissions/m1/eve/1.zip", "1");
  test::write_text(folder.path / "results/m1/eve/9/x.y.1/report.json", "{}");
  EXPECT_THAT(verify(folder, store),
              ElementsAre(HasSubstr("submissions/m1/eve/1.zip is not in the database"),
                          HasSubstr("results/m1/eve/9/x.y.1/report.json is not in the database")));
  test::hand_in(folder, store, "m1", "mallory", "2026-10-12T11:00:00Z", "1");
  EXPECT_THAT(verify(folder, store), testing::Contains(HasSubstr("of mallory, whom roster.csv")));
}

TEST_F(StoreTest, AResultWithoutARowIsRecorded) {
  const Submission s = ada();
  Attempt a;
  {
    const TempDir elsewhere("opgrade-test-");
    fs::copy(folder.path / kCourseFile, elsewhere.path() / kCourseFile);
    Store other = Store::create(elsewhere.path());
    Submission same = s;
    ASSERT_TRUE(other.add(same));
    ASSERT_EQ(same.id, s.id);
    // Its file is here and its row is there, as if a kill had come between.
    a = test::publish(other, folder.path, s, test::grade_of(80), 1);
  }
  EXPECT_THAT(store.attempts(), IsEmpty());
  EXPECT_EQ(record_found_results(store, folder.path), 1u);
  EXPECT_EQ(record_found_results(store, folder.path), 0u);
  ASSERT_EQ(store.attempts().size(), 1u);
  EXPECT_EQ(store.attempts()[0].result_sha256, a.result_sha256);
  EXPECT_EQ(store.attempts()[0].points, 80);
  EXPECT_THAT(verify(folder, store), IsEmpty());
}

}  // namespace
}  // namespace opgrade::course
