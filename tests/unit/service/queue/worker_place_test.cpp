// The temporary folders of workers, in a folder into which other users write as well.
#include "grader/service/queue/worker_place.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "grader/base/core/temp_dir.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;

mode_t rights_of(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

class WorkerPlaces : public testing::Test {
 protected:
  WorkerPlaces() {
    ::setenv("TMPDIR", shared.path().c_str(), 1);
    place_name = WorkerPlace(course.path()).path().filename().string();
    place_name.resize(place_name.rfind('-') + 1);
    fs::create_directories(theirs / "inner");
    std::ofstream(theirs / "inner/kept") << "kept";
    fs::permissions(theirs / "inner", fs::perms::owner_read | fs::perms::owner_exec);
  }
  ~WorkerPlaces() override {
    fs::permissions(theirs / "inner", fs::perms::owner_all);
    before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
  }
  /// A folder's name as a worker's place has it.
  fs::path named(const std::string& end) const { return shared.path() / (place_name + end); }
  void expect_theirs_untouched() const {
    EXPECT_EQ(rights_of(theirs / "inner"), 0500U);
    EXPECT_TRUE(fs::exists(theirs / "inner/kept"));
  }

  const std::string before = std::getenv("TMPDIR") == nullptr ? "" : std::getenv("TMPDIR");
  TempDir shared{"opgrade-test-"}, course{"opgrade-test-"}, others{"opgrade-test-"};
  const fs::path theirs = others.path() / "theirs";
  std::string place_name;
};

TEST_F(WorkerPlaces, WhatAKilledWorkerLeftIsRemoved) {
  fs::create_directories(named("left") / "build/deep");
  std::ofstream(named("left") / "build/deep/object") << "o";
  fs::permissions(named("left") / "build/deep", fs::perms::none);
  fs::permissions(named("left") / "build", fs::perms::owner_read | fs::perms::owner_exec);
  remove_left_places(course.path());
  EXPECT_FALSE(fs::exists(named("left"))) << "folders without the right to write as well";
}

TEST_F(WorkerPlaces, ALinkOfThatNameIsNotFollowed) {
  fs::create_directory_symlink(theirs, named("link"));
  remove_left_places(course.path());
  EXPECT_TRUE(fs::is_symlink(named("link"))) << "it is no place of a worker";
  expect_theirs_untouched();
}

TEST_F(WorkerPlaces, ALinkWithinAPlaceIsNotFollowed) {
  fs::create_directories(named("left"));
  fs::create_directory_symlink(theirs, named("left") / "link");
  remove_left_places(course.path());
  EXPECT_FALSE(fs::exists(named("left")));
  expect_theirs_untouched();
}

TEST_F(WorkerPlaces, AFileAndAnotherUsersFolderStay) {
  std::ofstream(named("file")) << "x";
  fs::create_directories(named("other"));
  if (::chown(named("other").c_str(), 65534, 65534) != 0)
    GTEST_SKIP() << "only root gives a folder to another user";
  remove_left_places(course.path());
  EXPECT_TRUE(fs::exists(named("file")));
  EXPECT_TRUE(fs::exists(named("other")));
}

TEST_F(WorkerPlaces, TheSandboxsUserGoesThroughAPlace) {
  const WorkerPlace place(course.path());
  EXPECT_EQ(rights_of(place.path()), 0711U);
}

}  // namespace
}  // namespace opgrade::service
