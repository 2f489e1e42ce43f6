#include "grader/platform/process/tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

TEST(Tool, GivesBothStreamsAndTheCodeInOne) {
  const ToolResult good = run_tool({"sh", "-c", "echo out; echo err >&2"});
  EXPECT_TRUE(good.well);
  EXPECT_EQ(good.text, "out\nerr\n");
  const ToolResult bad = run_tool({"sh", "-c", "echo no; exit 3"});
  EXPECT_FALSE(bad.well);
  EXPECT_EQ(bad.text, "no\n");
  EXPECT_FALSE(run_tool({"sh", "-c", "kill -9 $$"}).well);
}

TEST(Tool, NoShellReadsItsWordsAndItsInputIsEmpty) {
  EXPECT_EQ(run_tool({"printf", "%s|", "$HOME", "a b", "; false"}).text, "$HOME|a b|; false|");
  EXPECT_EQ(run_tool({"cat"}).text, "");
}

TEST(Tool, OneThatIsMissingSaysSo) {
  const ToolResult missing = run_tool({"no-such-program-here"});
  EXPECT_FALSE(missing.well);
  EXPECT_THAT(missing.text, testing::HasSubstr("no-such-program-here"));
}

}  // namespace
}  // namespace opgrade
