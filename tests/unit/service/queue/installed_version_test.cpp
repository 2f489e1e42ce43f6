#include "grader/service/queue/installed_version.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using namespace std::chrono_literals;

/// A stamp that a test changes, and a shell script that answers.
class InstalledVersionTest : public testing::Test {
 protected:
  InstalledVersion::Options options(const std::string& script) {
    return {.stamp = [this] { return std::to_string(files); },
            .ask =
                [this, script] {
                  ++asked;
                  return Command{.program = "/bin/sh",
                                 .arguments = {"-c", script},
                                 .working_folder = folder.path()};
                },
            .every = 10ms};
  }

  const TempDir folder{"opgrade-test-"};
  std::atomic<int> files = 0, asked = 0;
};

TEST_F(InstalledVersionTest, IsAskedForOnceWhenFilesChange) {
  const InstalledVersion installed("old", options("echo new"));
  EXPECT_EQ(installed(), "old");
  ++files;
  EXPECT_TRUE(test::comes([&] { return installed() == "new"; }));
  EXPECT_EQ(asked, 1);
}

TEST_F(InstalledVersionTest, NobodyWaitsForAProgramThatHangs) {
  const InstalledVersion installed("old", options("while :; do :; done"));
  ++files;
  EXPECT_TRUE(test::comes([&] { return asked == 1; }));
  EXPECT_EQ(installed(), "old");
}  // which ends the program

TEST_F(InstalledVersionTest, IsAskedForAgainAfterAFailure) {
  auto chosen = options("if [ -e ready ]; then echo new; else echo half; exit 1; fi");
  const InstalledVersion installed("old", std::move(chosen));
  ++files;
  EXPECT_TRUE(test::comes([&] { return asked > 1; }));
  EXPECT_EQ(installed(), "old");
  course::test::write_text(folder.path() / "ready", "");
  EXPECT_TRUE(test::comes([&] { return installed() == "new"; }));
}

TEST_F(InstalledVersionTest, AProgramThatHangsIsStopped) {
  auto chosen = options("if [ -e hung ]; then echo new; else echo > hung; while :; do :; done; fi");
  chosen.wall = 100ms;
  const InstalledVersion installed("old", std::move(chosen));
  ++files;
  EXPECT_TRUE(test::comes([&] { return installed() == "new"; }));
}

}  // namespace
}  // namespace opgrade::service
