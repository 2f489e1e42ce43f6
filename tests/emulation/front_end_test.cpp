// What nvcc refuses is refused without nvcc, at the same line; what nvcc takes is taken.
// nvcc_rules.txt has the sources, with nvcc's answers.
#include "grader/emulation/driver/front_end.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "grader/base/core/temp_dir.hpp"
#include "tests/emulation/build_and_run.hpp"

namespace opgrade::emulation_test {
namespace {

namespace fs = std::filesystem;

struct RuleCase {
  std::string name;
  bool refused = false;
  int line = 0;
  bool plain = false;  ///< an error of plain C++, which is the host compiler's to find
  std::string source;
};

std::vector<RuleCase> rule_cases() {
  std::ifstream in(OPGRADE_SOURCE_DIR "/tests/emulation/nvcc_rules.txt");
  std::vector<RuleCase> cases;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("=== ")) {
      if (!cases.empty()) cases.back().source += line + "\n";
      continue;
    }
    std::istringstream head(line.substr(4));
    RuleCase one;
    std::string answer;
    std::string plain;
    head >> one.name >> answer >> one.line >> plain;
    one.name.pop_back();
    one.plain = plain == "plain";
    one.refused = answer == "refuses";
    cases.push_back(one);
  }
  return cases;
}

const emulation::Installation& installation() {
  static const emulation::Installation found = emulation::find_installation(fs::path(OPGRADE_CUCC));
  return found;
}

emulation::DriverOptions options() {
  return emulation::parse_driver_options({"-std=c++17", "x.cu"});
}

fs::path written(const TempDir& folder, const std::string& source) {
  const fs::path file = folder.path() / "case.cu";
  std::ofstream(file) << source;
  return file;
}

/// The line of the first error, "case.cu:7:3: error: ..." or "case.cu(7): error: ...".
int line_of_error(const std::string& messages) {
  std::istringstream in(messages);
  for (std::string line; std::getline(in, line);) {
    const auto name = line.find("case.cu");
    if (line.find("error") == line.npos || name == line.npos) continue;
    const int number = std::atoi(line.c_str() + name + 8);
    if (number > 0) return number;
  }
  return 0;
}

class NvccRule : public testing::TestWithParam<RuleCase> {
 protected:
  TempDir folder_{"opgrade-rules"};
};

TEST_P(NvccRule, holds_without_nvcc) {
  if (!fs::exists(installation().runtime / "cuda-front-end")) GTEST_SKIP() << "no front end";
  const RuleCase& one = GetParam();
  if (one.plain) {
    const Built built = build(written(folder_, one.source), folder_.path(), {"-c"});
    EXPECT_FALSE(built.ok);
    EXPECT_EQ(line_of_error(built.messages), one.line) << built.messages;
    return;
  }
  const auto options_of_case = options();
  emulation::FrontEnd reader(options_of_case, installation(), written(folder_, one.source),
                             folder_.path());
  const auto result = reader.result();
  EXPECT_EQ(result,
            one.refused ? emulation::FrontEnd::Result::refused : emulation::FrontEnd::Result::read)
      << reader.messages();
  if (one.refused && one.line > 0) {
    EXPECT_EQ(line_of_error(reader.messages()), one.line) << reader.messages();
  }
}

INSTANTIATE_TEST_SUITE_P(Table, NvccRule, testing::ValuesIn(rule_cases()),
                         [](const auto& test) { return test.param.name; });

/// The table says what nvcc says. Every twelfth case, unless OPGRADE_LONG_TESTS is set.
TEST(NvccRules, are_those_of_nvcc) {
  const char* const nvcc = "/usr/local/cuda/bin/nvcc";
  if (!fs::exists(nvcc)) GTEST_SKIP() << "no nvcc";
  const TempDir folder("opgrade-nvcc");
  const bool all = std::getenv("OPGRADE_LONG_TESTS") != nullptr;
  int number = 0;
  for (const RuleCase& one : rule_cases()) {
    if (number++ % 12 != 0 && !all) continue;
    const auto [messages, status] =
        shell(std::string(nvcc) + " -arch=sm_90 -std=c++17 -c -o /dev/null " +
              written(folder, one.source).string() + " 2>&1");
    EXPECT_EQ(status != 0, one.refused) << one.name << ": " << messages;
    if (one.refused) {
      EXPECT_EQ(line_of_error(messages), one.line) << one.name << ": " << messages;
    }
  }
}

TEST(FrontEnd, stops_a_build_with_the_line) {
  if (!fs::exists(installation().runtime / "cuda-front-end")) GTEST_SKIP() << "no front end";
  const TempDir folder("opgrade-refused");
  const Built built = build(written(folder,
                                    "float twice(float x) { return 2 * x; }\n"
                                    "__global__ void k(float* o) { o[0] = twice(o[1]); }\n"),
                            folder.path(), {});
  EXPECT_FALSE(built.ok);
  EXPECT_NE(built.messages.find("case.cu:2:38: error: calling a __host__ function (\"twice\") from "
                                "a __global__ function (\"k\") is not allowed"),
            built.messages.npos)
      << built.messages;
}

TEST(FrontEnd, reads_a_source_of_a_later_standard) {
  if (!fs::exists(installation().runtime / "cuda-front-end")) GTEST_SKIP() << "no front end";
  const TempDir folder("opgrade-refused");
  const Built built = build(written(folder,
                                    "float twice(float x) { return 2 * x; }\n"
                                    "__device__ float next(float x) { return x + 1; }\n"
                                    "__global__ void k(float* o) { o[0] = next(twice(o[1])); }\n"),
                            folder.path(), {"-std=c++20"});
  EXPECT_FALSE(built.ok);
  EXPECT_NE(built.messages.find("case.cu:3:43: error: calling a __host__ function (\"twice\")"),
            built.messages.npos)
      << built.messages;
}

TEST(FrontEnd, warns_of_host_code_that_uses_its_copy_of_a_device_variable) {
  if (!fs::exists(installation().runtime / "cuda-front-end")) GTEST_SKIP() << "no front end";
  const TempDir folder("opgrade-copies");
  const auto messages = [&](const std::string& source) {
    const auto options_of_case = options();
    emulation::FrontEnd reader(options_of_case, installation(), written(folder, source),
                               folder.path());
    EXPECT_EQ(reader.result(), emulation::FrontEnd::Result::read);
    return reader.messages();
  };
  EXPECT_NE(
      messages("__device__ int n[3];\nvoid f() {\n  n[1] = 4;\n}\n")
          .find("case.cu:3:3: warning: a __device__ variable \"n\" cannot be directly written"),
      std::string::npos);
  EXPECT_NE(
      messages("__constant__ float w;\nfloat f() {\n  return w;\n}\n")
          .find("case.cu:3:10: warning: a __constant__ variable \"w\" cannot be directly read"),
      std::string::npos);
  EXPECT_EQ(messages("__device__ int n[3];\n__managed__ int m;\n__constant__ const int k = 3;\n"
                     "__global__ void g() { n[0] = m; }\n"
                     "int f() {\n"
                     "  int h[3];\n"
                     "  cudaMemcpyToSymbol(n, h, sizeof n);\n"
                     "  m = 3;\n"
                     "  return sizeof(n) / sizeof(n[0]) + m + k;\n}\n"),
            "");
}

/// Clang need not agree with the host compiler about plain C++, which alone decides.
TEST(FrontEnd, leaves_plain_cxx_to_the_host_compiler) {
  const TempDir folder("opgrade-plain");
  const Built built = build(written(folder,
                                    "#ifdef __clang__\n#error read by another compiler\n#endif\n"
                                    "__global__ void k(float* o) { o[0] = 1; }\n"),
                            folder.path(), {});
  EXPECT_TRUE(built.ok) << built.messages;
  EXPECT_NE(built.messages.find("case.cu:1:1: warning: not checked for what nvcc refuses"),
            built.messages.npos);
}

TEST(FrontEnd, compares_the_words_of_overriding_functions) {
  if (!fs::exists(installation().runtime / "cuda-front-end")) GTEST_SKIP() << "no front end";
  const TempDir folder("opgrade-overriding");
  const auto line_refused = [&](const std::string& of_base, const std::string& of_derived) {
    const auto relaxed =
        emulation::parse_driver_options({"-std=c++20", "--expt-relaxed-constexpr", "x.cu"});
    emulation::FrontEnd reader(
        relaxed, installation(),
        written(folder, "struct A { virtual " + of_base + " int f() const { return 1; } };\n" +
                            "struct B : A { " + of_derived +
                            " int f() const override { return 2; } };\n"),
        folder.path());
    EXPECT_NE(reader.result(), emulation::FrontEnd::Result::unknown) << reader.messages();
    return line_of_error(reader.messages());
  };
  EXPECT_EQ(line_refused("constexpr", ""), 0);
  EXPECT_EQ(line_refused("", "constexpr"), 0);
  EXPECT_EQ(line_refused("constexpr __device__", "__device__"), 0);
  EXPECT_EQ(line_refused("constexpr", "__host__ __device__"), 2);
  EXPECT_EQ(line_refused("__device__", "constexpr"), 2);
  EXPECT_EQ(line_refused("__host__ __device__", "constexpr"), 2);
}

// nvcc 13 takes all three with the flag.
TEST(FrontEnd, lets_a_relaxed_function_use_what_is_the_hosts) {
  if (!fs::exists(installation().runtime / "cuda-front-end")) GTEST_SKIP() << "no front end";
  const TempDir folder("opgrade-relaxed");
  const auto relaxed =
      emulation::parse_driver_options({"-std=c++20", "--expt-relaxed-constexpr", "x.cu"});
  for (const char* body : {"return sum(3);", "return y[0];", "return [] { return sum(2); }();"}) {
    emulation::FrontEnd reader(
        relaxed, installation(),
        written(folder, std::string("constexpr int kRows[] = {5, 7};\n"
                                    "constexpr int sum(int s) { for (int r : kRows) s += r;\n"
                                    "  return s; }\n"
                                    "int of_host() { return sum(1); }\n"
                                    "__device__ int f(const int* y) { ") +
                            body + " }\n"),
        folder.path());
    EXPECT_EQ(reader.result(), emulation::FrontEnd::Result::read) << body << reader.messages();
  }
}

TEST(FrontEnd, knows_cudas_words_in_a_file_that_a_flag_includes) {
  if (!fs::exists(installation().runtime / "cuda-front-end")) GTEST_SKIP() << "no front end";
  const TempDir folder("opgrade-included");
  const fs::path first = folder.path() / "first.cuh";
  std::ofstream(first)
      << "#pragma once\n__host__ __device__ inline int twice(int n) { return 2 * n; }\n";
  const auto included =
      emulation::parse_driver_options({"-std=c++17", "-include", first.string(), "x.cu"});
  const auto result_of = [&](const char* source) {
    emulation::FrontEnd reader(included, installation(), written(folder, source), folder.path());
    return reader.result();
  };
  EXPECT_EQ(result_of("__global__ void k(int* y) { *y = twice(*y); }\n"),
            emulation::FrontEnd::Result::read);
  EXPECT_EQ(result_of("__host__ int f(); __global__ void k(int* y) { *y = twice(f()); }\n"),
            emulation::FrontEnd::Result::refused);
}

TEST(FrontEnd, refuses_no_wrong_argument_of_an_attribute_that_is_not_cudas) {
  const TempDir folder("opgrade-attribute");
  const auto options_of_case = options();
  for (const char* attribute : {"alloc_align(\"x\")", "alloc_align(2.5)"}) {
    emulation::FrontEnd reader(options_of_case, installation(),
                               written(folder, "void* make(int n, int m) __attribute__((" +
                                                   std::string(attribute) + "));\n"),
                               folder.path());
    EXPECT_NE(reader.result(), emulation::FrontEnd::Result::refused) << reader.messages();
  }
}

TEST(FrontEnd, is_not_asked_by_option) {
  const TempDir folder("opgrade-unasked");
  const Built built = build(written(folder,
                                    "float twice(float x) { return 2 * x; }\n"
                                    "__global__ void k(float* o) { o[0] = twice(o[1]); }\n"),
                            folder.path(), {"--no-front-end"});
  EXPECT_TRUE(built.ok) << built.messages;
}

TEST(FrontEndFlags, are_those_that_change_the_text) {
  using Flags = std::vector<std::string>;
  EXPECT_EQ(emulation::front_end_flags({"-O2", "-DX=1", "-I", "a", "-march=native", "-std=c++20",
                                        "-include", "b.h", "-Wall", "-Uy", "-isystem", "c"}),
            (Flags{"-DX=1", "-I", "a", "-std=c++20", "-include", "b.h", "-Uy", "-isystem", "c"}));
  EXPECT_TRUE(emulation::parse_driver_options({"--expt-extended-lambda", "a.cu"}).extended_lambda);
  EXPECT_TRUE(emulation::parse_driver_options({"-rdc=true", "a.cu"}).separate_compilation);
  EXPECT_TRUE(
      emulation::parse_driver_options({"--expt-relaxed-constexpr", "a.cu"}).relaxed_constexpr);
}

TEST(SystemFolders, are_those_of_the_compiler_with_its_own_at_the_end) {
  const TempDir folder("opgrade-folders");
  const std::string at = folder.path().string();
  for (const char* name : {"library", "own", "system"}) fs::create_directory(folder.path() / name);
  std::ofstream(at + "/own/stddef.h") << "";
  std::ofstream(at + "/system/stdio.h") << "";
  EXPECT_EQ(emulation::system_folders(
                "Using built-in specs.\n#include \"...\" search starts here:\n"
                "#include <...> search starts here:\n " +
                at + "/library\n " + at + "/own\n " + at + "/system\nEnd of search list.\n /no\n"),
            (std::vector{at + "/library", at + "/system", at + "/own"}));
}

}  // namespace
}  // namespace opgrade::emulation_test
