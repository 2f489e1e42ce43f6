#include "grader/course/results/submission_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class SubmissionLists : public testing::Test {
 protected:
  fs::path file(const char* name, const std::string& bytes) const {
    std::ofstream(place.path() / name, std::ios::binary) << bytes;
    return place.path() / name;
  }
  fs::path folder(const char* name) const {
    fs::create_directories(place.path() / name);
    return place.path() / name;
  }
  const TempDir place{"opgrade-test-"};
  const fs::path results = place.path() / "results";
};

TEST_F(SubmissionLists, FoldersAndWhateverCallsItselfAnArchive) {
  const std::vector<fs::path> paths{
      folder("ada"),
      file("bob.zip", "damaged"),
      file("eve.RAR", ""),
      file("4711", std::string("PK\3\4") + "rest"),
      file("4712", std::string("\x1f\x8b\x08", 3)),
      file("4713", std::string(257, '\0') + "ustar"),
  };
  const auto list = list_submissions(paths, results);
  EXPECT_EQ(list.submissions, paths);
  EXPECT_THAT(list.skipped, ElementsAre());
}

TEST_F(SubmissionLists, WhatLiesBesideThemIsSkipped) {
  const fs::path pipe = place.path() / "pipe";
  ::mkfifo(pipe.c_str(), 0600);
  const auto list = list_submissions({folder("ada"), file("notes.txt", "PK"), file("empty", ""),
                                      pipe, folder("results"), place.path() / "ada/"},
                                     results);
  EXPECT_THAT(list.submissions, ElementsAre(place.path() / "ada")) << "once";
  EXPECT_THAT(list.skipped,
              ElementsAre(HasSubstr("notes.txt: neither"), HasSubstr("empty: neither"),
                          HasSubstr("pipe: neither"), HasSubstr("results: the results folder")));
}

TEST_F(SubmissionLists, AllMissingOnesAreNamed) {
  fs::create_symlink("nowhere", place.path() / "dangling");
  try {
    list_submissions(
        {place.path() / "bbo", folder("ada"), place.path() / "a\x1b[1m", place.path() / "dangling"},
        results);
    FAIL() << "taken";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("3 of 4 paths"), HasSubstr("/bbo (No such file"),
                                HasSubstr("/a\\x1b[1m ("), HasSubstr("/dangling (")));
    EXPECT_THAT(e.hint, HasSubstr("nothing was graded"));
  }
}

TEST_F(SubmissionLists, NothingToGradeIsSaid) {
  EXPECT_THROW(list_submissions({file("notes.txt", "x")}, results), UsageError);
}

}  // namespace
}  // namespace opgrade
