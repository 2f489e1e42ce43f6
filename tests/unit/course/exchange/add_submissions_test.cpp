#include "grader/course/exchange/add_submissions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/error.hpp"
#include "grader/course/gradebook/standing.hpp"
#include "grader/grading/intake/archive.hpp"
#include "grader/task/config/load.hpp"
#include "tests/support/archive_bytes.hpp"
#include "tests/unit/course/add_fixture.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using test::AddSubmissions;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(AddSubmissions, AFolderWithAnEntryForEachStudent) {
  write("class/ada/new-forward.cu", "ada's");
  write("class/ada/src/layer.h", "deep");
  write("class/ada/.git-is-not-here", "");
  write("class/bob.zip", opgrade::test::pack({{"new-forward.cu", "bob's"}}));
  write("class/evve/new-forward.cu", "eve's");
  write("class/notes.txt", "");
  for (const char* file :
       {"class/ada/new-forward.cu", "class/ada/src/layer.h", "class/ada/.git-is-not-here"})
    set_time(file, "2026-10-12T11:00:00Z");
  set_time("class/ada/src/layer.h", "2026-10-12T12:00:00Z");
  set_time("class/bob.zip", "2026-10-13T12:00:01Z");

  AddReport report = add("class");
  EXPECT_THAT(summaries(report),
              ElementsAre("ada 2026-10-12T12:00:00Z 0", "bob 2026-10-13T12:00:01Z 2"));
  EXPECT_THAT(files_of(report.added[0].submission),
              ElementsAre(".git-is-not-here: ", "new-forward.cu: ada's", "src/layer.h: deep"));
  EXPECT_THAT(files_of(report.added[1].submission), ElementsAre("new-forward.cu: bob's"));
  ASSERT_EQ(report.not_added.size(), 2u);
  EXPECT_THAT(report.not_added[0].why, "evve: no roster entry fits");
  EXPECT_THAT(report.not_added[0].nearest.front(), "eve (Eve Stone, 3)");
  EXPECT_THAT(report.not_added[1].source, HasSubstr("notes.txt: neither a folder nor an archive"));

  report = add("class");
  EXPECT_FALSE(report.added[0].is_new) << "the same call adds nothing twice";
  EXPECT_EQ(store.submissions().size(), 2u);
  options.as = {{"evve", "eve"}};
  options.only = "evve";
  report = add("class");
  ASSERT_EQ(report.added.size(), 1u);
  EXPECT_EQ(report.added[0].submission.owner, "eve");
}

TEST_F(AddSubmissions, TheFilesOfADesktopAreNoSubmissions) {
  write("class/ada/new-forward.cu", "ada's");
  for (const char* file : {"class/__MACOSX/ada/._new-forward.cu", "class/.DS_Store", "class/._ada",
                           "class/Thumbs.db", "class/desktop.ini"})
    write(file, "");
  const AddReport report = add("class");
  EXPECT_EQ(report.added.size(), 1u);
  EXPECT_THAT(report.not_added, IsEmpty());
}

TEST_F(AddSubmissions, APackedGradescopeExportIsNoSubmission) {
  write("export.zip", opgrade::test::pack({{"assignment_1/submission_metadata.yml", ""},
                                           {"assignment_1/submission_1/new-forward.cu", ""}}));
  try {
    add("export.zip");
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("is a packed export of Gradescope"));
    EXPECT_THAT(e.hint, HasSubstr("unpack it"));
  }
}

TEST_F(AddSubmissions, LinksAndLargeFilesAreLeftOutAndTold) {
  write("class/ada/new-forward.cu", "x");
  write("class/ada/weights.bin", std::string((1 << 20) + 1, 'x'));
  fs::create_symlink("/etc/passwd", in.path() / "class/ada/secret.h");
  const AddReport report = add("class");
  EXPECT_THAT(files_of(report.added.at(0).submission), ElementsAre("new-forward.cu: x"));
  EXPECT_THAT(report.added[0].notes,
              testing::UnorderedElementsAre("left out secret.h (a symbolic link)",
                                            "left out weights.bin (1024 KiB)"));
}

TEST_F(AddSubmissions, AGradescopeExport) {
  for (const char* name : {"submission_11", "submission_12", "submission_13", "submission_14"})
    write(std::string("export/") + name + "/new-forward.cu", name);
  write(
      "export/submission_metadata.yml",
      "submission_11:\n  :submitters:\n  - :name: Ada L.\n    :sid: '1'\n    :email: a@b.c\n"
      "  :created_at: 2026-10-12 12:00:01.5 Z\n  :score: 0.0\n"
      "submission_12:\n  :submitters:\n  - :name: Bob Bell\n    :sid: ''\n    :email: BOB@x.edu\n"
      "  :created_at: 2026-10-12 05:30:00.123456789 -05:00\n"
      "submission_13:\n  :submitters:\n  - :name: Eva Stone\n    :sid: '33'\n"
      "  :created_at: 2026-10-12 11:00:00 Z\n"
      "submission_14:\n  :submitters:\n  - :name: Eve Stone\n    :sid: \n"
      "  :created_at: !ruby/object:ActiveSupport::TimeWithZone\n    utc: 2026-10-13 11:00:00 Z\n");
  const AddReport report = add("export");
  EXPECT_THAT(summaries(report),
              ElementsAre("ada 2026-10-12T12:00:01Z 1", "bob 2026-10-12T10:30:00Z 0",
                          "eve 2026-10-13T11:00:00Z 0"))
      << "by id, e-mail and name; eve has a day more";
  ASSERT_EQ(report.not_added.size(), 1u);
  EXPECT_EQ(report.not_added[0].why, "Eva Stone: no roster entry fits");
  EXPECT_THAT(report.not_added[0].nearest.front(), HasSubstr("eve"));
}

TEST_F(AddSubmissions, AGroupBelongsToItsTeam) {
  write("export/submission_11/new-forward.cu", "x");
  write("export/submission_12/new-forward.cu", "y");
  write("export/submission_metadata.yml",
        "submission_11:\n  :submitters:\n  - {:sid: '1'}\n  - {:sid: '2'}\n"
        "  :created_at: 2026-10-12 11:00:00 Z\n"
        "submission_12:\n  :submitters:\n  - {:sid: '1'}\n  - {:sid: '3'}\n"
        "  :created_at: 2026-10-12 11:00:00 Z\n");
  AddReport report = add("export", "m4");
  EXPECT_THAT(summaries(report), ElementsAre("team red 2026-10-12T11:00:00Z 0"));
  ASSERT_EQ(report.not_added.size(), 1u);
  EXPECT_THAT(report.not_added[0].why, HasSubstr("different teams: eve, team red"));
  report = add("export", "m1");
  EXPECT_EQ(report.added.size(), 4u) << "without teams each member has it";
}

TEST_F(AddSubmissions, ACanvasExport) {
  const std::string archive = opgrade::test::pack({{"new-forward.cu", "bob's"}});
  write("submissions.zip", opgrade::test::pack({{"lovelaceada_901_5551_new-forward-2.cu", "ada's"},
                                                {"lovelaceada_901_5552_layer.h", "hers"},
                                                {"bellbob_LATE_902_5553_project.zip", archive},
                                                {"stoneeva_999_5554_new-forward.cu", "?"}}));
  AddReport report = add("submissions.zip");
  EXPECT_THAT(summaries(report), ElementsAre("ada 2026-10-12T12:00:00Z 0"));
  EXPECT_THAT(files_of(report.added[0].submission),
              ElementsAre("layer.h: hers", "new-forward.cu: ada's"));
  EXPECT_THAT(report.added[0].notes, ElementsAre("new-forward.cu is new-forward-2.cu in Canvas"));
  EXPECT_THAT(report.added[0].time_from, HasSubstr("the time itself is not known"));
  ASSERT_EQ(report.not_added.size(), 2u);
  EXPECT_THAT(report.not_added[0].why, HasSubstr("marks it LATE and does not tell its time"));
  EXPECT_THAT(report.not_added[1].why, "stoneeva: no roster entry fits");
  EXPECT_THAT(report.not_added[1].nearest.front(), HasSubstr("eve"));

  options.only = "bob";
  options.time = test::utc("2026-10-13T09:00:00Z");
  report = add("submissions.zip");
  EXPECT_THAT(summaries(report), ElementsAre("bob 2026-10-13T09:00:00Z 1"));
  EXPECT_THAT(files_of(report.added[0].submission), ElementsAre("new-forward.cu: bob's"));
}

TEST_F(AddSubmissions, OneArchiveOfOneStudent) {
  write("ada.tar.gz", opgrade::test::pack({{"a.cu", "x"}}, "gnutar", "gzip"));
  write("final version.zip", "no archive");
  options.time = test::utc("2026-10-20T00:00:00Z");
  EXPECT_THAT(summaries(add("ada.tar.gz")), ElementsAre("ada 2026-10-20T00:00:00Z closed"));
  EXPECT_THAT(add("final version.zip").not_added.at(0).why, HasSubstr("no roster entry fits"));
  write("evve.tar.gz", opgrade::test::pack({{"a.cu", "x"}}, "gnutar", "gzip"));
  const AddReport near = add("evve.tar.gz");
  EXPECT_THAT(near.added, IsEmpty()) << "never guessed";
  EXPECT_THAT(near.not_added.at(0).nearest.front(), "eve (Eve Stone, 3)");
  options.student = "2";
  const AddReport report = add("final version.zip");
  ASSERT_EQ(report.added.size(), 1u) << "a damaged archive is the student's: grading refuses it";
  EXPECT_EQ(report.added[0].submission.owner, "bob");
  options.student = "mallory";
  EXPECT_THROW(add("ada.tar.gz"), UsageError);
  options.student.clear();
  EXPECT_THROW(add("nothing.zip"), UsageError);
}

TEST_F(AddSubmissions, ACopyOfTheSameContentIsNotLater) {
  write("class/ada/a.cu", "x");
  set_time("class/ada/a.cu", "2026-10-12T11:00:00Z");
  add("class");
  set_time("class/ada/a.cu", "2026-10-14T11:00:00Z");
  AddReport report = add("class");
  EXPECT_FALSE(report.added.at(0).is_new);
  EXPECT_THAT(summaries(report), ElementsAre("ada 2026-10-12T11:00:00Z 0"));
  write("class/ada/a.cu", "other");
  set_time("class/ada/a.cu", "2026-10-14T11:00:00Z");
  EXPECT_THAT(summaries(add("class")), ElementsAre("ada 2026-10-14T11:00:00Z 2"));
  write("class/ada/a.cu", "x");
  set_time("class/ada/a.cu", "2026-10-14T12:00:00Z");
  report = add("class");
  EXPECT_TRUE(report.added.at(0).is_new) << "a return to an older content is a new submission";
}

TEST_F(AddSubmissions, ANameThatTwoStudentsHaveIsListed) {
  test::write_text(place.path() / kRosterFile,
                   "id,login,name\n1,ada1,Ada Lovelace\n2,ada2,\"Lovelace, Ada\"\n3,ada,Ada\n");
  const CourseFolder twins = open_course_folder(place.path());
  const Match found = match({{}, "Ada Lovelace"}, twins.roster);
  EXPECT_EQ(found.student, nullptr);
  EXPECT_EQ(found.why_not, "more than one roster entry fits");
  EXPECT_THAT(found.nearest, ElementsAre("ada1 (Ada Lovelace, 1)", "ada2 (Lovelace, Ada, 2)"));
  EXPECT_EQ(match({{}, "Lovelace Ada"}, twins.roster).student, nullptr) << "another order";
  EXPECT_EQ(match({{"ada"}, ""}, twins.roster).student->id, "3") << "a login is one student's";
}

TEST_F(AddSubmissions, OneWithoutTheExpectedFileNeverCountsBeforeOneThatCanBeGraded) {
  const Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
  options.config = &config;
  options.time = test::utc("2026-10-11T10:00:00Z");
  write("first/ada/cpu-new-forward.cc", "int x;");
  write("first/bob/cpu_new_forward.cc", "int x;");
  AddReport report = add("first", "m4");
  EXPECT_EQ(report.added.at(0).submission.not_gradable, "");
  EXPECT_THAT(report.added.at(1).submission.not_gradable,
              AllOf(HasSubstr("cpu-new-forward.cc is missing"), HasSubstr("cpu_new_forward.cc")));
  const auto counting = [&](const std::string& assignment, const std::string& login) {
    const Assignment& a = *folder.course.find(assignment);
    const Owner owner = folder.roster.owner_of(*folder.roster.find(login), a);
    const auto all = store.submissions(assignment);
    std::vector<const Submission*> own;
    for (const auto& s : all)
      if (s.owner == owner.key) own.push_back(&s);
    std::vector<std::string> said;
    for (const Standing& s : standings(folder.course, a, due_of(owner, a), own))
      said.push_back(s.graded ? "counts" : s.why_not.substr(0, 12));
    return said;
  };
  EXPECT_THAT(counting("m4", "ada"), ElementsAre("counts", "not gradable"))
      << "team red: the wrong one takes no place of the day either";
  add("first", "m1");
  EXPECT_THAT(counting("m1", "bob"), ElementsAre("counts")) << "it has no other one";
  options.time = test::utc("2026-10-11T11:00:00Z");
  for (const char* assignment : {"m1", "m2"}) {
    write("second/ada/notes.cc", assignment);
    add("first", assignment);
    add("second", assignment);
    EXPECT_THAT(counting(assignment, "ada"), ElementsAre("counts", "not gradable")) << assignment;
  }
  Config corrected = config;
  corrected.stages.at(0).sources = {"cpu_new_forward.cc"};
  options.config = &corrected;
  options.student = "bob";
  report = add("first/bob", "m1");
  EXPECT_FALSE(report.added.at(0).is_new);
  for (const auto& s : store.submissions("m1"))
    EXPECT_TRUE(s.owner != "bob" || s.not_gradable.empty()) << "the config of now decides";
  // A result is not taken back by an import: names that change in mid-term move no grade.
  Attempt graded;
  graded.submission = report.added.at(0).submission.id;
  graded.outcome = Outcome::passed;
  store.record(graded);
  options.config = &config;
  add("first/bob", "m1");
  for (const auto& s : store.submissions("m1"))
    EXPECT_TRUE(s.owner != "bob" || s.not_gradable.empty()) << s.not_gradable;
}

TEST_F(AddSubmissions, ADryRunAddsNothing) {
  write("class/ada/a.cu", "x");
  options.dry_run = true;
  EXPECT_EQ(add("class").added.size(), 1u);
  EXPECT_THAT(store.submissions(), IsEmpty());
  EXPECT_FALSE(fs::exists(place.path() / kSubmissions));
}

}  // namespace
}  // namespace opgrade::course
