#include "grader/grading/build/build_hint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/registry.hpp"

namespace opgrade {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Reason reason(const std::string& messages, const TakenFiles& taken = {".", {}}) {
  return build_reason(find_interface("minidnn-3"), Device::cuda, taken, {"new-forward.cu"},
                      messages);
}

std::string hint(const std::string& messages, const TakenFiles& taken = {".", {}}) {
  return report::hint_of(reason(messages, taken));
}

TEST(BuildHint, TheSignatureIsForTheInterfacesOwnFunctions) {
  for (const char* const own :
       {"GPUInterface::conv_forward_gpu_prolog(float const*, int)",
        "conv_forward_cpu(float*, float const*, float const*, int, int, int, int, int, int)"}) {
    EXPECT_THAT(hint(std::string("gpu.cu:(.text+0x1): undefined reference to `") + own + "'\n"),
                HasSubstr("Expected: class GPUInterface"))
        << own;
  }
  EXPECT_THAT(hint("a.o: undefined reference to `launch_tiles(float*, int)'\n"
                   "a.o: undefined reference to `launch_tiles(float*, int)'\n"
                   "a.o: undefined reference to `cublasSgemm_v2'\n"),
              AllOf(HasSubstr("launch_tiles(float*, int), cublasSgemm_v2 is called and defined "
                              "nowhere. Compiled: new-forward.cu."),
                    HasSubstr("The config does not list cublas"), Not(HasSubstr("Expected"))));
  EXPECT_THAT(hint("ld.lld: error: undefined symbol: helper(int)\n>>> referenced by"),
              AllOf(HasSubstr("helper(int) is called"), Not(HasSubstr("does not list"))));
}

TEST(BuildHint, TheStudentsOwnParametersStandBesideTheExpectedOnes) {
  const std::string messages =
      "/usr/bin/ld: opgrade-cucc1/1-gpu.o: in function `(anonymous "
      "namespace)::epilog(opgrade_call*)':\n"
      "three_functions.h:25: undefined reference to `GPUInterface::conv_forward_gpu(float*, int)'\n"
      "collect2: error: ld returned 1 exit status\n";
  const TakenFiles taken{".",
                         {{"other.cu", "int GPUInterface::conv_forward_gpu();"},
                          {"new-forward.cu",
                           "// GPUInterface::conv_forward_gpu is below\n"
                           "int GPUInterface::conv_forward_gpu(float *y,\n    int B) {}\n"}}};
  EXPECT_THAT(
      hint(messages, taken),
      HasSubstr("new-forward.cu:2 has: int GPUInterface::conv_forward_gpu(float *y, int B). "
                "Make its parameters the expected ones."));
  EXPECT_EQ(report::sentence_of(reason(messages)),
            "GPUInterface::conv_forward_gpu is missing or has other parameters");
  EXPECT_EQ(report::sentence_of(reason("a.cc:7: error: x\n")), "the compiler refused it");
  EXPECT_EQ(without_adapter_lines(find_interface("minidnn-3"), messages),
            "undefined reference to `GPUInterface::conv_forward_gpu(float*, int)'\n"
            "collect2: error: ld returned 1 exit status\n");
}

TEST(BuildHint, AMissingHeaderIsNamedWithTheReasonWhyItWasLeftOut) {
  const TakenFiles taken{"custom", {}, {{"lib/tile.h", "is a symbolic link"}}};
  for (const char* const message :
       {"a.cu:1:10: fatal error: ../lib/tile.h: No such file or directory\n",
        "a.cu:1:10: fatal error: 'lib/tile.h' file not found\n",
        "a.cu:1:10: fatal error: lib/tile.h: Permission denied\n"}) {
    EXPECT_EQ(hint(message, taken), "lib/tile.h was left out: it is a symbolic link.") << message;
  }
  EXPECT_EQ(hint("a.cu:1:10: fatal error: other.h: No such file or directory\n", taken),
            "An included file was not handed in, or is not allowed here: other.h. Files are taken "
            "from custom/ and the folders in it.");
}

TEST(BuildHint, ASourceThatWasLeftOutMayHoldTheFunction) {
  EXPECT_THAT(
      hint("undefined reference to `helper()'\n",
           {".", {}, {{"helper.cu", "is a symbolic link"}, {"x.h", "is a symbolic link"}}}),
      AllOf(HasSubstr("helper.cu was left out: it is a symbolic link."), Not(HasSubstr("x.h"))));
}

TEST(BuildHint, ACharacterThatIsNotSeenIsTheCause) {
  const TakenFiles taken{".", {{"new-forward.cu", "int a;\nint b\u200B;\n"}}};
  const std::string messages = "new-forward.cu:2:6: error: expected initializer\n";
  EXPECT_EQ(
      report::sentence_of(reason(messages, taken)),
      "new-forward.cu:2, column 6: a zero-width space (U+200B), outside of texts and comments");
  EXPECT_THAT(hint(messages, taken), HasSubstr("Delete it"));
  EXPECT_EQ(report::sentence_of(reason("new-forward.cu:1:6: error: x\n", taken)),
            "the compiler refused it");
}

TEST(BuildHint, ANameThatCudaHasNoMoreGetsItsSuccessor) {
  EXPECT_EQ(hint("a.cu:6:10: error: ‘__shfl’ was not declared in this scope\n"),
            "CUDA has no `__shfl` any more: use __shfl_sync.");
}

TEST(BuildHint, WhatIsQuotedIsPrintable) {
  EXPECT_THAT(hint("fatal error: \x1b[2J.h: No such file or directory\n"), Not(HasSubstr("\x1b")));
}

TEST(WideEncoding, IsFoundWithAndWithoutAMark) {
  const std::string text = "#include \"gpu-new-forward.h\"\nvoid f() {}\n";
  std::string little, big;
  for (const char c : text) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  EXPECT_EQ(wide_encoding("\xFF\xFE" + little), "UTF-16");
  EXPECT_EQ(wide_encoding("\xFE\xFF" + big), "UTF-16");
  EXPECT_EQ(wide_encoding(little), "UTF-16");
  EXPECT_EQ(wide_encoding(big), "UTF-16");
  EXPECT_EQ(wide_encoding(std::string("\xFF\xFE\0\0#\0\0\0", 8)), "UTF-32");
  EXPECT_EQ(wide_encoding(text), "");
  EXPECT_EQ(wide_encoding("\xEF\xBB\xBF" + text), "") << "UTF-8 with its mark";
  EXPECT_EQ(wide_encoding(""), "");
  EXPECT_EQ(wide_encoding(std::string(600, '\0')), "");
  EXPECT_EQ(wide_encoding(std::string("\x7f"
                                      "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0",
                                      24) +
                          std::string(100, 'x')),
            "");
}

}  // namespace
}  // namespace opgrade
