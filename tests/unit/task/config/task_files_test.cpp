// A config of a task's folder, read from another file and taken to another place.
#include "grader/task/config/task_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/load.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct Course {
  TempDir place{"opgrade-task-files-"};

  Course() {
    write("labs/scale/task.yaml", R"(opgrade: 1
name: scale
title: Scaled array
task:
  function: void scale(const float* x, float* y, int n)
  sizes: {n: {to: 1000}}
  buffers: {x: {extents: [n]}, y: {extents: [n]}}
stages:
  - {name: cpu, device: cpu, random_shapes: {count: 5, points: 10}}
)");
    // Another in each test: a task that is known keeps its folder.
    write("labs/scale/reference.cpp", "// " + place.path().string());
    write("labs/scale/generate.cpp", "// one");
    write("labs/scale/solution/scale.cc", "// one");
    write("labs/scale/statement.md", "# Scale");
    write("labs/scale/submissions/passed/a/scale.cc", "// one");
    write("labs/scale/template/scale.cc", "// one");
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((place.path() / name).parent_path());
    std::ofstream(place.path() / name) << text;
  }
  Config load(const std::string& name) const {
    const auto loaded = load_config(place.path() / name);
    EXPECT_TRUE(loaded.problems.empty()) << to_text(loaded.problems);
    return loaded.config;
  }
};

TEST(TaskFiles, AllButWhatIsForReadersDecides) {
  const Course course;
  EXPECT_THAT(deciding_files(course.place.path() / "labs/scale"),
              ElementsAre("generate.cpp", "reference.cpp", "solution/scale.cc"));
  const Config first = course.load("labs/scale");
  course.write("labs/scale/statement.md", "# Another");
  course.write("labs/scale/submissions/passed/a/scale.cc", "// two");
  EXPECT_EQ(dump_config(course.load("labs/scale")), dump_config(first));
  course.write("labs/scale/generate.cpp", "// two");
  EXPECT_NE(dump_config(course.load("labs/scale")), dump_config(first));
}

TEST(TaskFiles, AConfigNamesTheFolderOrExtendsIt) {
  const Course course;
  course.write("named.yaml",
               "opgrade: 1\nname: week5\ntask: labs/scale\nstages:\n"
               "  - {name: cpu, device: cpu, random_shapes: {count: 2, points: 1}}\n");
  course.write("extended.yaml", "extends: labs/scale\nopgrade: 1\nname: week6\npass_mark: 5\n");
  const Config folder = course.load("labs/scale");
  for (const char* name : {"named.yaml", "extended.yaml"}) {
    const Config config = course.load(name);
    EXPECT_EQ(config.interface, folder.interface) << name;
    EXPECT_EQ(interface_of(config).cpu_source, "scale.cc") << name;
  }
  EXPECT_EQ(course.load("extended.yaml").name, "week6");
  EXPECT_EQ(course.load("extended.yaml").stages.size(), 1U);
}

TEST(TaskFiles, AFormIsTheSameHoweverItsPathIsWritten) {
  const Course course;
  course.write("labs/scale/quick.yaml", "extends: task.yaml\nopgrade: 1\nname: quick\n");
  fs::create_directory_symlink("labs/scale", course.place.path() / "link");
  for (const char* path :
       {"labs/scale/quick.yaml", "labs/../labs/scale/quick.yaml", "labs/./scale/quick.yaml",
        "labs//scale/quick.yaml", "link/quick.yaml", "labs/scale/../scale/./quick.yaml"})
    EXPECT_EQ(interface_of(course.load(path)).cpu_source, "quick.cc") << path;
}

TEST(TaskFiles, AWrongPathHasOneClearComplaint) {
  const Course course;
  course.write("none.yaml", "opgrade: 1\nname: x\ntask: labs/none\nstages: []\n");
  EXPECT_THAT(to_text(load_config(course.place.path() / "none.yaml").problems),
              testing::AllOf(HasSubstr("none.yaml:3:"), HasSubstr("labs/none/task.yaml")));
  course.write("self.yaml", "opgrade: 1\nname: x\ntask: circle\nstages: []\n");
  course.write("circle/task.yaml", "opgrade: 1\nname: x\ntask: ../circle\nstages: []\n");
  EXPECT_THAT(to_text(load_config(course.place.path() / "self.yaml").problems),
              HasSubstr("which has no mapping 'task'"));
}

TEST(TaskFiles, ACopyOfWhatTravelsIsTheSameConfig) {
  const Course course;
  course.write("labs/scale/quick.yaml", "extends: task.yaml\nopgrade: 1\nname: quick\n");
  for (const char* form : {"task.yaml", "quick.yaml"}) {
    const Config config = course.load(std::string("labs/scale/") + form);
    fs::remove_all(course.place.path() / "bundle");
    for (const auto& [name, source] : travelling_files(config, "bundle/task")) {
      fs::create_directories((course.place.path() / name).parent_path());
      fs::copy_file(source, course.place.path() / name);
    }
    course.write("bundle/config.yaml", dump_config_beside(config, "./task"));
    EXPECT_EQ(dump_config(course.load("bundle/config.yaml")), dump_config(config)) << form;
  }
}

}  // namespace
}  // namespace opgrade
