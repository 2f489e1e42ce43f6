#include "grader/task/config/extends.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/task/config/load.hpp"
#include "tests/unit/task/config/good_config.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;

constexpr const char* kTermBase = R"(opgrade: 1
name: base
models:
  m: {network: n, weights: w}
  other: {network: n2, weights: w2}
timing: {repetitions: 5, full_warmups: 4}
stages:
  - name: cpu
    device: cpu
    cases:
      - {model: m, batch: 10, points: 5}
  - name: gpu
    title: Original
    device: cuda
    tolerance: 2e-3
    cases:
      - {model: m, batch: 100, points: 7}
ranking: {stage: gpu, model: m, batch: 100, rule: deviations, points: 3}
)";

class Extends : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto file = dir.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }
  /// The problems of `text` as own.yaml, without the folder.
  std::string problems_of(const std::string& text) {
    std::string all = to_text(load_config(write("own.yaml", text)).problems);
    const std::string folder = dir.path().string() + "/";
    for (auto at = all.find(folder); at != all.npos; at = all.find(folder)) {
      all.erase(at, folder.size());
    }
    return all;
  }
  LoadedConfig load(const std::string& text) { return load_config(write("own.yaml", text)); }

  TempDir dir{"opgrade-test-"};
};

TEST_F(Extends, TakesWhatItDoesNotSay) {
  write("base.yaml", kTermBase);
  const LoadedConfig own = load(R"(extends: base.yaml
name: own
timing: {repetitions: 7}
models: {m: {weights: mine}}
stages:
  - name: gpu
    cases:
      - {model: m, batch: 100, points: 9}
      - {model: other, batch: 3, points: 1}
  - name: last
    device: cpu
    cases: [{model: m, batch: 1}]
)");
  ASSERT_EQ(to_text(own.problems), "");
  const Config& c = own.config;
  EXPECT_EQ(c.name, "own");
  EXPECT_EQ(c.models.at("m").network, "n");
  EXPECT_EQ(c.models.at("m").weights, "mine");
  EXPECT_EQ(c.models.at("other").weights, "w2");
  EXPECT_EQ(c.timing.repetitions, 7);
  EXPECT_EQ(c.timing.warm_ups, 4);
  ASSERT_EQ(c.stages.size(), 3u);
  EXPECT_EQ(c.stages[0].name, "cpu");
  EXPECT_EQ(c.stages[1].title, "Original");
  EXPECT_EQ(c.stages[1].tolerance, 2e-3);
  ASSERT_EQ(c.stages[1].cases.size(), 2u) << "a list is replaced as a whole";
  EXPECT_EQ(c.stages[1].cases[0].points, 9);
  EXPECT_EQ(c.stages[2].name, "last");
  EXPECT_TRUE(c.ranking);
}

TEST_F(Extends, AnOldNameOfAKeyIsTheSameKey) {
  write("base.yaml", std::string(kTermBase));
  write("old.yaml", "extends: base.yaml\ntiming: {warm_ups: 7}\n");
  EXPECT_EQ(load("extends: old.yaml\ntiming: {full_warmups: 3}\n").config.timing.warm_ups, 3);
  write("new.yaml", "extends: base.yaml\ntiming: {full_warmups: 7}\n");
  const LoadedConfig own = load("extends: new.yaml\ntiming: {warm_ups: 3}\n");
  EXPECT_EQ(own.config.timing.warm_ups, 3);
  ASSERT_EQ(own.notes.size(), 1U);
  EXPECT_EQ(own.notes[0].line, 2);
}

TEST_F(Extends, TheEffectiveConfigHasNoTraceOfTheFiles) {
  write("base.yaml", kTermBase);
  std::string whole = kTermBase;
  whole.replace(whole.find("name: base"), 10, "name: own");
  EXPECT_EQ(dump_config(load("extends: base.yaml\nname: own\n").config),
            dump_config(parse_config(whole, "whole.yaml").config));
}

TEST_F(Extends, AnEmptyValueTakesAKeyAway) {
  write("base.yaml", kTermBase);
  const LoadedConfig own =
      load("extends: base.yaml\nranking: ~\nstages: [{name: gpu, title: ~}]\n");
  ASSERT_EQ(to_text(own.problems), "");
  EXPECT_FALSE(own.config.ranking);
  EXPECT_EQ(own.config.stages[1].title, "gpu");
}

TEST_F(Extends, OnlyTheNamedStagesStay) {
  write("base.yaml", kTermBase);
  const LoadedConfig cpu = load("extends: base.yaml\nname: own\nonly: [cpu]\n");
  ASSERT_EQ(to_text(cpu.problems), "");
  ASSERT_EQ(cpu.config.stages.size(), 1u);
  EXPECT_EQ(cpu.config.stages[0].name, "cpu");
  EXPECT_FALSE(cpu.config.ranking) << "of a stage that is gone";
  EXPECT_THAT(dump_config(cpu.config), Not(HasSubstr("only")));
  write("gpu.yaml", "extends: base.yaml\nonly: [gpu]\n");
  const LoadedConfig gpu = load("extends: gpu.yaml\nstages: [{name: gpu, tittle: own}]\n");
  EXPECT_EQ(gpu.config.stages.size(), 1u) << "what the base removed stays removed";
  EXPECT_TRUE(gpu.config.ranking);
  EXPECT_THAT(to_text(gpu.problems), HasSubstr("own.yaml:2:22: unknown key 'tittle'"));
  EXPECT_THAT(problems_of("extends: base.yaml\nonly: [cpu, gpus]\n"),
              HasSubstr("own.yaml:2:13: 'only' names no stage of this config; they are cpu, gpu"));
  EXPECT_THAT(problems_of("extends: base.yaml\nonly: cpu\n"),
              HasSubstr("own.yaml:2:7: 'only' must be a list of stages"));
}

TEST_F(Extends, AnEmptyValueOfAKeyThatTheBaseLacksIsNoKey) {
  write("base.yaml", std::string(test::kGoodConfig));
  const LoadedConfig own = load(
      "extends: base.yaml\nmodels: ~\nstages: [{name: cpu, random_batches: ~, op_times: ~, cases: "
      "~,"
      " fixed_shapes: ~, open_items: ~, flags: ~, random_shapes: {count: 1, points: 5}}]\n");
  EXPECT_EQ(to_text(own.problems), "");
  const LoadedConfig alone = parse_config(
      test::with("    cases:\n      - {model: m, batch: 10, points: 5}\n",
                 "    cases: ~\n    op_times: ~\n    flags: ~\n    random_shapes: {count: 1}\n"),
      "c.yaml");
  EXPECT_EQ(to_text(alone.problems), "");
  EXPECT_THAT(alone.config.stages.at(0).flags, testing::ElementsAre("-O3"));
}

TEST_F(Extends, TakesOneOfOpgradesOwnByItsName) {
  write("share/configs/self-check.yaml", kTermBase);
  write("share/configs/terms/2026sp.yaml", "extends: ../self-check.yaml\nname: 2026sp\n");
  ::setenv("OPGRADE_SHARE", (dir.path() / "share").c_str(), 1);
  EXPECT_EQ(problems_of("extends: self-check\n"), "");
  EXPECT_EQ(load("extends: 2026sp\n").config.name, "2026sp");
  EXPECT_EQ(problems_of("extends: self-chekc\n"),
            "own.yaml:1:10: 'extends' names self-chekc: there is no such file, nor has opgrade a "
            "config of that name; did you mean 'self-check'?\n");
  write("self-check", "extends: 2026sp\nname: file\n");
  EXPECT_EQ(load("extends: self-check\n").config.name, "file") << "a file comes first";
  ::unsetenv("OPGRADE_SHARE");
}

TEST_F(Extends, GoesOverSeveralFilesAndFolders) {
  write("deep/base.yaml", kTermBase);
  write("deep/middle.yaml", "extends: base.yaml\nname: middle\ntiming: {full_warmups: 9}\n");
  const LoadedConfig own = load("extends: deep/middle.yaml\ntiming: {repetitions: 2}\n");
  ASSERT_EQ(to_text(own.problems), "");
  EXPECT_EQ(own.config.name, "middle");
  EXPECT_EQ(own.config.timing.warm_ups, 9);
  EXPECT_EQ(own.config.timing.repetitions, 2);
}

TEST_F(Extends, PathsAreRelativeToTheFileThatHasThem) {
  std::string base = kTermBase;
  base.replace(base.find("weights: w}"), 11, "weights: ./w.h5}");
  base.replace(base.find("weights: w2}"), 12, "weights: /all/w2.h5}");
  write("deep/base.yaml", base);
  const Config c = load("extends: deep/base.yaml\nmodels: {m: {network: ./n.yaml}}\n").config;
  EXPECT_EQ(c.models.at("m").weights, "deep/w.h5");
  EXPECT_EQ(c.models.at("m").network, "./n.yaml");
  EXPECT_EQ(c.models.at("other").weights, "/all/w2.h5");
}

TEST_F(Extends, ProblemsNameTheFileTheyComeFrom) {
  std::string base = kTermBase;
  base.replace(base.find("full_warmups: 4"), 15, "abort_above: 300");
  base += "rankin: 1\n";
  write("base.yaml", base);
  EXPECT_EQ(problems_of("extends: base.yaml\npass_mark: -1\n"),
            "own.yaml:2:12: 'pass_mark' is -1, but must be at least 0\n"
            "base.yaml:6:39: 'abort_above' must be a time with its unit (500 ms, 10 s, 2 min), not "
            "'300'\n"
            "base.yaml:6:39: 'abort_above' needs 'full_warmups': it is about their first\n"
            "base.yaml:19:1: unknown key 'rankin' in the config; did you mean 'ranking'?\n");
}

TEST_F(Extends, ProblemsOfAMergedMappingNameTheOwnFile) {
  write("base.yaml", kTermBase);
  EXPECT_EQ(problems_of("extends: base.yaml\n\nstages:\n  - name: gpu\n    titel: x\n"
                        "  - name: new\n    device: cpu\n"),
            "own.yaml:5:5: unknown key 'titel' in a stage; did you mean 'title'?\n"
            "own.yaml:6:5: stage 'new' has nothing to run: give it cases or random_shapes, or name "
            "the other stages in 'only', at the top of the config\n");
  EXPECT_EQ(problems_of("extends: base.yaml\nname: a\nname: b\n"),
            "own.yaml:3:1: 'name' is given twice in the config\n");
}

TEST_F(Extends, ALoopIsRefused) {
  EXPECT_THAT(problems_of("extends: own.yaml\n"),
              HasSubstr("own.yaml:1:10: 'extends' comes back to own.yaml\n"));
  write("a.yaml", "extends: deep/b.yaml\n");
  write("deep/b.yaml", "name: b\nextends: ../own.yaml\n");
  EXPECT_EQ(problems_of("extends: a.yaml\n"),
            "deep/b.yaml:2:10: 'extends' comes back to own.yaml\n");
}

TEST_F(Extends, TooManyFilesAreRefused) {
  for (int i = 0; i < 40; ++i) {
    write("f" + std::to_string(i) + ".yaml", "extends: f" + std::to_string(i + 1) + ".yaml\n");
  }
  EXPECT_EQ(problems_of("extends: f0.yaml\n"),
            "f14.yaml:1:10: more than 16 configs extend each other\n");
}

TEST_F(Extends, AFileThatIsMissingOrBrokenIsNamed) {
  EXPECT_EQ(problems_of("extends: none.yaml\n"),
            "own.yaml:1:10: 'extends' names none.yaml: cannot be read; is the path right?\n");
  EXPECT_EQ(problems_of("extends: [a]\n"),
            "own.yaml:1:10: 'extends' must be the path of a config\n");
  write("broken.yaml", "a: [\n");
  EXPECT_THAT(problems_of("extends: broken.yaml\n"), testing::StartsWith("broken.yaml:1:4: "));
  write("list.yaml", "- a\n");
  EXPECT_EQ(problems_of("extends: list.yaml\n"),
            "list.yaml:1:1: the config must be a mapping of keys to values\n");
}

TEST_F(Extends, AnAliasedMappingIsNotChangedElsewhere) {
  write("base.yaml", kTermBase);
  const LoadedConfig own = load(R"(extends: base.yaml
timing: &few {repetitions: 1}
stages:
  - name: gpu
    cases: [{model: m, batch: 100, timing: *few}]
)");
  ASSERT_EQ(to_text(own.problems), "");
  EXPECT_EQ(own.config.stages[1].cases[0].timing->repetitions, 1);
}

}  // namespace
}  // namespace opgrade
