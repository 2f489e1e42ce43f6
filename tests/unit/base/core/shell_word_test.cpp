#include "grader/base/core/shell_word.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace opgrade {
namespace {

/// What a shell makes of the command's arguments, a line each.
std::string shell_prints(const std::string& arguments) {
  std::FILE* const pipe = ::popen(("printf '%s\\n' " + arguments).c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::string printed;
  std::array<char, 256> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) printed += buffer.data();
  ::pclose(pipe);
  return printed;
}

TEST(ShellWord, OrdinaryWordsStayAsTheyAre) {
  for (const char* word : {"my-conv", ".", "../a/b.tar.gz", "cpu/high/100", "2026sp", "a=b"})
    EXPECT_EQ(shell_word(word), word);
}

TEST(ShellWord, TheShellGivesEveryWordBack) {
  for (const std::string word : {"my work (final)", "it's", "$HOME", "`id`", "a;b", "*", "~",
                                 "a\\b", "=ls", "M\303\274ller", "#1", "&", "\"x\"", "!", ""})
    EXPECT_EQ(shell_prints(shell_word(word) + " " + shell_word("next")), word + "\nnext\n") << word;
}

TEST(ShellWord, APathDoesNotLookLikeAnOption) {
  EXPECT_EQ(shell_path("-x"), "./-x");
  EXPECT_EQ(shell_path("- x"), "'./- x'");
  EXPECT_EQ(shell_path("x-y"), "x-y");
}

}  // namespace
}  // namespace opgrade
