#include "grader/base/files/text_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

TEST(ReadTextFile, SaysWhyNot) {
  const TempDir folder("opgrade-test-");
  EXPECT_THAT(read_text_file(folder.path()).error(), testing::StartsWith("cannot be read"));
  EXPECT_THAT(read_text_file(folder.path() / "none").error(),
              testing::StartsWith("cannot be read"));
  write_file(folder.path() / "large", std::string((1 << 20) + 1, 'x'));
  EXPECT_EQ(read_text_file(folder.path() / "large", 1 << 20).error(),
            "is larger than 1 MiB; is it the right file?");
  EXPECT_EQ(read_text_file(folder.path() / "large")->size(), (1 << 20) + 1);
}

TEST(TextOfFile, IsEmptyForAnEmptyFileAndAnErrorForAFolder) {
  const TempDir folder("opgrade-test-");
  write_file(folder.path() / "empty", "");
  EXPECT_EQ(text_of_file(folder.path() / "empty"), "");
  EXPECT_THROW(text_of_file(folder.path()), Error);
}

TEST(WriteFile, HasTheWantedRightsWithinTheUmask) {
  const TempDir folder("opgrade-test-");
  write_file(folder.path() / "token", "secret", 0600);
  EXPECT_EQ(std::filesystem::status(folder.path() / "token").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(WriteFile, IsTheOldOrTheNewOne) {
  const TempDir folder("opgrade-test-");
  const auto file = folder.path() / "grades.csv";
  write_file(file, "old");
  write_file(file, "new, and longer");
  EXPECT_EQ(text_of_file(file), "new, and longer");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_EQ(entry.path(), file) << "something partial is left";
}

TEST(WriteFile, NowhereToWriteIsAnErrorThatNamesTheFile) {
  try {
    write_file("/proc/no/such/place.csv", "text");
    FAIL() << "written";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("/proc/no/such/place.csv"));
    EXPECT_FALSE(e.hint.empty());
  }
}

/// As a full disk: the write fails in the middle. The old file must still be whole.
TEST(WriteFile, FullDiskKeepsTheOldFile) {
  const TempDir folder("opgrade-test-");
  const auto file = folder.path() / "grades.csv";
  write_file(file, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file(file, std::string(100'000, 'x'));
    } catch (const Error&) {
      ::_exit(0);
    }
    ::_exit(1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text_of_file(file), "old");
}

}  // namespace
}  // namespace opgrade
