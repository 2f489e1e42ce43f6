#include "grader/grading/build/compiler_warnings.hpp"

#include <gtest/gtest.h>

#include "grader/grading/build/source_lines.hpp"

namespace opgrade {
namespace {

TEST(CompilerWarnings, EachCompilersWordsForAVariableWithoutAValue) {
  for (const char* const text :
       {"cpu.cc: In function 'void f(float*)':\n"
        "cpu.cc:17:9: warning: 'acc' may be used uninitialized [-Wmaybe-uninitialized]\n",
        "./cpu.cc:17:9: warning: variable 'acc' is uninitialized when used here "
        "[-Wuninitialized]\n",
        "cpu.cc(17): warning #549-D: variable \"acc\" is used before its value is set\n"}) {
    const auto found = compiler_warnings(text, {"cpu.cc"});
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_EQ(found[0].kind, "uninitialized_variable") << text;
    EXPECT_EQ(found[0].file, "cpu.cc");
    EXPECT_EQ(found[0].line, 17);
    EXPECT_NE(found[0].message.find("acc"), std::string::npos);
  }
}

TEST(CompilerWarnings, OthersKeepTheirWordsAndEachStandsOnce) {
  const std::string line =
      "cpu.cc:9:3: warning: ignoring '#pragma omp parallel' [-Wunknown-pragmas]\n";
  const auto found = compiler_warnings(line + line, {"cpu.cc"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "compiler_warning");
  EXPECT_EQ(found[0].message, "ignoring '#pragma omp parallel' [-Wunknown-pragmas]");
}

TEST(CompilerWarnings, OfOtherFilesAndErrorsThereAreNone) {
  EXPECT_TRUE(compiler_warnings("/opgrade/adapters/a.h:1:2: warning: x\n"
                                "cpu.cc:1:2: error: warning: x\ncpu.cc: warning\n",
                                {"cpu.cc"})
                  .empty());
}

TEST(SourceLines, TheInnermostFunctionOfTheSubmissionCounts) {
  const auto lines = read_source_lines(
      "0x0000000000001139\noperator+\n/usr/include/c++/12/x.h:9\nconv_forward_cpu(float*, int)\n"
      "/submission/cpu.cc:21 (discriminator 3)\nforward(opgrade_call*)\n"
      "/opgrade/adapters/minidnn-3/cpu.cc:3\n"
      "0x0000000000000001\n??\n??:0\n"
      "0x0000000000001140\noperator()\nnew-forward.cu:5\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].file, "cpu.cc");
  EXPECT_EQ(lines[0].line, 21);
  EXPECT_EQ(lines[0].function, "conv_forward_cpu");
  EXPECT_EQ(lines[1].line, 0);
  EXPECT_EQ(lines[2].line, 5);
  EXPECT_EQ(lines[2].function, "");
}

}  // namespace
}  // namespace opgrade
