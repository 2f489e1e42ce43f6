// Elements of several numbers, such as uchar4, and bool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "grader/task/folder/adapter_text.hpp"
#include "grader/task/folder/folder_problem.hpp"
#include "grader/task/folder/staff_text.hpp"
#include "grader/task/interface/buffer_memory.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using VectorRole = BufferDescription::Role;

TEST(VectorTypes, AreThoseOfCudaUpTo16Bytes) {
  for (const auto& [name, type, components] :
       std::initializer_list<std::tuple<const char*, const char*, int>>{
           {"uchar4", "unsigned char", 4},
           {"char3", "signed char", 3},
           {"short2", "short", 2},
           {"ushort4", "unsigned short", 4},
           {"int2", "int", 2},
           {"uint3", "unsigned int", 3},
           {"float2", "float", 2},
           {"float3", "float", 3},
           {"float4", "float", 4},
           {"longlong2", "long long", 2},
           {"ulonglong2", "unsigned long long", 2},
           {"double2", "double", 2},
           {"bool", "bool", 1},
           {"uint8_t", "unsigned char", 1},
       }) {
    const ValueType found = find_value_type(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found.type->c_name, type) << name;
    EXPECT_EQ(found.components, components) << name;
  }
  for (const char* name : {"float1", "float5", "float", "", "4", "double3", "double4", "longlong4",
                           "half2", "bool2", "uint8_t4", "Float4", "float44"})
    EXPECT_EQ(find_value_type(name).components, 1) << name;
  EXPECT_FALSE(find_value_type("double4"));
  EXPECT_FALSE(find_value_type("bool2"));
}

TEST(VectorTypes, APrototypeTakesThemInEachWay) {
  const auto prototype =
      parse_prototype("float2 f(const uchar4* a, float3 b, int2& c, bool* d, bool e, int n)");
  EXPECT_EQ(prototype.returns_components, 2);
  std::vector<int> components;
  for (const Parameter& one : prototype.parameters) components.push_back(one.components);
  EXPECT_EQ(components, (std::vector<int>{4, 3, 2, 1, 1, 1}));
  EXPECT_EQ(prototype.parameters[0].spelled, "uchar4");
  std::string sizes;
  for (const Parameter& one : prototype.parameters)
    if (one.may_be_size()) sizes += one.name;
  EXPECT_EQ(sizes, "n");
}

/// `void f(const uchar4* a, uchar4* b, int rows, int columns)`
TaskDescription next_pixel() {
  TaskDescription task;
  task.name = "next";
  task.function = parse_prototype("void f(const uchar4* a, uchar4* b, int rows, int columns)");
  task.sizes = {{.name = "rows", .to = 100, .random = 20},
                {.name = "columns", .to = 100, .random = 20}};
  const ElementType* const byte = find_element_type("unsigned char");
  task.buffers = {{.name = "a", .type = byte, .components = 4, .extents = {"rows", "columns"}},
                  {.name = "b",
                   .type = byte,
                   .components = 4,
                   .role = VectorRole::out,
                   .extents = {"rows", "columns"}}};
  return task;
}

std::string why_refused(const TaskDescription& task) {
  try {
    check(task);
    return "";
  } catch (const TaskMistake& mistake) {
    return mistake.what();
  }
}

TEST(VectorTypes, ATaskSaysWhatItCannotAskOfThem) {
  EXPECT_EQ(why_refused(next_pixel()), "");
  TaskDescription task = next_pixel();
  task.buffers[1].any_order = true;
  EXPECT_THAT(why_refused(task), HasSubstr("elements of several numbers"));
  task = next_pixel();
  task.program = "-e expected.raw -i a.raw -o b.raw";
  EXPECT_THAT(why_refused(task), HasSubstr("must be a pointer to float, double or whole numbers"));
  task = next_pixel();
  task.function = parse_prototype("void f(const uchar4* a, uchar4* b, int2 rows, int columns)");
  EXPECT_THAT(why_refused(task), HasSubstr("'rows' is a size, so its type must be an integer"));
  task.function = parse_prototype("void f(const uchar4* a, uchar4* b, bool rows, int columns)");
  EXPECT_THAT(why_refused(task), HasSubstr("'rows' is a size, so its type must be an integer"));
  task = next_pixel();
  task.buffers[0].type = find_element_type("bool");
  task.buffers[0].components = 1;
  EXPECT_EQ(why_refused(task), "");
  task.buffers[0].values = {"integers(0, 2)"};
  EXPECT_THAT(why_refused(task), HasSubstr("is beyond what bool holds"));
}

TEST(VectorTypes, RandomBoolsAreBoth) {
  std::vector<std::byte> bytes(1000);
  std::mt19937_64 random(1);
  Distribution("random", {}, *find_element_type("bool")).fill(bytes, random);
  const auto ones = std::ranges::count(bytes, std::byte{1});
  EXPECT_EQ(ones + std::ranges::count(bytes, std::byte{0}), 1000);
  EXPECT_GT(ones, 400);
  EXPECT_LT(ones, 600);
}

/// Each component is one more than in the input.
class NextPixel final : public ReferenceCode {
 public:
  StaffOutput run(Step, const Coordinates& sizes, StaffInputs inputs, std::size_t size) override {
    const auto out = std::make_shared<std::vector<std::byte>>(size);
    const auto count =
        static_cast<std::size_t>(4 * value_of(sizes, "rows") * value_of(sizes, "columns"));
    std::vector<std::int64_t> numbers;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(inputs[0].data());
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(bytes[i] + 1);
    std::memcpy(out->data(), numbers.data(), count * sizeof numbers[0]);
    return {*out, out};
  }
};

struct WrongPixels {
  std::string hint, place;
  std::int64_t mismatches = 0;
};

/// The buffers of a problem, with its inputs.
struct FilledBuffers {
  explicit FilledBuffers(const FolderProblem& problem) : memory(memory_of(problem)) {
    values = values_of(memory);
    std::mt19937_64 random(1);
    problem.fill(values, random);
  }
  std::vector<BufferMemory> memory;
  Values values;
};

/// What the report says of outputs that `spoil` has changed.
WrongPixels of_pixels(int rows, int columns,
                      const std::function<void(unsigned char*, std::size_t)>& spoil) {
  TaskDescription task = next_pixel();
  task.buffers[0].values = {"integers(0, 200)"};
  const FolderProblem problem(task, {{"rows", rows}, {"columns", columns}},
                              std::make_shared<NextPixel>());
  FilledBuffers filled(problem);
  const Values& values = filled.values;
  problem.set_output(values, false, 1);
  const auto count = static_cast<std::size_t>(4 * rows * columns);
  auto* const out = reinterpret_cast<unsigned char*>(values[0].bytes().data());
  const auto* const in = reinterpret_cast<const unsigned char*>(values[1].bytes().data());
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<unsigned char>(in[i] + 1);
  spoil(out, count);
  const auto report = problem.check(values, 0, {}, 1);
  return {problem.explain(values, report).text, report.passed() ? "" : text_of(report.place),
          report.mismatches};
}

/// Of 3 rows and 5 columns.
std::int64_t checked_numbers(const TaskDescription& task) {
  const FolderProblem problem(task, {{"rows", 3}, {"columns", 5}}, std::make_shared<NextPixel>());
  const FilledBuffers filled(problem);
  return problem.check(filled.values, 0, {}, 1).checked;
}

TEST(VectorTypes, AReportNamesTheComponent) {
  EXPECT_EQ(of_pixels(5, 7, [](unsigned char*, std::size_t) {}).mismatches, 0);
  const auto one =
      of_pixels(5, 7, [](unsigned char* out, std::size_t) { out[4 * (2 * 7 + 3) + 2] = 250; });
  EXPECT_EQ(one.place, "i=2 j=3 component=2");
  EXPECT_EQ(one.hint, "only b[2][3].z is wrong");
  EXPECT_EQ(one.mismatches, 1);
  const auto opacity = of_pixels(5, 7, [](unsigned char* out, std::size_t count) {
    for (std::size_t i = 3; i < count; i += 4) out[i] = 255;
  });
  EXPECT_EQ(opacity.place, "i=0 j=0 component=3");
  EXPECT_EQ(opacity.hint, "the first wrong element is b[0][0].w, the 3 before it are right");
  EXPECT_EQ(opacity.mismatches, 35);
}

TEST(VectorTypes, WhatIsDefinedAreWholeElements) {
  TaskDescription task = next_pixel();
  task.buffers[1].defined = "rows";
  EXPECT_EQ(checked_numbers(task), 4 * 3);
  task.buffers[1].defined = "100 * rows";
  EXPECT_EQ(checked_numbers(task), 4 * 3 * 5) << "at most all";
}

TEST(VectorTypes, AdviceKnowsHowComponentsAreMixedUp) {
  const auto copied = [](const auto& source) {
    return [source](unsigned char* out, std::size_t count) {
      const std::vector<unsigned char> right(out, out + count);
      for (std::size_t i = 0; i < count; ++i) out[i] = right[source(i, count) % count];
    };
  };
  const auto hint = [&](const auto& source) { return of_pixels(9, 9, copied(source)).hint; };
  EXPECT_THAT(hint([](std::size_t i, std::size_t) { return i + 4; }),
              HasSubstr("b is right, but one element too early: b[0][0].x has the value of"));
  EXPECT_THAT(hint([](std::size_t i, std::size_t) { return i + 36; }),
              HasSubstr("b is right, but one row too early"));
  EXPECT_THAT(hint([](std::size_t i, std::size_t) { return i + 1; }),
              HasSubstr("b is right, but one component too early"));
  EXPECT_THAT(hint([](std::size_t i, std::size_t) { return 4 * (i / 4 % 9 * 9 + i / 36) + i % 4; }),
              HasSubstr("b is right, but transposed"));
  EXPECT_THAT(
      hint([](std::size_t i, std::size_t count) { return i % (count / 4) * 4 + i / (count / 4); }),
      HasSubstr("first every x, then every y"));
}

TEST(VectorTypes, StaffsCodeGetsComponents) {
  TaskDescription task = next_pixel();
  task.function = parse_prototype(
      "bool f(const uchar4* a, float3 tint, const bool* mask, uchar4* b, int rows, int columns)");
  const auto number = [](const char* name, const char* type, std::vector<std::string> extents) {
    const ValueType value = find_value_type(type);
    BufferDescription buffer{.name = name, .type = value.type, .components = value.components};
    buffer.scalar = extents.empty();
    buffer.extents = std::move(extents);
    return buffer;
  };
  task.buffers.insert(task.buffers.begin() + 1,
                      {number("tint", "float3", {}), number("mask", "bool", {"rows"})});
  task.buffers.push_back(number("result", "bool", {}));
  task.buffers.back().role = VectorRole::out;
  EXPECT_EQ(why_refused(task), "");
  EXPECT_EQ(staff_prototypes(task),
            "void reference(const unsigned char* a, const float* tint, const bool* mask, long "
            "long* b, long long rows, long long columns, long long* result);");
}

}  // namespace
}  // namespace opgrade
