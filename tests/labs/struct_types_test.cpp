// Structs of a task's types.h: what of a header is read, and how it is laid out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/base/core/temp_dir.hpp"
#include "grader/task/folder/adapter_text.hpp"
#include "grader/task/folder/struct_type.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> fields_of(const std::string& header, const std::string& name) {
  const auto type = StructTypes(header).find(name);
  std::vector<std::string> fields;
  if (!type) return fields;
  for (const StructField& field : type->fields)
    fields.push_back(fmt::format("{} {} {}", field.type->c_name, field.name, field.offset));
  fields.push_back(fmt::format("{} bytes, aligned to {}", type->bytes, type->alignment));
  return fields;
}

TEST(StructTypes, AreReadInTheFormsOfCAndCpp) {
  EXPECT_THAT(fields_of("struct P { float x, y; int id; };", "P"),
              ElementsAre("float x 0", "float y 4", "int id 8", "12 bytes, aligned to 4"));
  EXPECT_THAT(fields_of("typedef struct { double x; uint8_t n; } p_t;", "p_t"),
              ElementsAre("double x 0", "unsigned char n 8", "16 bytes, aligned to 8"));
  EXPECT_THAT(fields_of("typedef struct tag_s { bool b; } tag_t; int f(struct tag_s* p);", "tag_t"),
              ElementsAre("bool b 0", "1 bytes, aligned to 1"));
  EXPECT_THAT(fields_of("#pragma once\n// struct P { int a; };\nstruct P /* { */ {\n"
                        "  char c; // a\n  unsigned short s[2];\n};\n",
                        "P"),
              ElementsAre("signed char c 0", "unsigned short s[0] 2", "unsigned short s[1] 4",
                          "6 bytes, aligned to 2"));
  EXPECT_THAT(
      fields_of("namespace sim { struct V { float2 at; }; struct P { V v[2]; }; }", "sim::P"),
      ElementsAre("float v[0].at.x 0", "float v[0].at.y 4", "float v[1].at.x 8",
                  "float v[1].at.y 12", "16 bytes, aligned to 8"));
  EXPECT_THAT(fields_of("class C { int a; void f(); }; struct P { int a; };", "P"),
              ElementsAre("int a 0", "4 bytes, aligned to 4"));
  EXPECT_THAT(fields_of("struct P { int a; };", "Q"), ElementsAre());
}

/// That g++ lays them out as read here.
TEST(StructTypes, LieAsTheCompilerLaysThemOut) {
  const std::string header = R"(
struct Plain { char c; double d; short s; int i; unsigned char u; };
struct alignas(32) Wide { float x; };
struct Vectors { char c; float3 a; char d; float2 b; uchar4 e; double2 f; short3 g; int4 h; ushort2 i; };
struct Arrays { char name[5]; int grid[2][3]; long long last[1]; };
struct Inner { bool a; double b; };
struct Nested { char c; Inner one; struct Inner more[2]; Wide wide; };
namespace a { namespace b { struct Deep { half h; float f; }; struct Use { Deep d[2]; char c; }; } }
typedef struct { size_t n; uint16_t k; } counted_t;
)";
  const StructTypes structs(header);
  TaskDescription task;
  task.types = header;
  std::string text = types_header(task);
  for (const char* name : {"Plain", "Wide", "Vectors", "Arrays", "Inner", "Nested", "a::b::Deep",
                           "a::b::Use", "counted_t"}) {
    const auto type = structs.find(name);
    ASSERT_TRUE(type) << name;
    text += layout_proof(*type);
  }
  const TempDir folder("opgrade-structs-");
  const auto compiles = [&](const std::string& source) {
    std::ofstream(folder.path() / "proof.cpp") << source;
    const auto command = fmt::format("cd {} && g++ -std=c++17 -fsyntax-only proof.cpp 2> log",
                                     folder.path().string());
    return std::system(command.c_str()) == 0;
  };
  EXPECT_TRUE(compiles(text)) << text;
  const auto packed = structs.find("Plain");
  EXPECT_FALSE(
      compiles("struct __attribute__((packed)) Plain { char c; double d; short s; int i; "
               "unsigned char u; };\n" +
               layout_proof(*packed)))
      << "a proof that proves";
}

std::string refusal_of(const std::string& header) {
  try {
    StructTypes(header).find("P");
    return "";
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
}

TEST(StructTypes, WhatIsNoDataIsRefusedWhenATaskUsesIt) {
  EXPECT_EQ(refusal_of("struct P { int a; }; struct Q { int* a; };"), "");
  for (const auto& [header, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"struct P { float* x; };", "'*' stands in it"},
           {"struct P { float x = 3; };", "'=' stands in it"},
           {"struct P { int n : 3; };", "':' stands in it"},
           {"struct P { void f(); int a; };", "'(' stands in it"},
           {"struct P { union { int a; float b; }; };", "'{' stands in it"},
           {"struct P { std::array<int, 3> a; };", "'<' stands in it"},
           {"struct P { string s; };", "a field has the type 'string'"},
           {"struct P { int a[N]; };", "the length of 'a' is no number from 1 to 256"},
           {"struct P { int a[0]; };", "the length of 'a' is no number from 1 to 256"},
           {"struct P { int a[200], b[200]; };", "more than 256 numbers"},
           {"struct P { int a[16][17]; };", "more than 256 numbers"},
           {"struct P { };", "it has no fields"},
           {"struct B { int b; }; struct P : B { int a; };", "it has a base class"},
           {"struct B { int* b; }; struct P { B b; };", "in 'B': '*' stands in it"},
           {"struct alignas(kWide) P { int a; };", "its alignment is no number"},
       })
    EXPECT_THAT(refusal_of(header), HasSubstr(why)) << header;
}

TEST(StructTypes, APrototypeTakesThemInEachWay) {
  const StructTypes structs(
      "struct Ball { float x; int n; }; namespace a { struct B { int i; }; }");
  const auto function =
      parse_prototype("Ball f(const Ball* in, Ball& out, const a::B& b, Ball by, int n)", structs);
  EXPECT_EQ(function.returns_record->name, "Ball");
  std::vector<std::string> names;
  for (const Parameter& one : function.parameters)
    names.push_back((one.record ? one.record->name : "none") + (one.may_be_size() ? " size" : ""));
  EXPECT_THAT(names, ElementsAre("Ball", "Ball", "a::B", "Ball", "none size"));
  EXPECT_EQ(function.parameters[2].spelled, "a::B");
  EXPECT_THROW(parse_prototype("void f(Ball* out, int n)"), std::invalid_argument);
}

TEST(StructTypes, ColumnsAreTheFieldsAlone) {
  const auto type = *StructTypes("struct P { char c; short s; char d; };").find("P");
  std::vector<std::byte> structs(3 * type.bytes, std::byte{0xee});
  const std::vector<std::byte> shorts{std::byte{1}, std::byte{2}, std::byte{3},
                                      std::byte{4}, std::byte{5}, std::byte{6}};
  set_column(structs, type, type.fields[1], shorts);
  EXPECT_EQ(column_of(structs, type, type.fields[1]), shorts);
  EXPECT_THAT(column_of(structs, type, type.fields[2]), testing::Each(std::byte{0xee}));
  EXPECT_EQ(std::ranges::count(structs, std::byte{0xee}), 12);
}

}  // namespace
}  // namespace opgrade
