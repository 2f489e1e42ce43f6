#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/course/exchange/add_submissions.hpp"
#include "grader/course/exchange/document_file.hpp"
#include "grader/course/exchange/pack.hpp"
#include "grader/course/folder/csv_reader.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradebook/report_entry.hpp"
#include "grader/course/gradebook/rubric_csv.hpp"
#include "grader/course/store/student_data.hpp"
#include "tests/unit/course/sample_report.hpp"

namespace opgrade::course {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using State = Entry::State;

class ReportTest : public testing::Test {
 protected:
  Submission document(const std::string& owner, const std::string& time,
                      const std::string& text = "# Report\n") {
    Submission s =
        document_submission(*folder.course.report_for(m1()), owner, text, test::utc(time));
    s.source = "a test";
    s.added = s.handed_in;
    s.added_by = owner;
    test::write_text(folder.path / s.file, text);
    EXPECT_TRUE(store.add(s));
    return s;
  }
  void code(const std::string& owner, double points) {
    const Submission s =
        test::hand_in(folder, store, "m1", owner, "2026-10-12T10:00:00Z", "x" + owner);
    test::publish(store, folder.path, s, test::grade_of(points), 1);
  }
  void mark(const Submission& of, Mark::Kind kind, const std::string& name = "", bool is_on = true,
            double points = 0, const std::string& text = "") {
    add_marks(store, {{.submission = of.id,
                       .at = test::utc("2026-10-20T12:00:00Z"),
                       .who = "gina",
                       .kind = kind,
                       .name = name,
                       .is_on = is_on,
                       .points = points,
                       .text = text}});
  }
  void release(bool released = true) {
    release_marks(store, "m1", released, {"gina", test::utc("2026-10-21T12:00:00Z")});
  }
  const Assignment& m1() const { return *folder.course.find("m1"); }
  Gradebook book() const {
    return {folder, store, {{"m1", {.maximum = 100, .rules = test::wanted_grading()}}}};
  }
  Entry entry(const std::string& login) const {
    return book().entry(*folder.roster.find(login), m1());
  }

  const TempDir place{"opgrade-test-"};
  CourseFolder folder = test::make_report_course(place.path());
  Store store = Store::create(place.path());
};

TEST_F(ReportTest, ConfigHasOwnDeadlinesAndMovesThemWithExtensions) {
  const Assignment& documents = *folder.course.report_for(m1());
  EXPECT_EQ(documents.name, "report.m1");
  EXPECT_EQ(folder.course.find("report.m1"), &documents);
  const auto due = [&](const char* login) {
    return iso_text(
        DueDates(folder, store)
            .of(folder.roster.owner_of(*folder.roster.find(login), documents), documents)
            .deadline);
  };
  EXPECT_EQ(due("ada"), "2026-10-13T12:00:00Z");
  EXPECT_EQ(due("eve"), "2026-10-14T12:00:00Z") << "eve's extension of the code by one day";
}

TEST_F(ReportTest, PointsOfTheReportJoinThoseOfTheCode) {
  code("ada", 80);
  EXPECT_EQ(entry("ada").points, 80);
  EXPECT_EQ(entry("ada").maximum, 120);
  EXPECT_EQ(entry("ada").state, State::graded) << "nothing came, so nothing waits";
  const Submission own = document("ada", "2026-10-13T11:00:00Z");
  EXPECT_EQ(entry("ada").state, State::open);
  EXPECT_EQ(entry("ada").undecided, 20);
  mark(own, Mark::Kind::item, "units");
  mark(own, Mark::Kind::item, "half");
  mark(own, Mark::Kind::free, "figures", true, -1, "a blurred plot");
  EXPECT_EQ(entry("ada").state, State::open) << "the grader is not done";
  mark(own, Mark::Kind::done);
  EXPECT_EQ(entry("ada").state, State::graded);
  EXPECT_EQ(entry("ada").points, 80 + 7 + 5);
  EXPECT_THAT(entry("ada").reason, HasSubstr("report: 12 of 20"));
  mark(own, Mark::Kind::item, "units", false);
  EXPECT_EQ(entry("ada").points, 80 + 9 + 5) << "one item is regraded";
  mark(own, Mark::Kind::done, "", false);
  EXPECT_EQ(entry("ada").state, State::open);
}

TEST_F(ReportTest, ALateReportPaysItsOwnPrice) {
  code("ada", 80);
  const Submission late = document("ada", "2026-10-15T11:00:00Z");
  mark(late, Mark::Kind::item, "full");
  mark(late, Mark::Kind::done);
  EXPECT_EQ(entry("ada").points, 80 + 20 - 2);
  EXPECT_THAT(entry("ada").reason, HasSubstr("-2 points (2 days late)"));
}

TEST_F(ReportTest, AReportAfterTheLastDayDoesNotCount) {
  code("ada", 80);
  document("ada", "2026-10-16T11:00:00Z");
  EXPECT_EQ(entry("ada").state, State::graded);
  EXPECT_EQ(entry("ada").points, 80);
  EXPECT_FALSE(entry("ada").report->counts);
}

TEST_F(ReportTest, TheLastAcceptedDocumentCounts) {
  const Submission first = document("ada", "2026-10-12T10:00:00Z", "one");
  mark(first, Mark::Kind::done);
  const Submission second = document("ada", "2026-10-12T11:00:00Z", "two");
  EXPECT_EQ(entry("ada").report->counted().id, second.id);
  EXPECT_EQ(entry("ada").state, State::open) << "marks of the first one are not the second's";
}

TEST_F(ReportTest, AReportAloneIsAGrade) {
  EXPECT_EQ(entry("ada").state, State::missing);
  const Submission own = document("ada", "2026-10-12T10:00:00Z");
  mark(own, Mark::Kind::item, "full");
  mark(own, Mark::Kind::done);
  EXPECT_EQ(entry("ada").state, State::graded);
  EXPECT_EQ(entry("ada").points, 20);
  EXPECT_EQ(entry("ada").maximum, 120);
}

TEST_F(ReportTest, StudentsSeeNoMarksBeforeTheRelease) {
  code("ada", 80);
  const Submission own = document("ada", "2026-10-12T10:00:00Z");
  mark(own, Mark::Kind::item, "full");
  mark(own, Mark::Kind::comment, "", true, 0, "well done");
  mark(own, Mark::Kind::done);
  const Entry before = as_students_see(entry("ada"));
  EXPECT_EQ(before.points, 80);
  EXPECT_EQ(before.state, State::open);
  EXPECT_TRUE(before.report->marks.empty());
  const auto lines = derivation(before, folder, report::Audience::student);
  EXPECT_THAT(lines, Contains("report: the marks are not released yet"));
  for (const auto& line : lines) EXPECT_THAT(line, Not(HasSubstr("bottleneck")));
  release();
  const Entry after = as_students_see(entry("ada"));
  EXPECT_EQ(after.points, 100);
  EXPECT_EQ(after.report->marks.comments.at(""), "well done");
  EXPECT_THAT(derivation(after, folder, report::Audience::student),
              Contains("report: analysis: 10 of 10 (+10: The bottleneck is explained.)"));
  release(false);
  EXPECT_EQ(as_students_see(entry("ada")).points, 80);
}

TEST_F(ReportTest, AnotherRubricMovesNothingBeforeItIsApplied) {
  const Submission own = document("ada", "2026-10-12T10:00:00Z");
  mark(own, Mark::Kind::item, "units");
  mark(own, Mark::Kind::done);
  apply_rubric(store, "m1", test::kSampleRubric, {"gina", test::utc("2026-10-20T12:00:00Z")});
  std::string text = test::kSampleRubric;
  text.replace(text.find("points: -2"), 10, "points: -1");
  test::write_text(place.path() / "rubric.yaml", text);
  folder = open_course_folder(place.path());
  EXPECT_EQ(entry("ada").points, 8) << "the file alone changed";
  const Rubric after = parse_rubric(text, "rubric.yaml").rubric;
  const auto moves = moves_by(test::sample_rubric(), after, marks_for(store, "report.m1"),
                              store.submissions("report.m1"));
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves.front().owner, "ada");
  EXPECT_EQ(moves.front().before, 8);
  EXPECT_EQ(moves.front().after, 9);
  const std::string version = store.grades_version();
  apply_rubric(store, "m1", text, {"gina", test::utc("2026-10-21T12:00:00Z")});
  EXPECT_EQ(entry("ada").points, 9);
  EXPECT_NE(store.grades_version(), version) << "caches are made again";
  EXPECT_NE(store.grades_versions().at("m1"), "");
}

TEST_F(ReportTest, DecisionsOutsideTheRubricAreRefused) {
  const Rubric rubric = test::sample_rubric();
  EXPECT_THROW(require_allowed({.name = "gone"}, rubric), UsageError);
  EXPECT_THROW(require_allowed({.kind = Mark::Kind::free, .name = "units", .text = "t"}, rubric),
               UsageError);
  EXPECT_THROW(
      require_allowed({.kind = Mark::Kind::free, .name = "figures", .points = 11, .text = "t"},
                      rubric),
      UsageError);
  EXPECT_THROW(require_allowed({.kind = Mark::Kind::free, .name = "figures", .points = 1}, rubric),
               UsageError)
      << "without a reason";
  EXPECT_THROW(require_allowed({.kind = Mark::Kind::comment, .name = "gone"}, rubric), UsageError);
  EXPECT_NO_THROW(require_allowed({.kind = Mark::Kind::comment, .name = "units"}, rubric));
}

/// A class of three with marks, and the table that a person would write for it.
TEST_F(ReportTest, TheGradebookIsTheTableComputedByHand) {
  code("ada", 80);
  code("bob", 60);
  const Submission of_ada = document("ada", "2026-10-13T11:00:00Z", "a");
  const Submission of_eve = document("eve", "2026-10-15T11:00:00Z", "e");  // one day late for eve
  mark(of_ada, Mark::Kind::item, "units");
  mark(of_ada, Mark::Kind::item, "full");
  mark(of_ada, Mark::Kind::done);
  mark(of_eve, Mark::Kind::item, "none");
  mark(of_eve, Mark::Kind::item, "half");
  mark(of_eve, Mark::Kind::free, "figures", true, 3, "a table in its place");
  mark(of_eve, Mark::Kind::done);
  const auto rows = read_csv(gradebook_table("plain", book(), folder, {.only = "m1"}).csv).value();
  std::vector<std::string> table;
  for (const auto& row : rows)
    table.push_back(row.cells.at(0) + " " + row.cells.at(6) + " of " + row.cells.at(7) + " " +
                    row.cells.at(8));
  // ada: 80 + (10 - 2) + 10. bob: 60, no report. eve: (10 - 10 + 3) + 5 - 1 for the late day.
  EXPECT_THAT(table, ElementsAre("login points of maximum state", "ada 98 of 120 graded",
                                 "bob 60 of 120 graded", "eve 7 of 120 graded"));
  const auto canvas = gradebook_table("canvas", book(), folder, {.only = "m1"});
  EXPECT_THAT(canvas.csv, HasSubstr(",98\r\n"));
}

TEST_F(ReportTest, MarksByItemAreExported) {
  const Submission own = document("ada", "2026-10-12T10:00:00Z");
  document("bob", "2026-10-12T10:00:00Z", "of bob");
  mark(own, Mark::Kind::item, "units");
  mark(own, Mark::Kind::free, "analysis", true, 4, "=a good idea");
  mark(own, Mark::Kind::comment, "", true, 0, "read chapter 3");
  mark(own, Mark::Kind::done);
  const auto table = gradebook_table("rubric", book(), folder, {.only = "m1"});
  EXPECT_THAT(table.warnings,
              ElementsAre(HasSubstr("bob, m1: left out, its report is not marked")));
  std::vector<std::string> rows;
  const auto lines = read_csv(table.csv).value();
  for (const auto& row : lines)
    rows.push_back(row.cells.at(6) + "|" + row.cells.at(7) + "|" + row.cells.at(8) + "|" +
                   row.cells.at(9));
  EXPECT_THAT(rows, ElementsAre("group|item|points|maximum", "figures||8|10", "figures|units|-2|",
                                "analysis||4|10", "analysis|free points|4|"));
  EXPECT_THAT(table.csv, HasSubstr("'=a good idea")) << "no spreadsheet takes it for a formula";

  const auto gradescope =
      read_csv(gradebook_table("gradescope-rubric", book(), folder, {.only = "m1"}).csv).value();
  ASSERT_EQ(gradescope.size(), 2u);
  const auto cell = [&](const std::string& title) {
    const auto& header = gradescope[0].cells;
    return gradescope[1].cells.at(
        static_cast<std::size_t>(std::ranges::find(header, title) - header.begin()));
  };
  EXPECT_EQ(cell("Score"), "12");
  EXPECT_EQ(cell("Figures: The axes have no units."), "true");
  EXPECT_EQ(cell("Figures: There is no figure."), "false");
  EXPECT_EQ(cell("Adjustment"), "4");
  EXPECT_EQ(cell("Grader"), "gina");
  EXPECT_EQ(cell("Last Name"), "Lovelace");

  EXPECT_TRUE(is_about_marks("rubric") && !is_about_marks("canvas"));
  const auto prairie = gradebook_table("prairielearn", book(), folder, {.only = "m1"}).csv;
  EXPECT_THAT(prairie, HasSubstr("uid,instance,qid,manual_score_perc,feedback\r\n"));
  EXPECT_THAT(prairie, HasSubstr("ada@x.edu,1,m1,60,"));
}

TEST_F(ReportTest, HostileNamesStayInTheirCells) {
  auto& ada = const_cast<Student&>(*folder.roster.find("ada"));
  ada.name = "=HYPERLINK(\"http://x\")\r\n1,bob,\"";
  ada.email = "+cmd|' /C calc'!A0,\"";
  const Submission own = document("ada", "2026-10-12T10:00:00Z");
  mark(own, Mark::Kind::comment, "", true, 0, "@SUM(1),\"\n");
  mark(own, Mark::Kind::done);
  for (const RubricFormat& format : rubric_formats()) {
    const auto rows = read_csv(gradebook_table(format.name, book(), folder, {.only = "m1"}).csv);
    ASSERT_TRUE(rows) << rows.error().text;
    EXPECT_GT(rows->size(), 1u);
    for (const CsvRow& row : *rows) {
      EXPECT_EQ(row.cells.size(), rows->front().cells.size());
      for (const auto& cell : row.cells)
        EXPECT_FALSE(cell.starts_with('=') || cell.starts_with('@') || cell.starts_with("+cmd"))
            << cell;
    }
  }
}

TEST_F(ReportTest, ADocumentComesWithTheArchiveOfTheCode) {
  const ReportRules& rules = m1().report;
  const auto packed = [](const std::map<std::string, std::string>& files) { return pack(files); };
  EXPECT_EQ(**document_in(packed({{"a/report.md", "# A\n"}, {"x.cu", "int x;"}}), rules), "# A\n");
  EXPECT_EQ(**document_in(packed({{"old/deep/report.md", "old"}, {"new/report.md", "new"}}), rules),
            "new")
      << "the one with the fewest folders above it";
  EXPECT_EQ(*document_in(packed({{"x.cu", "int x;"}}), rules), std::nullopt);
  EXPECT_FALSE(document_in(packed({{"report.md", std::string("a\0b", 3)}}), rules));
  EXPECT_FALSE(document_in(packed({{"report.md", ""}}), rules));
}

/// Of 16 by 16 pixels, as far as its header.
const std::string kPng("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\2\0\0\0", 29);

TEST_F(ReportTest, MarkdownComesWithThePicturesThatItNames) {
  const ReportRules& rules = m1().report;
  const std::string text = "![a](fig/a.png) ![b](b.png)\n";
  const std::map<std::string, std::string> files{{"x/report.md", text},
                                                 {"x/fig/a.png", kPng},
                                                 {"profiles/b.png", kPng},
                                                 {"x/unnamed.png", "no picture"},
                                                 {"x/x.cu", "int x;"}};
  const std::string kept = **document_in(pack(files), rules);
  Submission own = document_submission(*folder.course.report_for(m1()), "ada", kept,
                                       test::utc("2026-10-12T10:00:00Z"));
  EXPECT_TRUE(own.file.ends_with(".zip"));
  EXPECT_EQ(kind_of_document(own), documents::DocumentKind::markdown);
  test::write_text(folder.path / own.file, kept);
  const documents::Document read = read_document(folder.path, own);
  EXPECT_EQ(read.bytes, text);
  std::vector<std::string> paths;
  for (const auto& picture : read.pictures) paths.push_back(picture.path);
  EXPECT_THAT(paths, ElementsAre("fig/a.png", "profiles/b.png"));
  EXPECT_EQ(**document_in(kept, rules), kept) << "a download is handed in again as the same";

  const auto refused = [&](const std::string& name, const std::string& bytes) {
    auto changed = files;
    changed["x/report.md"] = "![](<" + name.substr(name.rfind('/') + 1) + ">)";
    changed[name] = bytes;
    const auto found = document_in(pack(changed), rules);
    return found ? "taken" : found.error();
  };
  EXPECT_EQ(refused("x/c.png", kPng), "taken");
  EXPECT_THAT(refused("x/c.png", "<svg onload='f()'/>"), HasSubstr("is no PNG file"));
  EXPECT_THAT(refused("x/c.png", ""), HasSubstr("is empty"));
  ReportRules small = rules;
  small.largest = 100;
  EXPECT_THAT(
      document_in(pack({{"report.md", "c.png"}, {"c.png", std::string(101, 'x')}}), small).error(),
      HasSubstr("c.png has 1 KiB"));
  EXPECT_THAT(
      document_in(
          pack({{"report.md", text + "c.png"}, {"b.png", kPng}, {"c.png", kPng}, {"a.png", kPng}}),
          small)
          .error(),
      HasSubstr("report.md and its pictures have 1 KiB"));
  EXPECT_THAT(refused("x/..\\..\\run/c.png", kPng), HasSubstr("is no path for a picture"))
      << "a grader may unpack the zip on Windows";
  std::map<std::string, std::string> many{{"report.md", ""}};
  for (int i = 0; i < 41; ++i) {
    const std::string name = "f" + std::to_string(i) + ".png";
    many["report.md"] += "![](" + name + ")\n";
    many[name] = kPng;
  }
  EXPECT_THAT(document_in(pack(many), rules).error(), HasSubstr("names 41 pictures"));
}

TEST_F(ReportTest, AFolderBringsALargeDocument) {
  const auto in = place.path() / "in" / "ada";
  test::write_text(in / "report.md", std::string(kMaxPackedFile + 1, 'x'));
  test::write_text(in / "x.cu", std::string(kMaxPackedFile + 1, 'x'));
  test::write_text(in / "y.cu", "int y;");
  const auto any = [](const auto&) { return true; };
  EXPECT_THAT(pack_folder(in, any, "report.md")->taken, ElementsAre("report.md", "y.cu"));
  EXPECT_THAT(pack_folder(in, any)->taken, ElementsAre("y.cu")) << "no document is wanted";
}

TEST_F(ReportTest, AnAbsentReportIsAwaitedUntilItsDeadline) {
  code("ada", 80);
  const auto at = [&](const std::string& time) {
    const Gradebook now(folder, store, {{"m1", {.maximum = 100, .rules = test::wanted_grading()}}},
                        {.now = test::utc(time)});
    Entry found = now.entry(*folder.roster.find("ada"), m1());
    const TableOptions options{.only = "m1", .now = test::utc(time)};
    for (const char* format : {"canvas", "moodle"}) {
      const bool is_empty =
          gradebook_table(format, now, folder, options).csv.find("80") == std::string::npos;
      EXPECT_EQ(is_empty, found.state == State::open) << format << " " << time;
    }
    return found;
  };
  const Entry before = at("2026-10-13T12:00:00Z");
  EXPECT_EQ(before.state, State::open);
  EXPECT_EQ(before.undecided, 20);
  EXPECT_THAT(before.reason, HasSubstr("report: not handed in yet"));
  EXPECT_THAT(derivation(before, folder, report::Audience::student),
              Contains(HasSubstr("none was handed in yet; it is due")));
  const Entry after = at("2026-10-13T12:00:01Z");
  EXPECT_EQ(after.state, State::graded);
  EXPECT_EQ(after.points, 80);
  EXPECT_THAT(after.reason, HasSubstr("report: none"));
  const Entry of_eve =
      Gradebook(folder, store, {{"m1", {.maximum = 100}}}).entry(*folder.roster.find("eve"), m1());
  EXPECT_EQ(state_text(of_eve, test::utc("2026-10-14T12:00:00Z")), "not handed in yet")
      << "her report is due after her code";
  EXPECT_EQ(state_text(of_eve, test::utc("2026-10-14T12:00:01Z")), "missing");
}

TEST_F(ReportTest, AbsentCodeLeavesAMarkedReportOpenUntilItsDeadline) {
  const Submission own = document("ada", "2026-10-12T10:00:00Z");
  mark(own, Mark::Kind::item, "full");
  mark(own, Mark::Kind::done);
  const auto at = [&](const std::string& time) {
    return Gradebook(folder, store, {{"m1", {.maximum = 100}}}, {.now = test::utc(time)})
        .entry(*folder.roster.find("ada"), m1());
  };
  EXPECT_EQ(at("2026-10-12T12:00:00Z").state, State::open);
  EXPECT_EQ(at("2026-10-12T12:00:00Z").undecided, 100);
  EXPECT_EQ(at("2026-10-12T12:00:01Z").state, State::graded);
  EXPECT_EQ(at("2026-10-12T12:00:01Z").points, 20);
}

TEST_F(ReportTest, CommentsOnItemsAndGroupsAreExported) {
  const Submission own = document("ada", "2026-10-12T10:00:00Z");
  mark(own, Mark::Kind::item, "units");
  mark(own, Mark::Kind::comment, "units", true, 0, "milliseconds?");
  mark(own, Mark::Kind::comment, "half", true, 0, "nearly");
  mark(own, Mark::Kind::comment, "figures", true, 0, "good colours");
  mark(own, Mark::Kind::done);
  const auto table = [&](const char* format) {
    return gradebook_table(format, book(), folder, {.only = "m1"}).csv;
  };
  EXPECT_THAT(table("rubric"), HasSubstr("figures,,8,10,good colours\r\n"));
  EXPECT_THAT(table("rubric"), HasSubstr("figures,comment on units,0,,milliseconds?\r\n"));
  EXPECT_THAT(table("rubric"), HasSubstr("analysis,comment on half,0,,nearly\r\n"));
  for (const char* format : {"gradescope-rubric", "prairielearn"})
    for (const char* text : {"units: milliseconds?", "half: nearly", "figures: good colours"})
      EXPECT_THAT(table(format), HasSubstr(text)) << format;
}

TEST_F(ReportTest, MarksUnderADecidedGradeAreLeftOut) {
  const Submission own = document("ada", "2026-10-12T10:00:00Z");
  mark(own, Mark::Kind::item, "full");
  mark(own, Mark::Kind::done);
  Change change;
  change.student = "ada";
  change.assignment = "m1";
  change.points = 50;
  change.maximum = 120;
  change.who = "sam";
  change.reason = "agreed";
  store.change(change);
  for (const RubricFormat& format : rubric_formats()) {
    const auto table = gradebook_table(format.name, book(), folder, {.only = "m1"});
    EXPECT_THAT(table.warnings, ElementsAre(HasSubstr("staff have decided the grade")))
        << format.name;
    EXPECT_EQ(read_csv(table.csv)->size(), 1u) << format.name << ": its header alone";
  }
}

TEST_F(ReportTest, CourseAddTakesTheDocumentOnce) {
  const auto archive = place.path() / "in" / "ada.tar";
  test::write_text(archive, pack({{"x.cu", "int x;"}, {"report.md", "# A\n"}}));
  const auto add = [&] {
    return add_submissions(
        folder, store, m1(),
        {.paths = {place.path() / "in"}, .time = test::utc("2026-10-12T10:00:00Z")});
  };
  EXPECT_THAT(add().added.at(0).notes, Contains("with report.md"));
  EXPECT_EQ(store.submissions("report.m1").size(), 1u);
  add();
  EXPECT_EQ(store.submissions("report.m1").size(), 1u);
  EXPECT_THAT(verify(folder, store), IsEmpty());
}

TEST_F(ReportTest, BackupExportAndRemovalTreatDocumentsAsCode) {
  code("ada", 80);
  const Submission own = document("ada", "2026-10-12T10:00:00Z", "of ada");
  mark(own, Mark::Kind::item, "units");
  mark(own, Mark::Kind::comment, "", true, 0, "ada writes well");
  mark(own, Mark::Kind::done);
  const TempDir other("opgrade-test-");
  EXPECT_THAT(copy_course(folder.path, other.path() / "copy"), IsEmpty());
  const Store copied = Store::open(other.path() / "copy");
  EXPECT_EQ(marks_of(copied, own.id).size(), 3u);
  EXPECT_TRUE(std::filesystem::exists(other.path() / "copy" / own.file));

  const auto& ada = *folder.roster.find("ada");
  const auto exported = [&](const char* name) {
    export_student(folder, store, book(), ada, other.path() / name);
    EXPECT_TRUE(std::filesystem::exists(other.path() / name / own.file));
    return text_of_file(other.path() / name / "student.json");
  };
  EXPECT_THAT(exported("held"), Not(HasSubstr("writes well"))) << "as the student sees it";
  release();
  EXPECT_THAT(exported("released"), HasSubstr("writes well"));

  remove_student(folder, store, ada, {}, false);
  EXPECT_FALSE(std::filesystem::exists(folder.path / own.file));
  EXPECT_THAT(marks_of(store, own.id), IsEmpty());
}

TEST(ReportOfTeams, EachMemberHasThePoints) {
  const TempDir place("opgrade-test-");
  const CourseFolder folder = test::make_report_course(place.path(), "", true);
  Store store = Store::create(place.path());
  Submission s = document_submission(*folder.course.find("report.m1"), "team red", "x",
                                     test::utc("2026-10-12T10:00:00Z"));
  s.added = s.handed_in;
  test::write_text(folder.path / s.file, "x");
  ASSERT_TRUE(store.add(s));
  add_marks(store, {{.submission = s.id, .who = "gina", .name = "full"},
                    {.submission = s.id, .who = "gina", .kind = Mark::Kind::done}});
  const Gradebook book(folder, store, {{"m1", {.maximum = 100}}});
  const Assignment& m1 = *folder.course.find("m1");
  for (const char* login : {"ada", "bob"})
    EXPECT_EQ(book.entry(*folder.roster.find(login), m1).points, 20) << login;
  EXPECT_EQ(book.entry(*folder.roster.find("eve"), m1).points, std::nullopt);
}

TEST(ReportConfig, MistakesAreNamed) {
  const auto problems = [](const std::string& report) {
    return to_text(parse_course("opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
                                "  - {name: m1, config: c, deadline: 2026-10-12 12:00, report: " +
                                    report + "}\n",
                                "course.yaml")
                       .problems);
  };
  EXPECT_EQ(problems("{file: report.pdf, rubric: r.yaml}"), "");
  EXPECT_THAT(problems("{file: report.pdf}"), HasSubstr("needs the key 'rubric'"));
  EXPECT_THAT(problems("{file: ../report.pdf, rubric: r}"), HasSubstr("'file' must be"));
  EXPECT_THAT(problems("{file: report.docx, rubric: r}"), HasSubstr("'file' must be"));
  EXPECT_THAT(problems("{file: report.pdf, rubric: r, largest: 1 GiB}"),
              HasSubstr("'largest' must be at most 16 MiB"));
  EXPECT_THAT(problems("{file: report.pdf, rubric: r, late: {days: 1}}"),
              HasSubstr("'late' needs one of"));
}

TEST(ReportConfig, AMissingRubricIsAProblemOfTheCourse) {
  const TempDir place("opgrade-test-");
  test::make_report_course(place.path());
  std::filesystem::remove(place.path() / "rubric.yaml");
  try {
    open_course_folder(place.path());
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("it is the rubric of m1"));
  }
}

}  // namespace
}  // namespace opgrade::course
