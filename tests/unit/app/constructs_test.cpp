#include "grader/app/constructs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/report/reason_words.hpp"
#include "grader/score/score_stage.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;

/// A CPU stage that compiles a.cc and a GPU stage that compiles a.cu.
Config two_stages() {
  StageConfig cpu{.name = "cpu"}, gpu{.name = "gpu", .device = Device::cuda};
  cpu.sources = {"a.cc"};
  gpu.sources = {"a.cu"};
  Config config;
  config.stages = {cpu, gpu};
  return config;
}

std::string broken(const ConstructConfig& construct,
                   const std::vector<std::pair<std::string, std::string>>& files) {
  const Config config = two_stages();
  TakenFiles taken;
  for (const auto& [name, bytes] : files) taken.files.push_back({name, bytes});
  const auto why = broken_construct(config, config.stages[1], construct, taken);
  return why ? report::sentence_of(*why) : "";
}

const ConstructConfig kShared{.required = "__shared__"};
const ConstructConfig kNoCub{.forbidden = "cub::"};
const ConstructConfig kNoAdd{.forbidden = "atomicAdd"};

TEST(Constructs, ARequiredOneMustStandInTheCode) {
  EXPECT_EQ(broken(kShared, {{"a.cu", "__shared__ float tile[4];"}}), "");
  EXPECT_EQ(broken(kShared, {{"a.cu", "#include \"t.h\""}, {"t.h", "__shared__ int x;"}}), "");
  for (const char* text : {"// __shared__", "f(\"__shared__\");", "int my__shared__;",
                           "#if 0\n__shared__ int x;\n#endif"})
    EXPECT_THAT(broken(kShared, {{"a.cu", text}}), HasSubstr("no __shared__ in a.cu")) << text;
}

TEST(Constructs, AForbiddenOneIsNamedWithItsLine) {
  EXPECT_EQ(broken(kNoCub, {{"a.cu", "int cub = 1; // cub::Sum\n"}}), "");
  EXPECT_THAT(broken(kNoCub, {{"a.cu", "\n\ncub :: Sum s;"}}), HasSubstr("a.cu:3: cub::"));
  EXPECT_EQ(broken(kNoAdd, {{"a.cu", "atomicAdd_block(p, 1);"}}), "");
}

TEST(Constructs, AMacrosBodyCounts) {
  EXPECT_THAT(broken(kNoAdd, {{"a.cu", "#define ADD(p) \\\n  atomicAdd(p, 1)\n"}}),
              HasSubstr("a.cu:2"));
}

TEST(Constructs, SourcesOfOtherStagesCountWhereTheyAreIncluded) {
  EXPECT_EQ(broken(kNoAdd, {{"a.cu", ""}, {"a.cc", "atomicAdd(p, 1);"}}), "");
  EXPECT_THAT(broken(kNoAdd, {{"a.cu", "#include \"a.cc\""}, {"a.cc", "atomicAdd(p, 1);"}}),
              HasSubstr("a.cc:1"));
}

TEST(Constructs, PointsACaseOrTheStage) {
  Config config = two_stages();
  StageConfig& gpu = config.stages[1];
  gpu.constructs = {{.required = "__shared__", .points = 3},
                    {.forbidden = "cub::", .case_name = "large"}};
  CaseConfig large;
  large.model = "large";
  large.points = 5;
  gpu.cases = {large};
  TakenFiles files;
  files.files = {{"a.cu", "cub::Sum s;"}};
  StageReport report{.name = "gpu"};
  report.build.outcome = Outcome::passed;
  CaseReport c;
  c.id = "gpu/large";
  c.model = "large";
  c.outcome = Outcome::passed;
  report.cases = {c};
  score_stage(gpu, report, true, {});
  EXPECT_FALSE(refused_construct(config, gpu, files));
  score_constructs(config, gpu, files, report);
  EXPECT_EQ(report.cases[0].points[0].points, 0);
  EXPECT_EQ(report.cases[0].points[0].reason.kind, Reason::Kind::construct_forbidden);
  ASSERT_EQ(report.points.size(), 1u);
  EXPECT_EQ(report.points[0].points, 0);
  EXPECT_EQ(report.points[0].max_points, 3);
  gpu.constructs.push_back({.forbidden = "Sum"});
  EXPECT_TRUE(refused_construct(config, gpu, files));
}

}  // namespace
}  // namespace opgrade
