#include "grader/platform/process/folder_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr std::chrono::milliseconds kSoon{1};

class FolderWatchTest : public testing::Test {
 protected:
  void save(const char* name, const std::string& text) const {
    fs::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << text;
  }
  TempDir folder{"opgrade-test-"};
};

TEST_F(FolderWatchTest, WhatWasSavedAddedAndRemovedSinceTheLastLook) {
  save("a.cc", "1"), save("b.cc", "1"), save("lib/c.h", "1");
  FolderWatch watch(folder.path());
  save("a.cc", "12");
  EXPECT_THAT(watch.wait(kSoon), ElementsAre("a.cc"));
  save("lib/c.h", "12"), save("lib/new.h", "1");
  fs::remove(folder.path() / "b.cc");
  EXPECT_THAT(watch.wait(kSoon), UnorderedElementsAre("b.cc", "lib/c.h", "lib/new.h"));
}

TEST_F(FolderWatchTest, TheSameSizeAtAnotherTimeIsAChange) {
  save("a.cc", "1");
  FolderWatch watch(folder.path());
  save("a.cc", "2");
  fs::last_write_time(folder.path() / "a.cc",
                      fs::last_write_time(folder.path() / "a.cc") + std::chrono::seconds(1));
  EXPECT_THAT(watch.wait(kSoon), ElementsAre("a.cc"));
}

TEST_F(FolderWatchTest, FilesOfEditorsDoNotCount) {
  save("a.cc", "1");
  FolderWatch watch(folder.path());
  save(".a.cc.swp", "1"), save("a.cc~", "1"), save(".git/index", "1"), save("a.cc", "12");
  EXPECT_THAT(watch.wait(kSoon), ElementsAre("a.cc"));
}

TEST_F(FolderWatchTest, AnArchiveIsWatchedAsOneFile) {
  save("me.zip", "1"), save("other", "1");
  FolderWatch watch(folder.path() / "me.zip");
  save("other", "12"), save("me.zip", "12");
  EXPECT_THAT(watch.wait(kSoon), ElementsAre("me.zip"));
}

}  // namespace
}  // namespace opgrade
