#include "grader/report/profile_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/report/html.hpp"
#include "grader/report/profile_text.hpp"
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
