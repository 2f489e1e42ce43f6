// Several exercises in one hand-in: a config has stages of several tasks.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/student_config.hpp"
#include "grader/task/config/student_files.hpp"
#include "grader/task/config/task_files.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string exercise_yaml(const std::string& name, const std::string& more = "") {
  return fmt::format(R"(opgrade: 1
name: {0}
title: The {0}
task:
  function: void {0}(const float* x, float* y, int n)
  sizes: {{n: {{to: 1000}}}}
  buffers: {{x: {{extents: [n]}}, y: {{extents: [n]}}}}
stages:
  - name: cpu
    device: cpu
    random_shapes: {{count: 5, points: 10}}
    cases: [{{name: large, sizes: {{n: 900}}, points: 5}}]
{1})",
                     name, more);
}

/// Tasks "scale" and "shift" in folders of their own.
struct Homework {
  TempDir place{"opgrade-exercises-"};

  Homework() {
    add_task("scale");
    add_task("shift");
  }
  void add_task(const std::string& name, const std::string& more = "") const {
    write(name + "/task.yaml", exercise_yaml(name, more));
    write(name + "/reference.cpp", "// " + place.path().string());
    write(name + "/solution/" + name + ".cc", "// right");
    write(name + "/statement.md", "# Write " + name + "\n");
    write(name + "/template/" + name + ".cc", "// begin");
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((place.path() / name).parent_path());
    std::ofstream(place.path() / name) << text;
  }
  LoadedConfig read(const std::string& more = "", const std::string& name = "hw.yaml") const {
    write(name, "opgrade: 1\nname: hw\ntitle: Homework\n" + more);
    return load_config(place.path() / name);
  }
  Config load(const std::string& more = "exercises: [scale, shift]\n") const {
    const auto loaded = read(more);
    EXPECT_EQ(to_text(loaded.problems), "");
    return loaded.config;
  }
};

std::vector<std::string> stage_names_of(const Config& config) {
  std::vector<std::string> names;
  for (const auto& stage : config.stages) names.push_back(stage.name);
  return names;
}

TEST(Exercises, TheirStagesAreThoseOfTheConfig) {
  const Homework homework;
  const Config config = homework.load();
  EXPECT_THAT(stage_names_of(config), ElementsAre("scale", "shift"));
  EXPECT_EQ(config.max_points(), 30);
  for (const StageConfig& stage : config.stages) {
    EXPECT_EQ(stage.title, "The " + stage.name);
    EXPECT_EQ(stage.folder, stage.name);
    EXPECT_EQ(interface_of(config, stage).cpu_source, stage.name + ".cc");
    EXPECT_EQ(folder_task_of(config, stage)->folder(), homework.place.path() / stage.name);
  }
  EXPECT_EQ(folder_tasks(config).size(), 2U);
}

TEST(Exercises, AConfigMayChangeStagesAndAddItsOwn) {
  const Homework homework;
  homework.add_task("blur",
                    "  - name: late\n    device: cpu\n    random_shapes: {count: 1, points: 2}\n");
  const Config config = homework.load(
      "exercises: [scale, blur]\n"
      "stages:\n"
      "  - {name: scale, random_shapes: {points: 40}}\n"
      "  - {name: mine, task: shift, folder: ., device: cpu, random_shapes: {count: 2, points: "
      "7}}\n");
  EXPECT_THAT(stage_names_of(config), ElementsAre("scale", "blur-cpu", "blur-late", "mine"));
  EXPECT_EQ(config.stages[0].random_shapes.count, 5);
  EXPECT_EQ(config.stages[0].random_shapes.points, 40);
  EXPECT_EQ(config.stages[1].task, config.stages[2].task) << "one task has one reference process";
  EXPECT_EQ(config.stages[2].folder, "blur");
  EXPECT_THAT(own_sources_of(config), ElementsAre("scale/scale.cc", "blur/blur.cc", "shift.cc"));
}

TEST(Exercises, AToleranceOfATaskIsItsStages) {
  const Homework homework;
  homework.write("scale/task.yaml", exercise_yaml("scale", "tolerance: 0.25\n"));
  const Config config = homework.load();
  EXPECT_EQ(config.stages[0].tolerance, 0.25);
  EXPECT_EQ(config.stages[1].tolerance, std::nullopt);
  EXPECT_EQ(config.tolerance, Config().tolerance);
}

TEST(Exercises, WhatHoldsForAllMustBeTheSameOrSaid) {
  const Homework homework;
  homework.write("scale/task.yaml", exercise_yaml("scale", "findings: decide\npass_mark: 9\n"));
  EXPECT_THAT(
      to_text(homework.read("exercises: [scale, shift]\n").problems),
      AllOf(HasSubstr("hw.yaml:4:"), HasSubstr("scale and shift have different 'findings'")));
  EXPECT_EQ(homework.load("findings: warn\nexercises: [scale, shift]\n").findings,
            FindingsRule::warn);
  homework.write("shift/task.yaml", exercise_yaml("shift", "findings: decide\n"));
  const Config same = homework.load();
  EXPECT_EQ(same.findings, FindingsRule::decide);
  EXPECT_EQ(same.pass_mark, 0) << "of the one task alone";
}

TEST(Exercises, MistakesHaveOneClearComplaint) {
  const Homework homework;
  homework.write("other/scale/task.yaml", exercise_yaml("scale"));
  homework.write("other/scale/reference.cpp", "// another");
  homework.write("plain.yaml", "opgrade: 1\nname: plain\nstages: []\n");
  const auto about = [&](const std::string& yaml) { return to_text(homework.read(yaml).problems); };
  EXPECT_THAT(about("exercises: scale\n"), HasSubstr("'exercises' must be a list"));
  EXPECT_THAT(about("exercises: []\n"), HasSubstr("'exercises' must be a list"));
  EXPECT_THAT(about("exercises: [none]\n"), HasSubstr("'exercises' names"));
  EXPECT_THAT(about("exercises: [plain.yaml]\n"), HasSubstr("which is no task"));
  EXPECT_THAT(about("exercises: [hw.yaml]\n"), HasSubstr("'exercises' comes back to"));
  EXPECT_THAT(about("exercises: [scale, other/scale]\n"),
              HasSubstr("two of the exercises are named 'scale'"));
  EXPECT_THAT(about("exercises: [scale, scale]\n"), HasSubstr("two stages are named 'scale'"));
  EXPECT_THAT(about("exercises: [scale]\nstages: [{name: x, task: {function: f}}]\n"),
              HasSubstr("'task' of a stage is the path of a task's folder"));
  EXPECT_THAT(about("exercises: [scale]\nstages: [{name: scale, folder: ../up}]\n"),
              HasSubstr("must lie inside the submission"));
  const std::string sizes = about(
      "stages:\n  - {name: x, task: scale, device: cpu, cases: [{name: c, sizes: {m: 1}}]}\n");
  EXPECT_THAT(sizes, AllOf(HasSubstr("hw.yaml:5:"), HasSubstr("'n'")));
}

TEST(Exercises, ADumpedConfigIsReadWithTheTasksThatItNames) {
  const Homework homework;
  const Config config = homework.load();
  const std::string kept = dump_config(config);
  const auto again = parse_config(kept, "kept", folder_tasks(config));
  EXPECT_EQ(to_text(again.problems), "");
  EXPECT_EQ(dump_config(again.config), kept);
  EXPECT_EQ(folder_tasks(again.config), folder_tasks(config));
  EXPECT_NE(to_text(parse_config(kept, "kept", {config.stages[0].task}).problems), "");
  homework.write("shift/reference.cpp", "// another");
  EXPECT_NE(dump_config(homework.load()), kept) << "the config names the state of each folder";
}

TEST(Exercises, ACopyOfWhatTravelsIsTheSame) {
  const Homework homework;
  const Config config = homework.load();
  for (const auto& [name, source] : travelling_files(config, "bundle/task")) {
    fs::create_directories((homework.place.path() / name).parent_path());
    fs::copy_file(source, homework.place.path() / name);
  }
  homework.write("bundle/config.yaml", dump_config_beside(config, "./task"));
  const auto there = load_config(homework.place.path() / "bundle/config.yaml");
  EXPECT_EQ(to_text(there.problems), "");
  EXPECT_EQ(dump_config(there.config), dump_config(config));
  homework.write("here.yaml", dump_config_in_place(config));
  EXPECT_EQ(dump_config(load_config(homework.place.path() / "here.yaml").config),
            dump_config(config));
}

TEST(Exercises, StudentsGetAFolderForEach) {
  const Homework homework;
  const Config config = homework.load();
  const auto files = starting_files(config);
  std::vector<std::string> names;
  for (const auto& [name, text] : files) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("README.md", "scale/README.md", "scale/scale.cc", "scale/scale.h",
                                 "shift/README.md", "shift/shift.cc", "shift/shift.h"));
  EXPECT_THAT(files.at("README.md"), AllOf(HasSubstr("# Homework"), HasSubstr("`scale/scale.cc`"),
                                           HasSubstr("| The shift | 15 |")));
  EXPECT_THAT(statement_of(config), AllOf(HasSubstr("# Write scale"), HasSubstr("# Write shift")));
  EXPECT_EQ(student_config(config), std::nullopt) << "it would need the references";
  // A config of one task stays as it was.
  const Config one = load_config(homework.place.path() / "scale").config;
  EXPECT_EQ(statement_of(one), "# Write scale\n");
  EXPECT_TRUE(starting_files(one).contains("scale.cc"));
}

}  // namespace
}  // namespace opgrade
