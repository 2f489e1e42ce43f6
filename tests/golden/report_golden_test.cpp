// Every case folder of tests/golden/report holds input.json, a stored report, and what each format
// makes of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>

#include "grader/report/fields/json.hpp"
#include "grader/report/formats/csv.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/report/html/html_style.hpp"
#include "tests/support/golden.hpp"

namespace opgrade::report {
namespace {

using Format = std::function<std::string(const Grade&)>;

std::string class_table(const Grade& grade) {
  CsvColumns columns;
  columns.add(grade);
  return csv_header(columns) + csv_row(grade, columns);
}

Format exported(const char* format, ExportOptions options) {
  return [=](const Grade& grade) { return exporter(format).write(grade, options); };
}

/// Without the style sheet, which is a file of its own.
std::string page(const Grade& grade) {
  std::string html = exporter("html").write(grade, {Audience::student});
  const std::string style = kHtmlStyle;
  return html.replace(html.find(style), style.size(), "...");
}

const std::map<std::string, Format>& formats() {
  constexpr auto staff = Audience::staff, student = Audience::student;
  static const std::map<std::string, Format> all{
      {"staff.txt", exported("text", {staff, {.colour = false, .unicode = true, .width = 100}})},
      {"student.txt", exported("text", {student, {.colour = false, .unicode = true, .width = 80}})},
      {"student-narrow.txt",
       exported("text", {student, {.colour = false, .unicode = false, .width = 48}})},
      {"student-colour.txt",
       exported("text", {student, {.colour = true, .unicode = true, .width = 100}})},
      {"staff.xml", exported("junit", {staff})},
      {"student.xml", exported("junit", {student})},
      {"class.csv", class_table},
      {"student.annotations", exported("github", {student})},
      {"student.md", exported("summary", {student})},
      {"student.gradescope", exported("gradescope", {student})},
      {"student.html", page},
  };
  return all;
}

class ReportGolden : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(ReportGolden, IsAsRecorded) {
  const auto& [name, format] = GetParam();
  const auto folder = std::filesystem::path(OPGRADE_SOURCE_DIR) / "tests/golden/report" / name;
  const Grade grade = grade_from_json(test::read_text(folder / "input.json"));
  test::expect_golden(folder / format, formats().at(format)(grade));
}

// The other reports as JSON are those of the unit tests, which read each field back.
TEST(ReportGoldenJson, IsAsRecorded) {
  for (const auto& [file, audience] : {std::pair{"all_passed/staff.json", Audience::staff},
                                       {"all_passed/student.json", Audience::student},
                                       {"each_outcome/student.json", Audience::student},
                                       {"hostile_text/staff.json", Audience::staff}}) {
    const auto golden = std::filesystem::path(OPGRADE_SOURCE_DIR) / "tests/golden/report" / file;
    const auto input = test::read_text(golden.parent_path() / "input.json");
    test::expect_golden(golden, json_report(grade_from_json(input), audience));
  }
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [name, format] : formats()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, ReportGolden,
                         testing::Combine(testing::Values("advice", "all_passed", "each_outcome",
                                                          "no_cases", "hostile_text"),
                                          testing::ValuesIn(format_names())),
                         [](const auto& test_info) {
                           std::string name =
                               std::get<0>(test_info.param) + "_" + std::get<1>(test_info.param);
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace opgrade::report
