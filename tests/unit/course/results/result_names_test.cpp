#include "grader/course/results/result_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/pipeline/submission_path.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

TEST(ResultNames, TheLastPartOfThePath) {
  EXPECT_THAT(result_names({"/class/ada", "bob/", "./eve/.", "a/../mal"}),
              ElementsAre("ada", "bob", "eve", "mal"));
  EXPECT_THAT(result_names({"/class/ada"}), ElementsAre("ada"));
  EXPECT_EQ(result_names({"/"}).size(), 1U);
  EXPECT_THAT(result_names({}, {{"ada", "/class/ada"}}), ElementsAre());
}

TEST(ResultNames, MadeSafe) {
  EXPECT_THAT(result_names({"/class/Ada L\xc3\xb6velace", "/class/a\nb", "/class/.hidden",
                            "/class/x;rm -rf", "/class/\x1b[31m"}),
              ElementsAre("Ada L\xc3\xb6velace", "a_b", "_.hidden", "x;rm -rf", "_[31m"));
  EXPECT_EQ(result_name("D\xc3\xb6rte/M\xc3\xbcller\\ \xff\xe2\x80\xae"),
            "D\xc3\xb6rte_M\xc3\xbcller_ __");
  EXPECT_LE(result_names({"/class/" + std::string(300, 'x')})[0].size(), 100U);
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\xc3\xb6";
  EXPECT_EQ(result_name("x" + umlauts), "x" + umlauts.substr(0, 98)) << "no part of a character";
}

TEST(ResultNames, WhatAllPathsEndInNamesNobody) {
  EXPECT_THAT(result_names({"/class/ada/Project", "/class/bob/Project"}),
              ElementsAre("ada", "bob"));
  EXPECT_THAT(result_names({"/class/ada/p/src", "/class/bob/p/src", "/class/eve/p/src"}),
              ElementsAre("ada", "bob", "eve"));
}

TEST(ResultNames, WhereThePathsDifferIsTheOwner) {
  EXPECT_THAT(result_names({"/class/ada/Project", "/class/bob/Project", "/class/eve/src"}),
              ElementsAre("ada", "bob", "eve"));
}

TEST(ResultNames, ElseTheShortestEndThatNoOtherHas) {
  EXPECT_THAT(result_names({"/class/mon/ada", "/class/tue/ada", "/class/tue/bob"}),
              ElementsAre("mon_ada", "tue_ada", "bob"));
}

TEST(ResultNames, TheOrderChangesNoName) {
  std::vector<fs::path> list{"/c/mon/ada", "/c/tue/ada", "/c/tue/bob",      "/c/tue_ada",
                             "/c/ada-2",   "/x/ada",     "/c/\xc3\xa4/eve", "/c/\xc3\xb6/eve"};
  std::ranges::sort(list);
  const auto first = result_names(list);
  do {
    const auto names = result_names(list);
    std::map<fs::path, std::string> by_path;
    for (std::size_t i = 0; i < list.size(); ++i) by_path[list[i]] = names[i];
    std::vector<std::string> in_order;
    for (const auto& [path, name] : by_path) in_order.push_back(name);
    ASSERT_EQ(in_order, first);
  } while (std::next_permutation(list.begin(), list.begin() + 5));
}

/// Two submissions in one folder would overwrite each other's result.
TEST(ResultNames, NoTwoAreEqual) {
  const std::vector<std::vector<fs::path>> lists{
      {"a/x", "b/x", "c/x-2"},
      {"c/x-3", "c/x-2", "a/x", "b/x", "d/x", "e/x-2"},
      {"a/x-2", "b/x-2", "c/x", "d/x", "e/x-2-2"},
      {"a/\xc3\xa4", "a/\xc3\xb6", "a/__"},
      {"b/a/x", "b_a/x", "b/a_x", "c/b_a_x"},
      {"a/" + std::string(200, 'x') + "1", "a/" + std::string(200, 'x') + "2"},
  };
  for (const auto& list : lists) {
    const auto names = result_names(list);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), list.size())
        << testing::PrintToString(names);
  }
}

TEST(ResultNames, ArchivesAreCalledAsTheirFolderWouldBe) {
  const TempDir place("opgrade-test-");
  for (const char* name : {"ada.zip", "bob.tar.gz", "eve.zip"})
    std::ofstream(place.path() / name) << "x";
  fs::create_directory(place.path() / "eve");
  EXPECT_THAT(result_names({place.path() / "ada.zip", place.path() / "bob.tar.gz"}),
              ElementsAre("ada", "bob"));
  EXPECT_THAT(result_names({place.path() / "eve.zip", place.path() / "eve"}),
              ElementsAre("eve.zip", "eve"));
}

TEST(ResultNames, AResultKeepsItsOwner) {
  const ResultOwners owners{{"ada", "/spring/ada"}, {"mine", "/c/eve"}};
  EXPECT_THAT(result_names({"/c/eve"}, owners), ElementsAre("mine"));
  EXPECT_THAT(result_names({"/spring/ada"}, owners), ElementsAre("ada"));
  EXPECT_THAT(result_names({"/autumn/ada"}, owners), ElementsAre("autumn_ada"));
  EXPECT_THAT(result_names({"/autumn/ada", "/spring/ada"}, owners),
              ElementsAre("autumn_ada", "ada"));
  EXPECT_THAT(result_names({"/c/bob/Project"}, {{"ada", "/c/ada/Project"}}), ElementsAre("bob"));
  EXPECT_THAT(result_names({"/c/bob/Project"}, {{"Project", "/c/ada/Project"}}),
              ElementsAre("bob_Project"));
}

TEST(ResultNames, AResultWithoutAnOwnerIsWhoeverIsCalledSo) {
  EXPECT_THAT(result_names({"/c/ada"}, {{"ada", ""}}), ElementsAre("ada"));
}

TEST(ResultNames, NoneIsAnotherFileOfTheResults) {
  for (const auto& name :
       result_names({"a/grades.csv", "a/x", "a/x.partial", "a/grades.csv.partial"})) {
    EXPECT_NE(name, "grades.csv");
    EXPECT_FALSE(name.ends_with(".partial")) << "taken for a result that is being written";
  }
}

TEST(OwnerOf, IsTheAbsolutePathInOneLine) {
  EXPECT_EQ(owner_of("/c/x/../ada/."), "/c/ada");
  EXPECT_EQ(owner_of("/c/ada/"), "/c/ada");
  EXPECT_EQ(owner_of("ada"), (fs::current_path() / "ada").string());
  EXPECT_EQ(owner_of("/c/a\x1b[1m"), "/c/a\\x1b[1m");
  EXPECT_EQ(owner_of("/" + std::string(4000, 'x')).size(), 4001U) << "no end may be lost";
}

}  // namespace
}  // namespace opgrade
