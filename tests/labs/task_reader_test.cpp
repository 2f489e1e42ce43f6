// What a lecturer's task.yaml may say, and one clear complaint for each mistake.
#include "grader/config/task_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "grader/config/load.hpp"
#include "grader/core/temp_dir.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kTask = R"(opgrade: 1
name: scale
task:
  function: void scale(const float* x, float* y, float a, int n)
  sizes:
    n: {to: 1000000}
  buffers:
    x: {extents: [n]}
    y: {extents: [n]}
    a: {values: constant(3)}
stages:
  - name: cpu
    device: cpu
    random_shapes: {count: 5, points: 10}
    cases:
      - {name: large, sizes: {n: 100000}, points: 5}
)";

struct Folder {
  TempDir place{"opgrade-task-test-"};

  explicit Folder(const std::string& yaml, const std::string& reference = "// none") {
    fs::create_directory(place.path() / "solution");
    write("task.yaml", yaml);
    write("reference.cpp", reference);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(place.path() / name) << text;
  }
  LoadedConfig load() const { return load_config(place.path()); }
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(TaskReader, AFolderIsAConfig) {
  const Folder folder(kTask);
  const auto loaded = folder.load();
  ASSERT_TRUE(loaded.problems.empty()) << to_text(loaded.problems);
  const Interface& interface = find_interface(loaded.config.interface);
  EXPECT_EQ(interface.cpu_source, "scale.cc");
  EXPECT_EQ(task_of(interface).folder(), fs::absolute(folder.place.path()));
  EXPECT_EQ(loaded.config.stages[0].cases[0].sizes, (Coordinates{{"n", 100000}}));
}

TEST(TaskReader, TheInterfaceNamesTheStateOfTheFolder) {
  const Folder folder(kTask);
  const auto first = folder.load().config.interface;
  EXPECT_EQ(folder.load().config.interface, first);
  folder.write("reference.cpp", "// another");
  const auto second = folder.load().config.interface;
  EXPECT_NE(second, first);
  folder.write("solution/scale.cc", "int x;");
  EXPECT_NE(folder.load().config.interface, second);
  EXPECT_EQ(find_interface(first).id, first) << "a grading under way keeps its task";
}

TEST(TaskReader, NamesEachMistake) {
  for (const auto& [from, to, why] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"name: scale\n", "name: 'a b'\n", "'name' of a task names files"},
           {"name: scale\n", "name: ../x\n", "'name' of a task names files"},
           {"void scale(", "int scale(", "must read as"},
           {"const float* x", "const half* x", "the type 'half'; known are float"},
           {"int n)", "int n, int m)", "'m' is neither one of `sizes` nor one of `buffers`"},
           {"float a, int n)", "float a, int a, int n)", "two parameters are named 'a'"},
           {"    n: {to: 1000000}", "    n: {from: 5, to: 2}", "from 5 to 2"},
           {"    n: {to: 1000000}", "    n: {to: 2000000000}", "'to'"},
           {"    n: {to: 1000000}", "    n: {from: 0, to: 5}", "'from'"},
           {"    n: {to: 1000000}", "    n: {}", "to"},
           {"    n: {to: 1000000}", "    n: {to: 10, step: 2}", "'step'"},
           {"    n: {to: 1000000}", "    n: {to: 1000000}\n    m: {to: 3}",
            "the size 'm' is no parameter"},
           {"x: {extents: [n]}", "x: {extents: [m]}", "'m' is no size"},
           {"x: {extents: [n]}", "x: {extents: [n / 0]}", "division by zero"},
           {"x: {extents: [n]}", "x: {extents: [n - 5]}", "at n=1"},
           {"x: {extents: [n]}", "x: {extents: [n, n, n]}", "more than 2^40 elements"},
           {"x: {extents: [n]}", "x: {}", "'x' needs `extents`"},
           {"x: {extents: [n]}", "x: {extents: [n], values: normal}", "there are no values"},
           {"x: {extents: [n]}", "x: {extents: [n], role: out}", "cannot be written"},
           {"x: {extents: [n]}", "x: {extents: [n], role: both}", "'role' must be in, out"},
           {"x: {extents: [n]}", "x: {extents: [n], colour: red}", "'colour'"},
           {"x: {extents: [n]}", "z: {extents: [n]}", "'z' is no parameter"},
           {"y: {extents: [n]}", "y: {extents: [n], initial: one}", "'initial' must be"},
           {"y: {extents: [n]}", "y: {extents: [n], role: in}", "no buffer is an output"},
           {"y: {extents: [n]}", "y: {extents: [n], tolerance: -1}", "'tolerance'"},
           {"a: {values: constant(3)}", "a: {values: constant(b)}", "'b' is no size"},
           {"  sizes:\n    n: {to: 1000000}\n", "  sizes: 5\n", "'sizes' must be a mapping"},
           {"  sizes:\n    n: {to: 1000000}\n", "", "sizes"},
           {"  function:", "  functon:", "function"},
           {"  buffers:", "  pointers: both\n  buffers:", "'pointers' must be device or host"},
           {"  buffers:", "  constraints: [n %]\n  buffers:", "is missing"},
           {"  buffers:", "  flops: n * m\n  buffers:", "'m' is no size"},
           {"task:\n", "interface: minidnn-3\ntask:\n", "leave it out beside 'task'"},
           {"sizes: {n: 100000}", "sizes: {n: 2000000}", "goes from 1 to 1000000"},
           {"sizes: {n: 100000}", "sizes: {m: 5}", "'m'"},
           {"  function: void", "  - function: void", ""},
       }) {
    const Folder folder(replaced(kTask, from, to));
    const auto loaded = folder.load();
    ASSERT_FALSE(loaded.problems.empty()) << to;
    EXPECT_THAT(to_text(loaded.problems), HasSubstr(why)) << to;
    EXPECT_THAT(loaded.problems.front().file, HasSubstr("task.yaml")) << to;
  }
}

TEST(TaskReader, NamesFilesThatAreMissing) {
  const Folder folder(kTask);
  fs::remove(folder.place.path() / "reference.cpp");
  EXPECT_THAT(to_text(folder.load().problems), HasSubstr("reference.cpp, which computes"));
  fs::remove(folder.place.path() / "solution");
  EXPECT_THAT(to_text(folder.load().problems), HasSubstr("solution, which holds"));
}

}  // namespace
}  // namespace opgrade
