#include "grader/report/formats/csv.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

/// RFC 4180, read the strict way.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& cell = rows.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[i++];
    } else if (quoted && text[i] == '"') {
      quoted = false;
    } else if (quoted) {
      cell += text[i];
    } else if (text[i] == '"' && cell.empty()) {
      quoted = true;
    } else if (text[i] == ',') {
      rows.back().emplace_back();
    } else if (text.compare(i, 2, "\r\n") == 0) {
      rows.push_back({""});
      ++i;
    } else {
      EXPECT_NE(text[i], '"');
      cell += text[i];
    }
  }
  EXPECT_FALSE(quoted);
  EXPECT_EQ(rows.back(), std::vector<std::string>{""}) << "the last row has no line end";
  rows.pop_back();
  return rows;
}

/// The row as a map from column to cell.
std::map<std::string, std::string> row_of(const Grade& grade) {
  CsvColumns columns;
  columns.add(grade);
  const auto rows = parse_csv(csv_header(columns) + csv_row(grade, columns));
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at(0).size(), rows.at(1).size());
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < rows[0].size(); ++i) row[rows[0][i]] = rows[1][i];
  EXPECT_EQ(row.size(), rows[0].size()) << "two columns of one name";
  return row;
}

TEST(Csv, KernelTimesHaveAColumnWhereSomebodyHasOne) {
  const Grade without = test::passed_grade();
  EXPECT_FALSE(row_of(without).contains("cpu/high/1000 kernel_time_ms"));
  Grade with = without;
  for (auto& call : with.stages[0].cases[0].calls) call.kernel_time_ms = 2.25;
  EXPECT_EQ(row_of(with).at("cpu/high/1000 kernel_time_ms"), "4.5");
  CsvColumns columns;
  columns.add(with);
  columns.add(without);
  const auto rows =
      parse_csv(csv_header(columns) + csv_row(with, columns) + csv_row(without, columns));
  EXPECT_EQ(rows[0].back(), "cpu/high/1000 kernel_time_ms");
  EXPECT_EQ(rows[1].size(), rows[0].size());
  EXPECT_EQ(rows[2].size(), rows[0].size());
  EXPECT_EQ(rows[2].back(), "");
}

TEST(Csv, TheTimeIsTheOneThatPointsCount) {
  Grade grade = test::passed_grade();
  CaseReport& c = grade.stages[0].cases[0];
  for (auto& call : c.calls) call.op_time = summarize({1, 2, 6});
  EXPECT_EQ(row_of(grade).at("cpu/high/1000 op_time_ms"), "4");
  c.take = Statistic::mean;
  EXPECT_EQ(row_of(grade).at("cpu/high/1000 op_time_ms"), "6");
}

TEST(Csv, ARowNamesTheOwner) {
  Grade grade = test::passed_grade();
  grade.submission_path = "/class/ada/Project";
  EXPECT_EQ(row_of(grade).at("submission_path"), "/class/ada/Project");
}

TEST(Csv, ARowHoldsTheGrade) {
  Grade grade = test::passed_grade();
  grade.machine.host_cpu = "CPU";
  grade.machine.gpu = "GPU";
  auto row = row_of(grade);
  EXPECT_EQ(row["submission"], "ada");
  EXPECT_EQ(row["outcome"], "passed");
  EXPECT_EQ(row["passed"], "yes");
  EXPECT_EQ(row["points"], "5");
  EXPECT_EQ(row["pass_mark"], "3");
  EXPECT_EQ(row["machine"], "CPU, GPU");
  EXPECT_EQ(row["cpu/high/1000 outcome"], "passed");
  EXPECT_EQ(row["cpu/high/1000 points"], "5");
  EXPECT_EQ(row["cpu/high/1000 accuracy"], "0.886");
  EXPECT_EQ(row["cpu/high/1000 op_time_ms"], "42");
}

TEST(Csv, PassedIsEmptyOrOpenWhereItIsNotKnown) {
  EXPECT_EQ(row_of(test::grade_with(Outcome::crashed))["passed"], "no");
  Grade grade = test::grade_with(Outcome::passed);
  grade.open_points = 5;
  EXPECT_EQ(row_of(grade)["passed"], "open");
}

TEST(Csv, WhatIsNotEmulatedIsOpen) {
  Grade grade = test::grade_with(Outcome::not_emulated);
  grade.passed = false;
  grade.points = 0;
  grade.open_points = grade.max_points;
  EXPECT_EQ(row_of(grade)["passed"], "open");
  EXPECT_EQ(row_of(grade)["outcome"], "not_emulated");
}

TEST(Csv, AGraderFaultIsNoZero) {
  auto row = row_of(test::grade_with(Outcome::grader_fault));
  EXPECT_EQ(row["passed"], "");
  EXPECT_EQ(row["points"], "");
  EXPECT_EQ(row["cpu/high/1000 points"], "");
  EXPECT_EQ(row["outcome"], "grader_fault");
}

TEST(Csv, ColumnsAreTheUnionInOrder) {
  CsvColumns columns;
  columns.add({});
  columns.add(test::passed_grade());
  Grade other = test::passed_grade();
  other.stages[0].cases[0].id = "cpu/low/1000";
  columns.add(other);
  columns.add(test::passed_grade());
  ASSERT_EQ(columns.cases.size(), 2u);
  EXPECT_EQ(columns.cases[1].id, "cpu/low/1000");
  const auto rows = parse_csv(csv_header(columns) + csv_row({}, columns) + csv_row(other, columns));
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(rows[2].at(16), "");        // not its case
  EXPECT_EQ(rows[2].at(20), "passed");  // its case
}

TEST(Csv, FormulasAreTexts) {
  for (const std::string start :
       {"=", "+", "-", "@", "\t", "\r", "\n", " =", "\n\t +", "＝", "＋", "－", "＠"}) {
    const std::string text = start + "cmd|' /C calc'!A0";
    const auto cells = parse_csv(csv_cell(text) + "\r\n");
    EXPECT_EQ(cells.at(0).at(0), "'" + text);
  }
  EXPECT_EQ(csv_cell("plain = text"), "plain = text");
  EXPECT_EQ(csv_cell(""), "");
}

TEST(Csv, QuotesCommasAndLineEndsSurvive) {
  EXPECT_EQ(csv_cell("a\"b"), "\"a\"\"b\"");
  for (const std::string text : {"a,b", "a\"b\"", "a\r\nb", "\"", "a\nb"}) {
    EXPECT_EQ(parse_csv(csv_cell(text) + "\r\n").at(0).at(0), text);
  }
}

TEST(Csv, AGradeWithHostileTextsIsStillOneRow) {
  Grade grade = test::full_grade();
  test::for_each_text(grade, [](std::string& text) { text = "=1+1\r\n\"" + text + "\",,\n"; });
  grade.points = -std::numeric_limits<double>::infinity();
  auto row = row_of(grade);
  EXPECT_EQ(row["submission"].substr(0, 5), "'=1+1");
  EXPECT_EQ(row["points"], "'-infinity");
}

TEST(Csv, ANegativeNumberStaysANumber) {
  Grade grade = test::passed_grade();
  grade.points = -1.5;
  EXPECT_EQ(row_of(grade)["points"], "-1.5");
}

}  // namespace
}  // namespace opgrade::report
