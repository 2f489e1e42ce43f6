// What a lecturer's task.yaml may say, and one clear complaint for each mistake.
#include "grader/task/config/task_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "grader/base/core/temp_dir.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/student_files.hpp"
#include "grader/task/folder/distribution.hpp"
#include "grader/task/folder/folder_task.hpp"

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

TEST(TaskReader, AnotherFileOfTheFolderIsAFormWithItsOwnSource) {
  const Folder folder(kTask, "// with another form");
  folder.write("quick.yaml", "extends: task.yaml\nopgrade: 1\nname: quick\n");
  const auto loaded = load_config(folder.place.path() / "quick.yaml");
  ASSERT_TRUE(loaded.problems.empty()) << to_text(loaded.problems);
  EXPECT_EQ(interface_of(loaded.config).cpu_source, "quick.cc");
  EXPECT_EQ(loaded.config.task->file(), fs::absolute(folder.place.path()) / "quick.yaml");
  EXPECT_EQ(interface_of(folder.load().config).cpu_source, "scale.cc");
  // A config elsewhere extends it, and the students' files keep their names.
  folder.write("quick.yaml", "extends: task.yaml\nopgrade: 1\nname: quick\ntask: {flops: n}\n");
  fs::create_directory(folder.place.path() / "course");
  folder.write("course/week.yaml", "extends: ../quick.yaml\nopgrade: 1\nname: week\n");
  const auto week = load_config(folder.place.path() / "course/week.yaml");
  ASSERT_TRUE(week.problems.empty()) << to_text(week.problems);
  EXPECT_EQ(interface_of(week.config).cpu_source, "quick.cc");
}

TEST(TaskReader, ACallerIsStaffsAndStudentsGetIt) {
  Folder folder(kTask);
  const std::string before(folder.load().config.task->id());
  folder.write("types.h", "void step(float* y, int n);\n");
  folder.write("call.cpp", "// staff's\n");
  const auto loaded = folder.load();
  ASSERT_TRUE(loaded.problems.empty()) << to_text(loaded.problems);
  const FolderTask& task = *loaded.config.task;
  EXPECT_NE(task.id(), before) << "another state of the task";
  EXPECT_EQ(task.description().caller_on(Device::cpu), "call.cpp");
  EXPECT_EQ(task.description().caller_on(Device::emulated), "call.cpp") << "one alone serves both";
  for (const char* file : {"types.h", "call.cpp", "include/types.h", "a/b/call.cpp"})
    EXPECT_TRUE(task.builds_own(file)) << file;
  for (const char* file :
       {"call.cu", "scale.h", "scale.cc", "mytypes.h", "types.hpp", "call.cpp/a"})
    EXPECT_FALSE(task.builds_own(file)) << file;
  const auto files = starting_files(loaded.config);
  EXPECT_EQ(files.at("call.cpp"), "// staff's\n");
  EXPECT_THAT(files.at("types.h"), HasSubstr("void step(float* y, int n);"));
  EXPECT_TRUE(interface_of(loaded.config).functions.empty()) << "opgrade does not know their names";

  folder.write("call.cu", "// staff's, too\n");
  const auto both = folder.load();
  EXPECT_EQ(both.config.task->description().caller_on(Device::cuda), "call.cu");
  EXPECT_EQ(both.config.task->description().caller_on(Device::cpu), "call.cpp");

  Folder forms(replaced(replaced(kTask, ", float a", ""), "    a: {values: constant(3)}\n", ""));
  forms.write("call.cu", "// staff's\n");
  forms.write("program.yaml",
              "extends: task.yaml\nopgrade: 1\nname: program\n"
              "task: {program: -i x.raw -o y.raw}\n");
  const auto program = load_config(forms.place.path() / "program.yaml");
  ASSERT_TRUE(program.problems.empty()) << to_text(program.problems);
  EXPECT_FALSE(program.config.task->builds_own("call.cu")) << "a program has a main of its own";
  EXPECT_TRUE(forms.load().config.task->builds_own("call.cu"));

  const auto plain = task.without_caller();
  EXPECT_FALSE(plain->builds_own("call.cpp"));
  EXPECT_TRUE(plain->builds_own("types.h"));
}

TEST(TaskReader, AFolderIsAConfig) {
  const Folder folder(kTask);
  const auto loaded = folder.load();
  ASSERT_TRUE(loaded.problems.empty()) << to_text(loaded.problems);
  EXPECT_EQ(interface_of(loaded.config).cpu_source, "scale.cc");
  EXPECT_EQ(loaded.config.task->folder(), fs::absolute(folder.place.path()));
  EXPECT_EQ(loaded.config.stages[0].cases[0].sizes, (Coordinates{{"n", 100000}}));
}

TEST(TaskReader, TheInterfaceNamesTheStateOfTheFolder) {
  const Folder folder(kTask);
  const Config under_way = folder.load().config;
  const auto first = under_way.interface;
  EXPECT_EQ(folder.load().config.interface, first);
  folder.write("reference.cpp", "// another");
  const auto second = folder.load().config.interface;
  EXPECT_NE(second, first);
  folder.write("solution/scale.cc", "int x;");
  EXPECT_NE(folder.load().config.interface, second);
  EXPECT_EQ(interface_of(under_way).id, first) << "a grading under way keeps its task";
}

// A course keeps the text alone, and scores results anew by it.
TEST(TaskReader, AKeptConfigIsReadWithTheTaskThatItNames) {
  const Folder folder(kTask);
  const Config config = folder.load().config;
  const std::string kept = dump_config(config);
  const auto again = parse_config(kept, "kept", {config.task});
  EXPECT_EQ(to_text(again.problems), "");
  EXPECT_EQ(again.config.task, config.task);
  EXPECT_EQ(dump_config(again.config), kept);
  folder.write("reference.cpp", "// another");
  const Config changed = folder.load().config;
  for (const auto& other : {changed.task, std::shared_ptr<const FolderTask>()}) {
    const auto without = parse_config(kept, "kept", {other});
    EXPECT_NE(to_text(without.problems), "") << "its sizes are of no task that is there";
    EXPECT_EQ(without.config.task, nullptr);
  }
  const auto own =
      parse_config("opgrade: 1\nname: x\ninterface: mxnet\nstages: []\n", "", {config.task});
  EXPECT_EQ(own.config.task, nullptr) << "the file names one of opgrade's";
}

/// `to` stands where kTask has `from`: one problem, in that line, with these words.
struct Mistake {
  const char *from, *to, *why;
  int line;
};

/// Not as the bytes of its pointers.
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.to; }

class BrokenTask : public testing::TestWithParam<Mistake> {};

TEST_P(BrokenTask, IsOneClearProblemInItsLine) {
  const auto& [from, to, why, line] = GetParam();
  const Folder folder(replaced(kTask, from, to));
  const auto loaded = folder.load();
  ASSERT_FALSE(loaded.problems.empty());
  EXPECT_THAT(loaded.problems.front().text, HasSubstr(why));
  EXPECT_EQ(loaded.problems.front().line, line) << to_text(loaded.problems);
  EXPECT_THAT(loaded.problems.front().file, HasSubstr("task.yaml"));
  EXPECT_EQ(loaded.problems.size(), 1U) << to_text(loaded.problems);
}

constexpr const char* kN = "    n: {to: 1000000}";
constexpr const char* kX = "x: {extents: [n]}";
constexpr const char* kY = "y: {extents: [n]}";

INSTANTIATE_TEST_SUITE_P(
    Each, BrokenTask,
    testing::ValuesIn(std::vector<Mistake>{
        {"opgrade: 1", "opgrade: 2", "'opgrade'", 1},
        {"name: scale\n", "name: 'a b'\n", "'name' of a task names files", 2},
        {"name: scale\n", "name: ../x\n", "'name' of a task names files", 2},
        {"void scale(", "node scale(", "what it returns has the type 'node'", 4},
        {"void scale(", "scale(", "must read as", 4},
        {"const float* x", "const complex* x", "the type 'complex'; known are float", 4},
        {"const float* x", "const float** x", "known are float", 4},
        {"int n)", "int n, int m)", "'m' is neither one of `sizes` nor one of `buffers`", 4},
        {"float a, int n)", "float a, int a, int n)", "two parameters are named 'a'", 4},
        {"int n)", "float n)", "'n' is a size, so its type must be an integer", 6},
        {kN, "    n: {from: 5, to: 2}", "from 5 to 2", 6},
        {kN, "    n: {to: 2000000000}", "'to'", 6},
        {kN, "    n: {to: 1099511627776}", "'to'", 6},
        {kN, "    n: {to: 0}", "'to'", 6},
        {kN, "    n: {from: -1, to: 5}", "'from'", 6},
        {kN, "    n: {from: 9, to: 1000000, random: 5}", "'random' is 5, and goes from 9", 6},
        {kN, "    n: {from: 1}", "'to'", 6},
        {kN, "    n: {to: 1000000, step: 2}", "'step'", 6},
        {kN, "    n: {to: 1000000}\n    n: {to: 1000000}", "'n' is given twice", 7},
        {kN, "    n: {to: 1000000}\n    m: {to: 3}", "and nothing else uses it", 7},
        {kN, "    n: {to: 1000000}\n    a: {to: 3}", "'a' stands in `sizes` and in `buffers`", 11},
        {"  sizes:\n    n: {to: 1000000}\n", "  sizes: 5\n", "'sizes' must be a mapping", 5},
        {kX, "x: {extents: [m]}", "'m' is no size", 8},
        {kX, "x: {extents: [x]}", "'x' is no size", 8},
        {kX, "x: {extents: [y]}", "'y' is no size", 8},
        {kX, "x: {extents: [n], values: \"integers(0, x)\"}", "'x' is no size", 8},
        {kX, "x: {extents: [n * n * n]}", "more than 2^40 elements", 8},
        {kX, "x: {extents: [n / 0]}", "division by zero", 8},
        {kX, "x: {extents: [n - 5]}", "at n=1", 8},
        {kX, "x: {extents: [n, n, n]}", "more than 2^40 elements", 8},
        {kX, "x: {extents: [n *]}", "is missing", 8},
        {kX, "x: {values: random}", "'x' needs `extents`", 8},
        {kX, "x: {extents: [n], values: gauss}", "there are no values", 8},
        {kX, "x: {extents: [n], values: []}", "'x' has no `values`", 8},
        {kX, "x: {extents: [n], values: [random, constant(1)]}", "`values_by: kind`", 8},
        {kX, "x: {extents: [n], values: [random, constant(1)], values_by: n}", "2 kinds of values",
         8},
        {kX, "x: {extents: [n], role: out}", "cannot be written", 8},
        {kX, "x: {extents: [n], role: inout}", "cannot be written", 8},
        {kX, "x: {extents: [n], role: scratch}", "cannot be written", 8},
        {kX, "x: {extents: [n], role: both}", "'role' must be in, out", 8},
        {kX, "x: {extents: [n], colour: red}", "'colour'", 8},
        {kX, "x: {extents: [n], values: generated}", "generate.cpp, which fills", 4},
        {kX, "z: {extents: [n]}", "'z' is no parameter", 8},
        {kY, "y: {extents: [n], initial: one}", "'initial' must be", 9},
        {kY, "y: {extents: [n], role: in}", "no buffer is an output", 8},
        {kY, "y: {extents: [n], tolerance: -1}", "'tolerance'", 9},
        {kY, "y: {extents: [n], error: squared}", "'error' must be scaled", 9},
        {kY, "y: {extents: [n], error: program}", "check.cpp, which decides", 4},
        {kY, "y: {extents: [n], error: norm, any_order: true}", "have no norm", 9},
        {kY, "y: {extents: [n], mismatches: n * m}", "'m' is no size", 9},
        {kY, "y: {extents: [n], defined: x}", "must be one whole number", 9},
        {kY, "y: {extents: [n], defined: k}", "'k' is no size", 9},
        {kY, "y: {extents: [n], defined: y}", "must be one whole number", 9},
        {kY, "y: {extents: [n], or_in: y, or_when: n % 2}", "must be `role: scratch`", 9},
        {kY, "y: {extents: [n], or_in: x, or_when: n % 2}", "must be `role: scratch`", 9},
        {kY, "y: {extents: [n], or_in: z, or_when: n % 2}", "names no buffer", 9},
        {kY, "y: {extents: [n], or_in: x}", "both `or_in` and `or_when`", 9},
        {"a: {values: constant(3)}", "a: {values: constant(3), role: out}", "cannot be written",
         10},
        {"a: {values: constant(3)}", "a: {values: constant(b)}", "'b' is no size", 10},
        {"a: {values: constant(3)}", "a: {values: constant(3), extents: [2]}", "is no pointer", 10},
        {"  buffers:", "  pointers: both\n  buffers:", "'pointers' must be device or host", 7},
        {"  buffers:", "  program: -i x.raw -o y.raw\n  buffers:", "'a' is a file of a program",
         11},
        {"  buffers:", "  program: x.raw y.raw < y.raw\n  buffers:", "'< y.raw' is no file of", 7},
        {"  buffers:", "  program: x.raw y.raw < {n}.raw\n  buffers:", "'< {n}.raw' is no file", 7},
        {"  buffers:", "  program: y.raw > x.raw\n  buffers:", "'> x.raw' is no file of", 7},
        {"  buffers:", "  program: -i $(x)\n  buffers:", "'$' cannot stand in an argument", 7},
        {"  buffers:", "  edit: scale\n  buffers:", "to be changed", 7},
        {"  buffers:", "  constraints: [n %]\n  buffers:", "is missing", 7},
        {"  buffers:", "  flops: n * m\n  buffers:", "'m' is no size", 7},
        {"task:\n", "interface: minidnn-3\ntask:\n", "leave it out beside 'task'", 3},
        {"sizes: {n: 100000}", "sizes: {n: 2000000}", "goes from 1 to 1000000", 16},
        {"  function: void", "  - function: void", "", 5},
    }));

/// What YAML cuts, or takes for something else.
INSTANTIATE_TEST_SUITE_P(
    WithoutQuotes, BrokenTask,
    testing::ValuesIn(std::vector<Mistake>{
        {kX, "x: {extents: [n], values: uniform(-6, 6)}", "put it in quotes: \"uniform(-6, 6)\"",
         8},
        {kX, "x: {values: integers(0, min(n, 5)), extents: [n]}", "\"integers(0, min(n, 5))\"", 8},
        {kX, "x: {values: uniform(0, role), extents: [n]}", "\"uniform(0, role)\"", 8},
        {kX, "x: {extents: [max(n, 3)]}", "put it in quotes: \"max(n, 3)\"", 8},
        {kX, "x: {extents: [n], values: [uniform(0, 1), constant(7)], values_by: n}",
         "\"uniform(0, 1)\"", 8},
        {kX, "x: {extents: [n], values: *random}", "begins with '*' needs quotes", 8},
        {kX, "x: {extents: [n], values: &random}", "begins with '&' needs quotes", 8},
        {kX, "x: {extents: [n], values: %random}", "begins with '%' needs quotes", 8},
        {kX, "x: {extents: [n], values: @random}", "begins with '@' needs quotes", 8},
        {kX, "x: {extents: [n], values: `random`}", "begins with '`' needs quotes", 8},
        {kX, "x: {extents: [n], values: !random}", "begins with '!' needs quotes", 8},
        {kX, "x: {extents: [n], values: |}", "begins with '|' needs quotes", 8},
        {kX, "x: {extents: [n], values: constant(3) # three}", "'#' behind a blank begins", 8},
        {kX, "x: {extents: [n], values: constant: 3}", "a text with a colon needs quotes", 8},
        {kX, "x: {extents: [n], values: 'constant(3)}", "quote that begins here is not closed", 8},
        {kX, "x: {extents: [n], values: \"constant(3)\"", "this '{' is not closed", 8},
        {kX, "x: {extents: [n] values: random}", "a comma stands between two values", 8},
        {kX, "x: {extents: [n}", "one is missing before '}'", 8},
        {kX, "x: {extents=[n]}", "behind a key stand a colon and a blank", 8},
        {kX, "x: extents: [n]", "a mapping in {...}", 8},
        {kX, "x: {extents: [n], any_order: yes}", "must be true or false, not 'yes'", 8},
        {kX, "x: {extents: [n], values: uniform(-6; 6)}", "write uniform(a, b)", 8},
        {kX, "x: {extents: [n], values: generate}", "constant, generated; did you mean 'generated'",
         8},
        {kX, "x: {extents: [n], values: generated()}", "'generated' takes no arguments", 8},
        {kN, "    n: {to: 1,000,000}", "a number has no commas: write 1000000", 6},
        {kN, "    n: {to: 1_000_000}", "not '1_000_000': write 1000000", 6},
        {kN, "    n: {to: 010}", "without a 0 in front", 6},
        {kN, "    n: {to: 1:30}", "must be a finite number, not '1:30'", 6},
        {"name: scale\n", "name: scale\ntitle: Sum: the first\n", "a text with ': ' in quotes", 3},
        {"name: scale\n", "name: scale\ntitle: 'it's'\n", "goes on behind its closing quote", 3},
        {"name: scale\n", "name: scale\ntitle: - x\n", "begins with '-' needs quotes", 3},
        {"name: scale\n", "name: scale\ntitle: !x\n", "begins with '!' needs quotes", 3},
        {"name: scale\n", "name: scale\ntitle:x\n", "no blank behind its colon", 4},
        {"points: 5}", "points: 0,5}", "a number has no commas: write 0.5", 16},
        {"points: 5}", "points: 5}\n    constructs: [{forbid: #pragma omp}]", "begins a comment",
         17},
        {"points: 5}", "points: 5}\n    constructs:\n      - forbid: #pragma omp",
         "'forbid' has no value: a text that begins with '#' needs quotes", 18},
        {"points: 5}", "points: 5}\n    constructs: [{forbid: cub::}]", "a text with a colon", 17},
        {"points: 5}", "points: 5}\n    constructs: [{forbid: a[0]}]", "a text with '[' in quotes",
         17},
        {"points: 5}", "points: 5}\n    constructs: [{forbid: f(a, b)}]", "quotes: \"f(a, b)\"",
         17},
        {"function: void", "function: \"void", "the file ends within quotes", 4},
        {"function: void", "function: __global__ void", "leave '__global__' out", 4},
        {"function: void", "function: extern \"C\" void", "leave 'extern \"C\"' out", 4},
        {"void scale(", "void ::scale(", "leave the '::' before 'scale' out", 4},
        {"void scale(", "void ::by::scale(", "leave the '::' before 'by::scale' out", 4},
        {"void scale(", "unsigned int ::scale(", "leave the '::' before 'scale' out", 4},
        {"void scale(", "uint8_t ::scale(", "leave the '::' before 'scale' out", 4},
        {"void scale(", "float4 ::scale(", "leave the '::' before 'scale' out", 4},
        {"void scale(", "float* ::scale(", "leave the '::' before 'scale' out", 4},
        {"void scale(", "::scale(", "leave the '::' before 'scale' out", 4},
        {"void scale(", "void by ::scale(", "write 'by::scale' without blanks", 4},
        {"const float* x", "const float x[]", "write an array as a pointer", 4},
        {"const float* x", "const float* restrict x", "have '__restrict__'", 4},
        {"const float* x", "std::vector<float> x", "the type 'std::vector<float>'", 4},
        {"int n)", "int n = 3)", "no default value", 4},
    }));

TEST(TaskReader, WhatYamlTakesAsItStandsIsNoProblem) {
  for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
           {kX, "x: {extents: [n], values: \"uniform(-6, 6)\"}"},
           {kX, "x: {extents: ['max(n, 3)'], values: 'uniform(-6, 6)'}"},
           {kX, "x:\n      extents: [n]\n      values: uniform(-6, 6) # not in {...}"},
           {kX, "x: {extents: [n], # the bracket } is behind\n        values: random}"},
           {kX, "x: {extents: [n], any_order: false}"},
           {kX, "x: &input {extents: [n]}\n    # a name that nothing uses"},
           {"const float* x", "const float* __restrict__ x"},
           {"const float* x", "const float * x"},
           {"name: scale\n", "name: scale\ntitle: a, b:c\n"},
           {"name: scale\n", "name: scale\ntitle: 50 % of it's all & more\n"},
           {"name: scale\n", "name: scale\ntitle: 'it''s #3'\n"},
           {"name: scale\n", "name: scale\ntitle: \"a \\\" b\"\n"},
           {"name: scale\n", "name: scale\ntitle: !!str 5\n"},
           {"points: 5}", "points: 0.5}\n    tolerance: 0"},
           {"points: 5}", "points: 5}\n    constructs: [{forbid: cub::Sum}, {forbid: \"cub::\"}]"},
       }) {
    const std::string text = replaced(kTask, from, to);
    EXPECT_EQ(to_text(Folder(text).load().problems), "") << to;
  }
}

/// Of a GPU stage whose case `large` has a bound, and a task of these types and operations.
std::string complaint_about_bound(const std::string& bound, const std::string& types,
                                  const std::string& flops, const std::string& n = "100000") {
  const auto comma = types.find(", ");
  const std::string in = types.substr(0, comma);
  const std::string out = comma == types.npos ? in : types.substr(comma + 2);
  std::string text =
      replaced(kTask, "const float* x, float* y", "const " + in + "* x, " + out + "* y");
  text = replaced(text, "n: {to", "n: {from: 0, to");
  text = replaced(text, "    a: {", "    a: {tolerance: 0, ");
  text = replaced(text, "float a", "int a");
  text = replaced(text, "stages:\n", "  flops: " + flops + "\nstages:\n");
  text = replaced(text, "device: cpu", "device: cuda");
  text = replaced(text, "n: 100000}", "n: " + n + "}");
  return to_text(Folder(text + "    op_times: [{case: large, points: 1, limit: " + bound + "}]\n")
                     .load()
                     .problems);
}

TEST(TaskReader, ARooflineNeedsTheRatesOfTheTasksNumbers) {
  const auto about = [](const std::string& types, const std::string& flops) {
    return complaint_about_bound("0.5 of roofline", types, flops);
  };
  for (const char* known : {"float", "double", "int, float", "unsigned char, double"})
    EXPECT_EQ(about(known, "2 * n"), "") << known;
  for (const char* any : {"half", "__nv_bfloat16", "int", "float, double", "double, float"}) {
    EXPECT_EQ(about(any, "0"), "") << "bytes alone bound it: " << any;
    EXPECT_THAT(about(any, "2 * n"),
                HasSubstr("the roofline counts operations of float or of double alone"))
        << any;
    EXPECT_EQ(complaint_about_bound("300 GB/s", any, "2 * n"), "") << any;
  }
}

TEST(TaskReader, ARateNeedsWork) {
  EXPECT_EQ(complaint_about_bound("300 GB/s", "float", "0"), "");
  EXPECT_EQ(complaint_about_bound("300 GFLOP/s", "float", "2 * n"), "");
  EXPECT_EQ(complaint_about_bound("3 ms", "float", "0", "0"), "");
  EXPECT_THAT(complaint_about_bound("300 GFLOP/s", "float", "0"),
              HasSubstr("300 GFLOP/s is no time for the case large, which has no operations: give "
                        "the task 'flops'"));
  EXPECT_THAT(complaint_about_bound("2 TFLOP/s", "float", "n * (n - 100000)"),
              HasSubstr("which has no operations"));
}

TEST(TaskReader, NotesATextThatAHashCuts) {
  const auto notes = [](const std::string& title) {
    return to_text(
        Folder(replaced(kTask, "name: scale\n", "name: scale\n" + title + "\n")).load().notes);
  };
  EXPECT_THAT(notes("title: Lab #3"), HasSubstr("task.yaml:3:8: note: 'Lab' ends before '#3'"));
  for (const char* title :
       {"title: Lab # the third", "title: 'Lab #3'", "title: Lab#3", "pass_mark: 3 #points"})
    EXPECT_EQ(notes(title), "") << title;
}

TEST(TaskReader, ThePageNamesAllValues) {
  std::ifstream in(OPGRADE_SOURCE_DIR "/docs/new-task.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  for (const std::string_view name : known_values())
    EXPECT_TRUE(page.find(fmt::format("`{}`", name)) != page.npos ||
                page.find(fmt::format("`{}(", name)) != page.npos)
        << name;
}

TEST(TaskReader, NamesKeysThatAreMissing) {
  for (const auto& [from, to, why] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"  sizes:\n    n: {to: 1000000}\n", "", "needs the key 'sizes'"},
           {"  function:", "  functon:", "needs the key 'function'"},
           {"task:\n", "task: 5\nother:\n", "cannot be read"},
           {"sizes: {n: 100000}", "sizes: {m: 5}", "'m'"},
       }) {
    const Folder folder(replaced(kTask, from, to));
    EXPECT_THAT(to_text(folder.load().problems), HasSubstr(why)) << to;
  }
}

TEST(TaskReader, AScratchBufferHoldsOneResult) {
  const Folder folder(R"(opgrade: 1
name: twice
task:
  function: void twice(int* a, int* b, int* c, int n)
  sizes: {n: {to: 100}}
  buffers:
    a: {extents: [n], role: inout, or_in: c, or_when: n % 2}
    b: {extents: [n], role: inout, or_in: c, or_when: n % 3}
    c: {extents: [n], role: scratch}
stages:
  - {name: cpu, device: cpu, random_shapes: {count: 5, points: 10}}
)");
  const auto loaded = folder.load();
  ASSERT_EQ(loaded.problems.size(), 1U) << to_text(loaded.problems);
  EXPECT_THAT(loaded.problems.front().text, HasSubstr("'c' is the `or_in` of more than one"));
  EXPECT_EQ(loaded.problems.front().line, 7);
}

TEST(TaskReader, AFormThatExtendsItselfIsRefused) {
  const Folder folder("extends: task.yaml\n" + kTask);
  EXPECT_THAT(to_text(folder.load().problems), HasSubstr("task.yaml"));
  EXPECT_EQ(folder.load().problems.size(), 1U);
  folder.write("task.yaml", "extends: quick.yaml\n" + kTask);
  folder.write("quick.yaml", "extends: task.yaml\nopgrade: 1\nname: quick\n");
  EXPECT_EQ(folder.load().problems.size(), 1U) << to_text(folder.load().problems);
  fs::remove(folder.place.path() / "quick.yaml");
  EXPECT_THAT(to_text(folder.load().problems), HasSubstr("quick.yaml"));
}

TEST(TaskReader, AFolderWithoutATaskIsNoConfig) {
  const Folder folder(kTask);
  fs::remove(folder.place.path() / "task.yaml");
  EXPECT_THAT(to_text(folder.load().problems), HasSubstr("a folder without task.yaml"));
}

TEST(TaskReader, NamesFilesThatAreMissing) {
  const Folder folder(kTask);
  fs::remove(folder.place.path() / "reference.cpp");
  EXPECT_THAT(to_text(folder.load().problems), HasSubstr("reference.cpp, which computes"));
}

TEST(TaskReader, ASolutionIsNeededForItsOpTimeAlone) {
  const Folder folder(kTask);
  fs::remove(folder.place.path() / "solution");
  EXPECT_EQ(to_text(folder.load().problems), "");
  folder.write("task.yaml",
               kTask + "    op_times: [{case: large, points: 5, limit: 3 x reference}]\n");
  EXPECT_THAT(to_text(folder.load().problems), HasSubstr("solution, whose Op Time"));
}

/// The task with two more cases, the second of them hidden, a rule for its first case, and this
/// one.
LoadedConfig with_op_time_rule(const std::string& rule) {
  return Folder(kTask +
                "      - {name: small, sizes: {n: 10}, points: 5}\n"
                "      - {name: same, sizes: {n: 10}, points: 5}\n"
                "      - {name: secret, sizes: {n: 11}, points: 5, hidden: true}\n"
                "    op_times:\n"
                "      - {case: large, points: 5, limit: 2 s}\n"
                "      - {" +
                rule + ", points: 5}\n")
      .load();
}

TEST(TaskReader, ASpeedUpNeedsTheSerialSolution) {
  const std::string rule =
      "    op_times: [{case: large, points: 5, full: 0.125 x serial, zero: 1 x serial, between: "
      "speed}]\n";
  Folder folder(kTask + rule);
  EXPECT_THAT(to_text(folder.load().problems),
              HasSubstr("/serial, whose Op Time is part of a bound"));
  fs::create_directory(folder.place.path() / "serial");
  const auto loaded = folder.load();
  ASSERT_EQ(to_text(loaded.problems), "");
  EXPECT_THAT(dump_config(loaded.config), HasSubstr("full: 0.125 x serial, zero: 1 x serial"));
}

TEST(TaskReader, SeveralCasesCountTogetherInOneRule) {
  for (const char* together : {"sum", "geometric mean", "each", "worst"}) {
    const auto loaded =
        with_op_time_rule(fmt::format("cases: [small, large], together: {}, limit: 2 s", together));
    ASSERT_EQ(to_text(loaded.problems), "");
    const OpTimeRule& rule = loaded.config.stages.at(0).op_times.at(1);
    EXPECT_EQ(rule.cases, (std::vector<std::string>{"small", "large"}));
    EXPECT_THAT(dump_config(loaded.config),
                HasSubstr(fmt::format(
                    "{{cases: [small, large], together: {}, points: 5, limit: 2000 ms", together)));
  }
}

TEST(TaskReader, TheSlopeOfSeveralCasesCounts) {
  const auto loaded = with_op_time_rule(
      "cases: [small, large], slope: {over: n, full: 1.2, zero: 2, below: 4 x reference}");
  ASSERT_EQ(to_text(loaded.problems), "");
  const OpTimeRule& rule = loaded.config.stages.at(0).op_times.at(1);
  EXPECT_EQ(rule.slope.over, "n");
  EXPECT_EQ(rule.slope.full, 1.2);
  EXPECT_EQ(rule.slope.zero, 2);
  EXPECT_TRUE(rule.needs(TimeBound::Unit::reference));
  EXPECT_THAT(dump_config(loaded.config),
              HasSubstr("{cases: [small, large], slope: {over: n, full: 1.2, zero: 2, below: 4 x "
                        "reference}, points: 5"));
}

TEST(TaskReader, OfSeveralCasesEachIsOneThatARuleMayName) {
  for (const auto& [rule, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"cases: [small], together: sum, limit: 2 s",
            "'cases' needs two cases or more; 'case' names one"},
           {"cases: [], together: sum, limit: 2 s", "'cases' needs two cases or more"},
           {"cases: [small, small], together: sum, limit: 2 s", "'cases' names a case twice"},
           {"cases: [small, huge], together: each, limit: 2 s",
            "names the case huge, which this stage does not run"},
           {"cases: [small, secret], together: worst, limit: 2 s",
            "names the case secret, which is hidden"},
           {"cases: [small, large], together: luck, limit: 2 s", "'together' must be"},
           {"cases: [small, large], limit: 2 s", "'together'"},
           {"case: small, cases: [small, large], together: sum, limit: 2 s", "'case'"},
           {"case: small, together: sum, limit: 2 s", "'together'"},
           {"cases: [small, large], together: sum", "'full'"},
           {"cases: [small, large], together: sum, take: fastest, limit: 2 s",
            "'take' is fastest here and median in another rule"},
       })
    EXPECT_THAT(to_text(with_op_time_rule(rule).problems), HasSubstr(why)) << rule;
}

TEST(TaskReader, ASlopeNeedsSizesThatDifferAndABound) {
  const std::string slope = "slope: {over: n, full: 1, zero: 2, below: 1 s}";
  for (const auto& [rule, why] : std::initializer_list<std::pair<std::string, const char*>>{
           {"cases: [small, large], slope: {over: m, full: 1, zero: 2, below: 1 s}",
            "'over' is m, which is no size of the task"},
           {"cases: [small, same], " + slope, "needs cases where it differs"},
           {"cases: [small, large], slope: {over: n, full: 2, zero: 2, below: 1 s}",
            "'zero' must be more than 'full'"},
           {"cases: [small, large], slope: {over: n, full: 1, zero: 2, below: never}",
            "'below' must be a bound"},
           {"cases: [small, large], slope: {over: n, full: 1, zero: 2}", "'below'"},
           {"cases: [small, large], together: sum, " + slope, "'together'"},
           {"cases: [small, large], limit: 2 s, " + slope, "'limit'"},
           {"cases: [small, huge], " + slope, "names the case huge"},
           {"case: small, limit: 2 s, " + slope, "'slope'"},
       })
    EXPECT_THAT(to_text(with_op_time_rule(rule).problems), HasSubstr(why)) << rule;
}

TEST(TaskReader, ASizeIs0WhereTheTaskSaysSo) {
  const auto text = replaced(kTask, "sizes: {n: 100000}", "sizes: {n: 0}");
  EXPECT_THAT(to_text(Folder(text).load().problems), HasSubstr("'n' is 0, and goes from 1"));
  const auto empty = replaced(text, "n: {to", "n: {from: 0, to");
  EXPECT_EQ(to_text(Folder(empty).load().problems), "");
  EXPECT_EQ(to_text(Folder(replaced(empty, "x: {extents: [n]",
                                    "x: {extents: [n], values: \"integers(0, n - 1)\""))
                        .load()
                        .problems),
            "");
}

TEST(TaskReader, StaffsFilesCountForTheState) {
  const Folder folder(replaced(kTask, kX, "x: {extents: [n], values: generated}"));
  folder.write("generate.cpp", "// none");
  const auto first = folder.load();
  ASSERT_TRUE(first.problems.empty()) << to_text(first.problems);
  folder.write("generate.cpp", "// another");
  const auto second = folder.load().config.interface;
  EXPECT_NE(second, first.config.interface);
  folder.write("validate.cpp", "// new");
  EXPECT_NE(folder.load().config.interface, second);
}

}  // namespace
}  // namespace opgrade
