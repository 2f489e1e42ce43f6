#include "grader/base/core/temp_dir.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "grader/base/core/error.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

TEST(TempDir, IsPrivateAndDisappears) {
  fs::path path;
  {
    const TempDir folder("opgrade-test-");
    path = folder.path();
    EXPECT_TRUE(path.filename().string().starts_with("opgrade-test-"));
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
    fs::create_directories(path / "a/b");
    std::ofstream(path / "a/b/file") << "x";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDir, DoesNotFollowLinksOutside) {
  const TempDir outside("opgrade-test-");
  std::ofstream(outside.path() / "keep") << "x";
  ::chmod(outside.path().c_str(), 0500);
  {
    const TempDir folder("opgrade-test-");
    fs::create_directory_symlink(outside.path(), folder.path() / "link");
  }
  EXPECT_TRUE(fs::exists(outside.path() / "keep"));
  struct stat status {};
  ::stat(outside.path().c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0500U);
}

TEST(TempDir, MovedFromKeepsTheFolder) {
  TempDir first("opgrade-test-");
  const fs::path path = first.path();
  {
    const TempDir second = std::move(first);
    EXPECT_EQ(second.path(), path);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

/// In a process of its own, as a user whom permissions bind (root is above them).
template <class Work>
bool as_ordinary_user(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool dropped = ::geteuid() != 0 || (::setresgid(65534, 65534, 65534) == 0 &&
                                              ::setresuid(65534, 65534, 65534) == 0);
    ::_exit(dropped && work() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(TempDir, FoldersWithoutPermissionsDisappearToo) {
  EXPECT_TRUE(as_ordinary_user([] {
    fs::path path;
    {
      const TempDir folder("opgrade-test-");
      path = folder.path();
      fs::create_directories(path / "a/b/c");
      std::ofstream(path / "a/b/c/file") << "x";
      fs::permissions(path / "a/b/c", fs::perms::none);
      fs::permissions(path / "a/b", fs::perms::owner_read);
      fs::permissions(path / "a", fs::perms::none);
    }
    return !fs::exists(path);
  }));
}

TEST(TempDir, UnwritablePlaceIsAnErrorWithAHint) {
  const char* const old = ::getenv("TMPDIR");
  const std::string saved = old != nullptr ? old : "";
  ::setenv("TMPDIR", "/proc", 1);
  try {
    const TempDir folder("opgrade-test-");
    ADD_FAILURE() << "made " << folder.path();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("/proc"), std::string::npos);
    EXPECT_NE(e.hint.find("TMPDIR"), std::string::npos);
  }
  old != nullptr ? ::setenv("TMPDIR", saved.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace opgrade
