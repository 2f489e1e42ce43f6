#include "grader/base/core/note.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace opgrade {
namespace {

static_assert(!std::is_constructible_v<Note, std::string>, "a free text is no note");
static_assert(!std::is_constructible_v<Note, const char*>);
static_assert(!std::is_constructible_v<Note, Reason>, "nor is a reason");
static_assert(std::is_convertible_v<notes::BusyCalls, Note>);

TEST(Note, IsAboutTheCaseThatItIsGiven) {
  EXPECT_EQ(case_id_of(about_case(notes::BusyCalls{"conv1", 1, 3}, "gpu/a")), "gpu/a");
  EXPECT_EQ(case_id_of(about_case(notes::WordsDecided{}, "gpu/a")), "") << "of the sources";
}

TEST(Note, OfAToolKnowsTheCaseWhoseLayerTheToolWatched) {
  const Note note = notes::ToolWatched{.tool = "t", .call = "B=1", .file = "f", .watched = "gpu/a"};
  EXPECT_EQ(case_id_of(note), "gpu/a");
  EXPECT_EQ(case_id_of(of_stage(note, "gpu")), "gpu/a");
  EXPECT_NE(of_stage(note, "gpu"), note);
}

TEST(Note, OfComputeSanitizerSaysSoWhateverItsKind) {
  EXPECT_TRUE(is_of_sanitizer(notes::SanitizerNeedsGpu{}));
  EXPECT_TRUE(is_of_sanitizer(notes::SanitizerPartCut{"racecheck", 9}));
  EXPECT_FALSE(is_of_sanitizer(notes::ToolNeedsGpu{.tool = "t"}));
}

}  // namespace
}  // namespace opgrade
