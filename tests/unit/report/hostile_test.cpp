// Every format against bytes that no field should hold.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "grader/report/fields/json.hpp"
#include "grader/report/formats/exporters.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

std::string all_bytes() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

std::vector<std::string> hostile_texts() {
  return {all_bytes(),
          "\x1b]0;title\x07\x1b[2J\x1b[31m",
          "\xC3\x28 \xE2\x82 \xF0\x9F \xED\xA0\x80 \xC0\x80 \xF5\x80\x80\x80",
          std::string(20'000, '\xFF'),
          std::string(400'000, 'a'),
          "\n\n::error::x\n  ::set-output name=a::b\n##[add-mask]x\n",
          "a\r::error::x\r\n",
          "\xE2\x80\xAE\xE2\x81\xA6\xC2\x9B\xEF\xBF\xBE",
          "line\xE2\x80\xA8separator\xE2\x80\xA9 \xC2\x85 </script>",
          "]]>--></pre><script>x</script>```\n~~~\n",
          std::string("\0\0", 2)};
}

const std::string kGuard = "0123456789abcdef";

std::vector<std::pair<std::string, std::string>> reports_of(const Grade& grade) {
  std::vector<std::pair<std::string, std::string>> reports;
  for (const auto audience : {Audience::staff, Audience::student}) {
    reports.emplace_back("ascii", text_report(grade, audience, {.width = 40}));
    for (const Exporter& e : exporters())
      reports.emplace_back(e.name, e.write(grade, {audience, {.unicode = true}, kGuard}));
  }
  return reports;
}

bool is_utf8(const std::string& text) {
  // nlohmann's serialiser is strict unless told otherwise.
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

class HostileText : public testing::TestWithParam<std::size_t> {};

TEST_P(HostileText, IsHarmlessInEveryFormat) {
  Grade grade = test::full_grade();
  const std::string evil = hostile_texts().at(GetParam());
  test::for_each_text(grade, [&](std::string& text) { text = evil; });
  grade.stages[0].cases.push_back(grade.stages[0].cases[0]);
  grade.stages[0].cases[1].hidden = true;
  for (const auto& [format, report] : reports_of(grade)) {
    SCOPED_TRACE(format);
    EXPECT_TRUE(is_utf8(report));
    EXPECT_LT(report.size(), 4u << 20);
    for (const char c : report) {
      const bool control =
          (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) && c != '\n' && c != '\t';
      const bool csv_line_end = (format == "csv" || format == "tables") && c == '\r';
      ASSERT_FALSE(control && !csv_line_end) << static_cast<int>(c);
    }
    for (const char* deceptive : {"\xE2\x80\xAE", "\xE2\x81\xA6", "\xC2\x9B", "\xE2\x80\xA8"}) {
      EXPECT_EQ(report.find(deceptive), report.npos);
    }
    EXPECT_EQ(report.find("##["), report.npos);
    std::istringstream lines(report);
    for (std::string line; std::getline(lines, line);) {
      const auto start = line.find_first_not_of(" \t");
      const bool command = start != line.npos && line.compare(start, 2, "::") == 0;
      const bool log = format == "github-log";
      const bool own =
          ((format == "github" || log) &&
           (line.starts_with("::error ") || line.starts_with("::notice "))) ||
          (log && (line == "::stop-commands::" + kGuard || line == "::" + kGuard + "::"));
      EXPECT_TRUE(!command || own) << line.substr(0, 100);
    }
    if (format == "json") {
      const Grade back = grade_from_json(report);
      EXPECT_EQ(back.stages.size(), 1u);
    }
    if (format == "junit") {
      pugi::xml_document document;
      EXPECT_TRUE(document.load_string(report.c_str()));
      EXPECT_EQ(document.select_nodes("//testcase").size(), 2u);
      EXPECT_EQ(report.find("\xEF\xBF\xBE"), report.npos);
    }
    if (format == "html") {
      EXPECT_EQ(report.find("<script"), report.npos);
    }
  }
}

TEST(HostileText, TenMegabytesOfOutputMakeNoLongReport) {
  Grade grade = test::full_grade();
  auto& stage = grade.stages[0];
  stage.build.outcome = Outcome::build_failed;
  for (std::string* output : {&stage.build.compiler_output, &stage.cases[0].student_output}) {
    while (output->size() < 10u << 20) *output += "a.cu(3): error: <b>::error::x]]>\x1b[2J\n";
  }
  stage.files = {"a.cu"};
  for (const auto& [format, report] : reports_of(grade)) {
    EXPECT_LT(report.size(), 4u << 20) << format;
    EXPECT_EQ(report.find('\x1b'), report.npos) << format;
    if (format == "prairielearn") {
      EXPECT_LE(report.size(), 1'000'000u);
    }
    if (format == "summary") {
      EXPECT_LT(report.size(), 1u << 20);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Texts, HostileText,
                         testing::Range<std::size_t>(0, hostile_texts().size()));

}  // namespace
}  // namespace opgrade::report
