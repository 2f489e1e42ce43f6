#include "grader/report/words/profile_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/report/formats/profile_compare.hpp"
#include "grader/report/formats/profile_text.hpp"
#include "grader/report/html/html.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ProfileTables, RatesHaveThreeDigitsAndThePrefixThatFits) {
  EXPECT_EQ(show_rate(0, "B/s"), "0.00 B/s");
  EXPECT_EQ(show_rate(999.4, "B/s"), "999 B/s");
  EXPECT_EQ(show_rate(999.6, "B/s"), "1.00 kB/s");
  EXPECT_EQ(show_rate(4.13e12, "B/s"), "4.13 TB/s");
  EXPECT_EQ(show_rate(63.21e12, "FLOP/s"), "63.2 TFLOP/s");
}

TEST(ProfileTables, KernelNamesLoseTheirParametersOnly) {
  EXPECT_EQ(short_kernel_name("conv(float*, int)"), "conv");
  EXPECT_EQ(short_kernel_name("void conv<4, 7>(float*, int)"), "conv<4, 7>");
  EXPECT_EQ(short_kernel_name("void f<(Mode)1, g(int)>(float*)"), "f<(Mode)1, g(int)>");
  EXPECT_EQ(short_kernel_name("(anonymous namespace)::k(int)"), "(anonymous namespace)::k");
  EXPECT_EQ(short_kernel_name("cudaMalloc"), "cudaMalloc");
  EXPECT_EQ(short_kernel_name(""), "");
}

ProfileReport small() {
  ProfileReport p;
  p.device = "a device";
  p.source = "CUPTI";
  p.timed = true;
  p.kernels = {{"conv(float*)", 2, 9'000, 4'000, 5'000, 0.95, true},
               {"other(float*)", 1, 500, 500, 500, 0.05, false}};
  p.memory = {{"copy pageable to device", 2, 3000, 1000, 2000, 1000, 400, 600}};
  p.layers = {{"conv1",
               {{"B", 2}, {"M", 3}, {"C", 1}, {"H", 6}, {"W", 6}, {"K", 3}, {"S", 1}},
               9'000,
               2,
               500,
               1,
               1e9,
               2e9}};
  p.ceilings = ProfileCeilings{4e9, 8e9};
  return p;
}

std::string text_of(const ProfileReport& profile) {
  Grade grade = test::passed_grade();
  grade.stages[0].device = Device::cuda;
  grade.stages[0].cases[0].profile = profile;
  return profile_text(grade, Audience::student, {.unicode = true, .width = 120});
}

TEST(ProfileTables, TextShowsSharesAndWhatIsOutside) {
  const std::string text = text_of(small());
  EXPECT_THAT(text, HasSubstr("1 of 2 names, marked with *, take 95.0 % of the time."));
  EXPECT_THAT(text, HasSubstr("1 in 500 ns"));
  EXPECT_THAT(text, HasSubstr("1.00 GFLOP/s (25.0 %)"));
  EXPECT_THAT(text, HasSubstr("2.00 GB/s (25.0 %)"));
  EXPECT_THAT(text, HasSubstr("3.00 GB/s"));  // 3000 bytes in 1000 ns
  EXPECT_THAT(text, HasSubstr("4.50 µs"));    // the average
}

TEST(ProfileTables, WithoutTimesThereAreNoColumnsForThem) {
  ProfileReport p = small();
  p.timed = false;
  p.source = "the emulated device";
  p.memory.clear();
  p.launches = {{{.name = "conv", .grid = {7, 2, 1}}, "conv", 2}};
  const std::string text = text_of(p);
  EXPECT_THAT(text, HasSubstr("need a GPU"));
  for (const char* empty : {"limited by", "blocks/SM"}) EXPECT_THAT(text, Not(HasSubstr(empty)));
  EXPECT_THAT(text, HasSubstr("grid"));
  EXPECT_THAT(text, HasSubstr("  call      2   7x2")) << "a task's call need not be a convolution";
  EXPECT_THAT(text, Not(HasSubstr("FLOP/s (")));
  EXPECT_THAT(text, Not(HasSubstr("avg")));
}

TEST(ProfileTables, CountsHaveThreeDigitsAndColumnsALegend) {
  ProfileReport p = small();
  p.timed = false;
  p.counted_layers = {{.layer = "conv1", .shape = {{"B", 3}, {"M", 4}}}};
  p.counts = {{.name = "conv",
               .step = "conv",
               .launches = 1,
               .of_float = {.fused = 10'875'648},
               .threads = 9'999,
               .accesses = {{.space = "global",
                             .use = "load",
                             .file = "a.cu",
                             .line = 3,
                             .requests = 479'808,
                             .lanes = 10'888'000,
                             .sectors = 815'674,
                             .least_sectors = 479'808}}}};
  const std::string text = text_of(p);
  for (const char* part : {" 9999 ", "10.9 M", "480 k", "22.7", "1.70 (1.00)"})
    EXPECT_THAT(text, HasSubstr(part));
  for (const char* exact : {"10875648", "479808"}) EXPECT_THAT(text, Not(HasSubstr(exact)));
  EXPECT_THAT(text, HasSubstr("Counted for conv1 with B=3 M=4."));
  EXPECT_THAT(text, HasSubstr("requests: loads and stores of warps."));
  EXPECT_THAT(text, HasSubstr("share: of all passes through the load and store units."));
  EXPECT_THAT(text, Not(HasSubstr("occupancy:"))) << "there is no such column";
  EXPECT_THAT(text, Not(HasSubstr("passes: turns"))) << "nor this one";
}

TEST(ProfileTables, APageHasEachLineOfTheSource) {
  Grade grade = test::passed_grade();
  grade.stages[0].device = Device::cuda;
  ProfileReport p = small();
  p.sources = {{"a.cu", "int first;\n\n  int third;\x1b\nint z;"}};
  grade.stages[0].cases[0].profile = p;
  const std::string html = html_report(grade, Audience::student);
  for (const char* part : {"<code>int first;</code>", "<code>  int third;\\x1b</code>",
                           "<td class=\"soft\">3</td>", "<code>int z;</code>"})
    EXPECT_THAT(html, HasSubstr(part));
}

/// A report whose table of accesses has `lines` rows, in a file of this name.
Grade with_accesses(int lines, const std::string& file) {
  Grade grade = test::passed_grade();
  grade.stages[0].device = Device::cuda;
  ProfileReport profile = small();
  ProfileCountRow row;
  row.name = "conv";
  row.step = "conv";
  row.launches = 1;
  profile.counted_layers = {{.layer = "conv1", .shape = {{"B", 3}}}};
  for (int i = 0; i < lines; ++i) {
    ProfileAccessRow access;
    access.file = file;
    access.line = 100 + i;
    access.space = "global";
    access.use = "load";
    access.requests = 1000;
    access.lanes = 32000;
    access.sectors = 8000;
    access.least_sectors = 4000;
    access.wavefronts = 2000;
    access.least_wavefronts = 1000;
    row.accesses.push_back(access);
  }
  profile.counts = {row};
  grade.stages[0].cases[0].profile = profile;
  return grade;
}

TEST(ProfileTables, ALegendExplainsTheColumnsThatAreShown) {
  const auto text = [](int width) {
    return profile_text(with_accesses(20, "new-forward.cu"), Audience::student,
                        {.unicode = true, .width = width});
  };
  EXPECT_THAT(text(160), testing::AllOf(HasSubstr("lanes: threads of a warp"),
                                        HasSubstr("sectors: of 32 bytes")));
  const std::string narrow = text(80);
  EXPECT_THAT(narrow,
              testing::AllOf(Not(HasSubstr("lanes: threads of a warp")),
                             HasSubstr("sectors: of 32 bytes"), HasSubstr("new-forward.cu:119")));
  EXPECT_THAT(narrow, Not(HasSubstr("access: global load"))) << "one line each, no lists";
}

TEST(ProfileTables, ListsOfAccessesAreFolded) {
  const std::string name = std::string(60, 'n') + ".cu";
  const std::string text =
      profile_text(with_accesses(20, name), Audience::student, {.unicode = true, .width = 80});
  EXPECT_THAT(text, testing::AllOf(HasSubstr("[15 more in a wider window, or with --html]"),
                                   HasSubstr(name + ":104"), Not(HasSubstr(name + ":105"))));
  const std::string few =
      profile_text(with_accesses(5, name), Audience::student, {.unicode = true, .width = 80});
  EXPECT_THAT(few, Not(HasSubstr("more in a wider")));
}

TEST(ProfileTables, AComparisonRoundsAndIsOnThePageToo) {
  const auto with = [](std::int64_t bytes, const std::string& name) {
    Grade grade = with_accesses(1, "new-forward.cu");
    grade.submission = name;
    grade.stages[0].cases[0].profile->counts[0].accesses[0].bytes = bytes;
    return grade;
  };
  const Grade before = with(123'456'789, "old"), after = with(9'876, "new");
  const std::string text = profile_comparison(before, after, Audience::student, {.width = 100});
  EXPECT_THAT(text, testing::AllOf(HasSubstr("123 M"), HasSubstr("9876"), HasSubstr("-100.0 %"),
                                   Not(HasSubstr("123456789"))));
  const std::string page = html_report(after, Audience::student, {}, &before);
  EXPECT_THAT(page, testing::AllOf(HasSubstr("Compared with old"), HasSubstr("123 M"),
                                   HasSubstr("-100.0 %")));
  EXPECT_THAT(html_report(after, Audience::student), Not(HasSubstr("Compared with")));
  EXPECT_EQ(rounded_count(9'999), "9999");
  EXPECT_EQ(rounded_count(0.25), "0.25");
}

TEST(ProfileTables, AProblemIsSaid) {
  ProfileReport p;
  p.problem = "there is no libcupti in the sandbox";
  EXPECT_THAT(text_of(p), HasSubstr("Not complete: there is no libcupti in the sandbox."));
}

TEST(ProfileTables, AHiddenCasesProfileIsForStaff) {
  Grade grade = test::passed_grade();
  grade.stages[0].device = Device::cuda;
  grade.stages[0].cases[0].profile = small();
  grade.stages[0].cases[0].hidden = true;
  EXPECT_THAT(profile_text(grade, Audience::student, {}), Not(HasSubstr("conv1")));
  EXPECT_THAT(html_report(grade, Audience::student), Not(HasSubstr("Roofline")));
  EXPECT_THAT(html_report(grade, Audience::staff), HasSubstr("Roofline"));
}

TEST(ProfileTables, RooflineStaysInsideItsDrawingForAnyNumbers) {
  for (const double scale : {1e-12, 1.0, 1e12}) {
    Grade grade = test::passed_grade();
    ProfileReport p = small();
    p.layers[0].flops_per_second = 1e9 * scale;
    grade.stages[0].cases[0].profile = p;
    const std::string html = html_report(grade, Audience::staff);
    EXPECT_THAT(html, HasSubstr("<circle"));
    EXPECT_THAT(html, Not(HasSubstr("nan")));
    EXPECT_THAT(html, Not(HasSubstr("inf\"")));
  }
}

}  // namespace
}  // namespace opgrade::report
