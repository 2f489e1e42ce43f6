#include "grader/course/documents/shown_documents.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/base/files/text_file.hpp"

namespace opgrade::documents {
namespace {

namespace fs = std::filesystem;

class ShownDocuments : public testing::Test {
 protected:
  TempDir made{"opgrade-test-"};
  fs::path folder = made.path() / "shown";
  std::string sha256 = sha256_of_text("a report");
};

TEST_F(ShownDocuments, AreFoundAsTheyWereKept) {
  EXPECT_FALSE(find_shown(folder, sha256));
  const RenderEnd end{RenderEnd::Kind::limit_reached, Limit{Limit::Kind::wall_time, 30}};
  keep_shown(folder, sha256, {{"first", "second"}, "<document/>", end});
  const auto shown = find_shown(folder, sha256);
  ASSERT_TRUE(shown);
  ASSERT_EQ(shown->pages.size(), 2u);
  EXPECT_EQ(text_of_file(shown->pages[0]), "first");
  EXPECT_EQ(text_of_file(shown->pages[1]), "second");
  EXPECT_EQ(shown->markdown, "<document/>");
  EXPECT_EQ(shown->end, end);
}

TEST_F(ShownDocuments, AreForTheServiceAloneAndLeaveNoPart) {
  for (int i = 0; i < 2; ++i) keep_shown(folder, sha256, {{"page"}, "", {}});
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  EXPECT_EQ(names, std::vector{sha256});
  EXPECT_EQ(fs::status(find_shown(folder, sha256)->pages[0]).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ShownDocuments, AreRenderedAgainWhenTheMachineHasTheProgram) {
  keep_shown(folder, sha256, {{}, "", {RenderEnd::Kind::not_installed}});
  EXPECT_FALSE(find_shown(folder, sha256));
}

TEST_F(ShownDocuments, AreNamedByADigestAlone) {
  for (const std::string& name :
       {std::string(".."), std::string(""), "../" + sha256, sha256.substr(1) + "/"}) {
    EXPECT_THROW((void)find_shown(folder, name), Error) << name;
    EXPECT_THROW(keep_shown(folder, name, {}), Error) << name;
  }
}

TEST_F(ShownDocuments, BeyondABoundLeaveFromTheOldest) {
  std::vector<std::string> all;
  const auto now = fs::file_time_type::clock::now();
  for (int age : {2, 3, 1}) {  // hours
    all.push_back(sha256_of_text(std::to_string(age)));
    keep_shown(folder, all.back(), {{std::string(1000, 'p')}, "", {}});
    fs::last_write_time(folder / all.back(), now - std::chrono::hours(age));
  }
  const auto are_there = [&] {
    std::vector<bool> there;
    for (const auto& one : all) there.push_back(find_shown(folder, one).has_value());
    return there;
  };
  keep_within(folder, 1 << 20);
  EXPECT_EQ(are_there(), (std::vector{true, true, true}));
  keep_within(folder, 2500);
  EXPECT_EQ(are_there(), (std::vector{true, false, true}));
  keep_within(folder, 0);
  EXPECT_EQ(are_there(), (std::vector{false, false, false}));
  keep_within(folder / "none", 0);
}

TEST_F(ShownDocuments, ThatCannotBeKeptAreAnErrorOfTheMachine) {
  write_whole(folder, "a file where the folder should be");
  EXPECT_THROW(keep_shown(folder, sha256, {{"page"}, "", {}}), Error);
}

TEST_F(ShownDocuments, OfWhichHalfAFolderIsLeftAreRenderedAgain) {
  fs::create_directories(folder / sha256);
  EXPECT_FALSE(find_shown(folder, sha256));
  keep_shown(folder, sha256, {{"page"}, "", {}});
  EXPECT_TRUE(find_shown(folder, sha256));
}

}  // namespace
}  // namespace opgrade::documents
