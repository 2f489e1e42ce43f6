// Nothing that opgrade reads of a student takes more than linear time. Work is counted, not timed:
// by the blocks of code that run, and the bytes that the C library's searches look at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/cpp_tokens.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/emulation/driver/missing_feature.hpp"
#include "grader/emulation/translator/translate.hpp"
#include "grader/grading/build/build_hint.hpp"
#include "grader/grading/build/compiler_warnings.hpp"
#include "grader/grading/build/line_markers.hpp"
#include "grader/grading/build/preprocessed_text.hpp"
#include "grader/grading/pipeline/constructs.hpp"
#include "grader/grading/profile/address_sanitizer.hpp"
#include "grader/grading/profile/sanitizer.hpp"
#include "grader/task/folder/edited_function.hpp"

std::uint64_t work = 0;  // counted_search.cpp adds to it, too

extern "C" void __sanitizer_cov_trace_pc() { ++work; }

namespace opgrade {
namespace {

std::string repeated(std::string_view start, std::string_view part, std::size_t size) {
  std::string text(start);
  while (text.size() < size) text += part;
  return text;
}

/// As people and attackers write many of.
constexpr std::string_view kParts[] = {
    "\n",
    "\r\n",
    "\r",
    " ",
    "\\\n",
    "#",
    "# ",
    "##",
    "%:",
    "%\\\n:",
    "a",
    "1'",
    ".",
    "\xff",
    "\x1b",
    "\xe2\x80\x8b",
    "one(",
    "one (",
    "one()",
    "one(){",
    "one(){}",
    "(",
    ")",
    "()",
    "{",
    "}",
    "{}",
    "[",
    "]",
    "<",
    ">",
    "a<",
    "a<b,",
    "<<<",
    ">>>",
    "k<<<",
    "k<<<1,2>>>(",
    "R\"",
    "R\"(",
    "R\"a",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "// \\\n",
    "#pragma omp parallel\n",
    "#pragma ",
    "#pragma \\\n",
    "# 1 \"a.cu\"\n",
    "# 1 \"/usr/a.h\" 3\n",
    "# 1 \"b\"\n",
    "#define X X X\n",
    "sort ",
    "std::sort(",
    "solve(",
    "solve ",
    "solve(\n",
    "; ",
    ":",
    "?:",
    "=",
    "+",
    "x+=1;",
    "x=x+",
    "undefined reference to `f",
    "error: ",
    "undefined reference to `solve(float*)'\n",
    "undefined symbol: f\n",
    "a.cu:1:1: error: x\n",
    "fatal error: x.h: No such file or directory\n",
    "a.cu:1:1: warning: x\n",
    "a.cu(1): warning #1-D: x\n",
    "a.cu:1:1: error: 'cudaGraph'\n",
    "a.cu:1:1: error: 'f'\n",
    "=========",
    "========= Invalid\n",
    "=========     at k+0x1 in a.cu:1\n",
    "    #1 0x1 in f a.cu:1:1\n",
    "AddressSanitizer: SEGV ",
    "a.cu:1:1: runtime error: x\n",
    "WARNING: ThreadSanitizer: data race\n",
    "  Previous write of size 4\n",
};
constexpr std::string_view kStarts[] = {"", "void one() {\n", "# 1 \"a.cu\"\n"};

using Reading = std::function<void(const std::string&)>;

std::uint64_t work_of(const Reading& reading, const std::string& text) {
  const std::uint64_t before = work;
  reading(text);
  return work - before;
}

/// Twice the text must be at most about twice the work.
void expect_linear(const char* name, const Reading& reading) {
  constexpr std::size_t kSize = 8'000;
  constexpr std::uint64_t kConstant = 20'000;  // of tables and first allocations
  for (const auto start : kStarts) {
    for (const auto part : kParts) {
      const auto one = work_of(reading, repeated(start, part, kSize));
      const auto two = work_of(reading, repeated(start, part, 2 * kSize));
      EXPECT_LE(two, one * 5 / 2 + kConstant)
          << name << ": " << testing::PrintToString(std::string(start)) << " and then many "
          << testing::PrintToString(std::string(part));
    }
  }
}

// The counter itself: a search in the rest for each character must be seen.
TEST(Linear, TheWorkOfASearchIsCounted) {
  const Reading quadratic = [](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
      found += std::string_view(text).substr(i).find('x') != text.npos ? 1 : 0;
    EXPECT_EQ(found, 0u);
  };
  EXPECT_GT(work_of(quadratic, std::string(16'000, 'a')),
            3 * work_of(quadratic, std::string(8'000, 'a')));
}

TEST(Linear, Tokens) {
  expect_linear("cpp_tokens", [](const std::string& text) { cpp_tokens(text); });
  expect_linear("without_line_markers",
                [](const std::string& text) { without_line_markers(text); });
  expect_linear("spelled_tokens", [](const std::string& text) { spelled_tokens(text); });
}

TEST(Linear, AnEditedFile) {
  expect_linear("with_function_of", [](const std::string& text) {
    for (const std::string& given : {std::string("void one() {\n}\n"), text}) {
      try {
        with_function_of(given, text, "one");
      } catch (const std::invalid_argument&) {
      }
    }
  });
}

std::optional<PreprocessedSource> read(const std::string& text, TokenBudget left = {}) {
  const PreprocessedFiles files{
      .before = "b",
      .behind = "e",
      .texts = 1,
      .is_foreign = [](const std::string& file) { return file.starts_with('/'); },
      .is_adapter = [](const std::string& file) { return file.starts_with("/a/"); }};
  return read_preprocessed(text, files, left);
}

TEST(Linear, APreprocessorsOutput) {
  expect_linear("read_preprocessed", [](const std::string& text) { read(text); });
  expect_linear("with_places_of",
                [](const std::string& text) { with_places_of(text, text + "\n# 1 \"b\"\n"); });
}

// A forbidden name that is a macro for as many tokens as the source has.
TEST(Linear, ASearchForTokens) {
  const Reading search = [](const std::string& text) {
    StageConfig stage;
    stage.constructs = {{.forbidden = "b"}};
    auto source = read("# 1 \"a.cu\"\n" + text);
    ASSERT_TRUE(source);
    source->behind.front().assign(source->tokens.size() / 2, "a");
    source->behind.front().push_back("b");
    broken_constructs(stage, {"a.cu"}, {*source}, std::nullopt);
  };
  EXPECT_LE(work_of(search, repeated("", "a ", 16'000)),
            work_of(search, repeated("", "a ", 8'000)) * 5 / 2 + 20'000);
}

TEST(Linear, Messages) {
  static constexpr std::string_view kFunctions[] = {"solve"};
  Interface interface;
  interface.functions = kFunctions;
  const auto is_own = [](const std::string& path) { return path.starts_with("/usr"); };
  expect_linear("printable", [](const std::string& text) { printable(text); });
  expect_linear("build_reason", [&](const std::string& text) {
    const TakenFiles files{".", {{"a.cu", text}}};
    build_reason(interface, Device::cpu, files, {"a.cu"}, "undefined reference to `solve()'\n");
  });
  expect_linear("find_missing_feature",
                [](const std::string& text) { emulation::find_missing_feature(text); });
  expect_linear("compiler_warnings",
                [](const std::string& text) { compiler_warnings(text, {"a.cu"}); });
  expect_linear("read_sanitizer",
                [](const std::string& text) { read_sanitizer(text, "memcheck"); });
  expect_linear("read_address_sanitizer",
                [&](const std::string& text) { read_address_sanitizer(text, is_own); });
  expect_linear("read_thread_sanitizer",
                [&](const std::string& text) { read_thread_sanitizer(text, is_own); });
}

// In the sandbox, where the limits of the build hold it.
TEST(Linear, TheTranslator) {
  expect_linear("translate", [](const std::string& text) {
    emulation::translate("# 1 \"a.cu\"\n" + text, {.own_headers = "/opgrade"});
  });
}

TEST(Bounded, WhatMacrosExpandTo) {
  const std::string text = repeated("# 1 \"a.cu\"\n", "x ", 4'000);
  // The marker of the text's one place is kept as well.
  EXPECT_TRUE(read(text, {.tokens = 2'000, .bytes = 2'000 + sizeof "\n# 1 \"a.cu\"\n"}));
  EXPECT_FALSE(read(text, {.tokens = 1'000, .bytes = 2'000}));
  EXPECT_FALSE(read(text, {.tokens = 2'000, .bytes = 1'000}));
  EXPECT_FALSE(read(repeated("# 1 \"b\"\n", "x ", 4'000), {.tokens = 1'000, .bytes = 2'000}))
      << "also of a name that was asked about";
  EXPECT_TRUE(read(repeated("# 1 \"/usr/a.h\"\n", "x ", 4'000), {.tokens = 1, .bytes = 1}))
      << "headers of the system's are not kept";
}

}  // namespace
}  // namespace opgrade
