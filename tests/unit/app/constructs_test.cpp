#include "grader/app/constructs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/core/temp_dir.hpp"
#include "grader/report/reason_words.hpp"
#include "grader/score/score_stage.hpp"
#include "tests/unit/build/compile_fixture.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using Files = std::vector<std::pair<std::string, std::string>>;

/// With the real preprocessors, in the real sandbox.
class Constructs : public test::Compile {
 protected:
  /// Why the files break the rule in a stage that compiles a.cu; "" where they keep it.
  std::string broken(const ConstructConfig& construct, const Files& files,
                     Device device = Device::emulated) {
    StageConfig stage;
    stage.constructs = {construct};
    TakenFiles taken;
    for (const auto& [name, bytes] : files) taken.files.push_back({name, bytes});
    const std::string source = files.front().first;
    folder.emplace("opgrade-test-");
    sandbox->hand_over(folder->path());
    const CompileJob job{find_interface("minidnn-3"), device, {source}, flags, {}, taken, limits};
    const auto read = preprocess(job, {tokens_of(construct)}, tools, *sandbox, folder->path());
    if (!read) {
      EXPECT_EQ(read.error().outcome, Outcome::build_failed);
      return report::sentence_of(read.error().reason) + "\n" + read.error().compiler_output;
    }
    const auto all = broken_constructs(stage, job.sources, *read);
    return all.front() ? report::sentence_of(*all.front()) : "";
  }

  const ConstructConfig shared{.required = "__shared__"}, omp{.required = "#pragma omp"};
  const ConstructConfig no_cub{.forbidden = "cub::"}, no_add{.forbidden = "atomicAdd"};
};

TEST_F(Constructs, ARequiredOneMustBeInTheCode) {
  EXPECT_EQ(broken(shared, {{"a.cu", "__shared__ float tile[4];"}}), "");
  EXPECT_EQ(broken(shared, {{"a.cu", "#define TILE __shared__ float\nTILE tile[4];"}}), "");
  EXPECT_EQ(broken(shared, {{"a.cu", "#include \"t.h\""}, {"t.h", "__shared__ int x;"}}), "");
  EXPECT_EQ(broken(omp, {{"a.cc", "void f() {\n#pragma omp parallel\n{}}"}}, Device::cpu), "");
  EXPECT_EQ(broken(omp, {{"a.cc", "void f() { _Pragma(\"omp parallel\") {} }"}}, Device::cpu), "");
}

TEST_F(Constructs, ARequiredOneCannotBePretended) {
  for (const char* text :
       {"// __shared__", "/*\n__shared__ */", "f(\"__shared__\");", "int my__shared__;",
        "// \\\n__shared__ int x;", "// \\ \n__shared__ int x;",
        "#if 0 && 1\n__shared__ int x;\n#endif", "#define UNUSED __shared__ int x;",
        "#define __shared__\n__shared__ int x;", "auto x = R\"(\n__shared__)\";",
        "#if 0\n__shared__ int x;\n#endif", "int x;\n#define __shared__ int\n"})
    EXPECT_THAT(broken(shared, {{"a.cu", text}}), HasSubstr("no __shared__ in a.cu")) << text;
}

TEST_F(Constructs, AForbiddenOneIsNamedWithItsLine) {
  EXPECT_EQ(broken(no_cub, {{"a.cu", "int cub = 1; // cub::Sum\n"}}), "");
  EXPECT_THAT(broken(no_cub, {{"a.cu", "\n\ncub :: Sum s;"}}), HasSubstr("a.cu:3: cub::"));
  EXPECT_EQ(broken(no_add, {{"a.cu", "atomicAdd_block(p, 1);"}}), "");
  EXPECT_THAT(broken(no_add, {{"a.cu", "\n#include \"t.h\""}, {"t.h", "\natomicAdd(p, 1);"}}),
              HasSubstr("t.h:2"));
}

TEST_F(Constructs, AForbiddenOneCannotBeHidden) {
  for (const char* text :
       {"#if 0 || 1\natomicAdd(p, 1);\n#endif", "double x = 1.e1'0; char c = 'a'; atomicAdd(p, 1);",
        "#define ADD(p) atomic##Add(p, 1)\nADD(p);", "ato\\\nmicAdd(p, 1);",
        "# 1 \"/usr/include/stdio.h\" 1 3\natomicAdd(p, 1);",
        "# /**/ 1 \"/usr/include/stdio.h\" 3\natomicAdd(p, 1);",
        "#line 1 \"/usr/include/stdio.h\"\natomicAdd(p, 1);",
        "#li\\\nne 1 \"/usr/include/stdio.h\"\natomicAdd(p, 1);",
        "%: 1 \"/usr/include/stdio.h\"\natomicAdd(p, 1);",
        "%\\\n: 1 \"/usr/include/stdio.h\"\natomicAdd(p, 1);",
        "atomicAdd(p, 1);\n#define atomicAdd no\n", "#define other(x) #x\natomicAdd(p, other(1));"})
    EXPECT_THAT(broken(no_add, {{"a.cu", text}}), HasSubstr("atomicAdd")) << text;
  // A name that a header of the toolkit's turns into another.
  EXPECT_THAT(broken({.forbidden = "stdin"},
                     {{"a.cc",
                       "#define FILE_NAME\n#include <cstdio>\n#undef stdin\n"
                       "#define stdin standard_in\nint f() { return getc(stdin); }\n"}},
                     Device::cpu),
              HasSubstr("a.cc:5"));
}

TEST_F(Constructs, NvccReadsASourceForTheHostAndForTheDevice) {
  OPGRADE_SKIP_UNLESS("nvcc", tools.cuda_root.has_value(), "no CUDA toolkit");
  EXPECT_EQ(
      broken(shared, {{"a.cu", "__global__ void k() { __shared__ int x[4]; }"}}, Device::cuda), "");
  for (const char* text : {"#ifdef __CUDA_ARCH__\natomicAdd(p, 1);\n#endif",
                           "#ifndef __CUDA_ARCH__\natomicAdd(p, 1);\n#endif"})
    EXPECT_THAT(broken(no_add, {{"a.cu", text}}, Device::cuda), HasSubstr("a.cu:2")) << text;
}

TEST_F(Constructs, SourcesBesideCountWhereTheyMayBeBuilt) {
  EXPECT_EQ(broken(no_add, {{"a.cu", ""}, {"t.h", "atomicAdd(p, 1);"}}), "");
  EXPECT_THAT(broken(no_add, {{"a.cu", ""}, {"b.cu", "atomicAdd(p, 1);"}}), HasSubstr("b.cu:1"));
  EXPECT_EQ(broken(no_add, {{"a.cu", ""}, {"b.cu", "#error\natomicAdd(p, 1);"}}), "");
  EXPECT_THAT(broken(no_add, {{"a.cu", "#include \"missing.h\"\natomicAdd(p, 1);"}}),
              testing::AllOf(HasSubstr("the preprocessor refused it"), HasSubstr("missing.h")));
}

// The compiler's own reading may differ from this one: that is the source's doing, and no fault.
TEST_F(Constructs, WhatThePreprocessorAloneRefusesIsTheSourcesOwn) {
  for (const char* text : {"#if '#' != 35\n#error only here\n#endif", "#error Cannot fork",
                           "#error Resource temporarily unavailable"})
    EXPECT_THAT(broken(no_add, {{"a.cu", text}}),
                testing::AllOf(HasSubstr("the preprocessor refused it"), HasSubstr("#error")))
        << text;
}

TEST_F(Constructs, MacrosThatDoubleAreTooLong) {
  std::string text = "#define M0 x x\n";
  for (int i = 1; i < 21; ++i) text += fmt::format("#define M{0} M{1} M{1}\n", i, i - 1);
  EXPECT_THAT(broken(no_add, {{"a.cu", text + "M20"}}), HasSubstr("too long to be searched"));
  EXPECT_EQ(broken(no_add, {{"a.cu", text + "M9"}}), "");
}

TEST_F(Constructs, BlankLinesInFrontAreRead) {
  EXPECT_THAT(broken(no_add, {{"a.cu", std::string(900'000, '\n') + "atomicAdd(p, 1);"}}),
              HasSubstr("a.cu:900001"));
}

TEST(ScoreConstructs, PointsACaseOrTheStage) {
  StageConfig gpu{.name = "gpu", .device = Device::cuda};
  gpu.constructs = {{.required = "__shared__", .points = 3},
                    {.forbidden = "cub::", .case_name = "large"}};
  CaseConfig large;
  large.model = "large";
  large.points = 5;
  gpu.cases = {large};
  const Reason missing = why::ConstructMissing(), forbidden = why::ConstructForbidden();
  BrokenConstructs broken{missing, forbidden};
  StageReport report{.name = "gpu"};
  report.build.outcome = Outcome::passed;
  CaseReport c;
  c.id = "gpu/large";
  c.model = "large";
  c.outcome = Outcome::passed;
  report.cases = {c};
  score_stage(gpu, report, true, {});
  EXPECT_FALSE(refused_construct(gpu, broken));
  score_constructs(gpu, broken, report);
  EXPECT_EQ(report.cases[0].points[0].points, 0);
  EXPECT_TRUE(report.cases[0].points[0].reason.is<why::ConstructForbidden>());
  ASSERT_EQ(report.points.size(), 1u);
  EXPECT_EQ(report.points[0].points, 0);
  EXPECT_EQ(report.points[0].max_points, 3);
  gpu.constructs.push_back({.forbidden = "Sum"});
  broken.emplace_back(forbidden);
  EXPECT_TRUE(refused_construct(gpu, broken));
}

}  // namespace
}  // namespace opgrade
