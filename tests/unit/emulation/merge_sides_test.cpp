#include "grader/emulation/translator/merge_sides.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace opgrade::emulation {
namespace {

const std::string kFile = "# 1 \"a.cu\"\n";

/// Without line markers, and with blanks squeezed.
std::string merged_text(const std::string& host, const std::string& device) {
  const std::string text = merge_sides(kFile + host, kFile + device, "/none").text;
  const std::string plain = std::regex_replace(text, std::regex("(^|\n)# [^\n]*"), " ");
  return std::regex_replace(std::regex_replace(plain, std::regex("\\s+"), " "), std::regex("^ | $"),
                            "");
}

TEST(MergedSides, are_the_text_if_both_are_the_same) {
  const std::string text = "int f() { return 1; }\n__global__ void k() { f(); }";
  EXPECT_EQ(merge_sides(kFile + text, kFile + text, "/none").text, kFile + text);
}

TEST(MergedSides, have_each_functions_body_of_its_own_side) {
  EXPECT_EQ(merged_text("int f() { return 1; } __global__ void k() { use(1); } int tail;",
                        "int f() { return 2; } __global__ void k() { use(2); } int tail;"),
            "int f() { return 1; } __global__ void k() { use(2); } int tail;");
}

TEST(MergedSides, let_a_function_of_both_choose) {
  EXPECT_EQ(
      merged_text("__host__ __device__ int f() { return 1; } int tail;",
                  "__host__ __device__ int f() { return 2; } int tail;"),
      "__host__ __device__ int f() { if (::opgrade_emulation::on_device()) { return 2; } else "
      "{ return 1; } } int tail;");
}

TEST(MergedSides, have_a_body_that_one_side_leaves_empty) {
  EXPECT_EQ(
      merged_text("__global__ void k() {} int tail;", "__global__ void k() { use(); } int tail;"),
      "__global__ void k() { use(); } int tail;");
  EXPECT_EQ(merged_text("int f() {} int tail;", "int f() { use(); } int tail;"),
            "int f() {} int tail;");
}

/// The place of the first declaration that differs.
int differing_line(const std::string& host, const std::string& device) {
  const auto remarks = merge_sides(kFile + host, kFile + device, "/none").remarks;
  return remarks.empty() ? 0 : remarks.front().line;
}

TEST(MergedSides, leave_a_constant_and_a_class_that_differ_to_a_gpu) {
  EXPECT_EQ(differing_line("int head;\n__host__ __device__ constexpr int f() { return 1; }",
                           "int head;\n__host__ __device__ constexpr int f() { return 2; }"),
            2);
  EXPECT_EQ(differing_line("struct S { int a;\nint c; };\nint tail;",
                           "struct S { int a; int b;\nint c; };\nint tail;"),
            2);
  EXPECT_EQ(differing_line("struct S {\nint c; };\nint tail;",
                           "struct S { int f() { return 1; }\nint c; };\nint tail;"),
            0)
      << "a function changes no object";
  EXPECT_EQ(differing_line("struct S {\nint f(); };\nint tail;",
                           "struct S {\n__device__ int f(); };\nint tail;"),
            0);
}

/// Whether a class that has this more on the device is left to a GPU; the class has members before
/// and behind.
bool is_left_to_a_gpu(const std::string& more) {
  const std::string begin = "struct S { int a; int f() { return 1; } ",
                    end = " int b; }; int tail;";
  return differing_line(begin + end, begin + more + end) != 0;
}

TEST(MergedSides, leave_data_of_a_class_that_only_one_has_to_a_gpu) {
  for (const char* data : {"int cached; __device__ int get() { return cached; }",
                           "float a[sizeof(int)];",
                           "std::function<void(int)> f;",
                           "int c, d;",
                           "int c = g(1);",
                           "int c{g(1)};",
                           "int c : 3;",
                           "public: int c;",
                           "alignas(16) int c;",
                           "int (*f)(int);",
                           "int (S::*f)(int);",
                           "struct T* t;",
                           "struct T t;",
                           "struct T { int u; } t;",
                           "struct { int c; };",
                           "union { int c; float d; };",
                           "enum E { one } e;",
                           "enum E : int { one } e;",
                           "decltype(g(1)) c;",
                           "ns::T c;",
                           "std::pair<int, T> c;",
                           "int g(); int c;",
                           "static int c; int d;",
                           "const int c = 3;",
                           "mutable int c;",
                           "virtual int g();",
                           "virtual int g() { return 1; }"})
    EXPECT_TRUE(is_left_to_a_gpu(data)) << data;
  EXPECT_NE(differing_line("struct S { int a; }; int tail;", "struct S { int a, b; }; int tail;"),
            0);
  EXPECT_NE(differing_line("struct S { int a; }; int tail;", "struct S { int a[2]; }; int tail;"),
            0);
}

TEST(MergedSides, have_members_of_one_that_are_no_data) {
  for (const char* member : {"static constexpr int kLanes = 32; using Index = unsigned;",
                             "typedef int Index;",
                             "friend struct T;",
                             "friend int g(S&);",
                             "enum { kLanes = 32 };",
                             "enum class E : int { one, two };",
                             "enum E : int;",
                             "struct T { int c; };",
                             "struct T;",
                             "class T final : public U { int c; };",
                             "int g();",
                             "int g() { int c; return 1; }",
                             "__device__ int g() const { return 1; }",
                             "static int g(int);",
                             "constexpr static int c = 1;",
                             "inline static int c;",
                             "static_assert(sizeof(int) == 4);",
                             "template <class T> int g(T t);",
                             "template <class T> struct U { T t; };",
                             "public: int g();",
                             "~S() = default;",
                             "S(int c) : a(c) { b = c; }",
                             "explicit S(int c);",
                             "operator int() const;",
                             "S& operator=(const S&) = default;",
                             "auto g() -> int;",
                             "std::pair<int, int> g(int c = 1);",
                             "ns::T g(int);",
                             "int (*g(int))[4];",
                             "struct T* g();",
                             "int g() noexcept;",
                             "__attribute__((unused)) int g();",
                             "using U::U;",
                             ";"})
    EXPECT_FALSE(is_left_to_a_gpu(member)) << member;
}

TEST(MergedSides, keep_what_one_has) {
  EXPECT_EQ(merged_text("int a; __global__ void k() { f(); } int tail;",
                        "__device__ void f() { } int a; __global__ void k() { f(); } int tail;"),
            "__device__ void f() { } int a; __global__ void k() { f(); } int tail;");
  EXPECT_EQ(merged_text("int a; void host() { } int tail;", "int a; int tail;"),
            "int a; void host() { } int tail;");
}

TEST(MergedSides, differ_where_one_name_is_two_things) {
  const MergedText merged = merge_sides(kFile + "const int tile = 1;\nint tail;",
                                        kFile + "const int tile = 2;\nint tail;", "/none");
  ASSERT_EQ(merged.remarks.size(), 1u);
  EXPECT_EQ(merged.remarks[0].kind, Remark::Kind::not_emulated);
  EXPECT_EQ(merged.remarks[0].line, 1);
}

TEST(MergedSides, keep_the_lines_of_each_text) {
  const std::string text =
      merge_sides(kFile + "__global__ void k()\n{\n\n  host(); }\nint tail;",
                  kFile + "__global__ void k()\n{\n  device();\n }\nint tail;", "/none")
          .text;
  EXPECT_THAT(text, testing::HasSubstr("# 2 \"a.cu\"\n{\n  device();"));
  EXPECT_THAT(text, testing::HasSubstr("# 4 \"a.cu\"\n\nint tail;"));
}

}  // namespace
}  // namespace opgrade::emulation
