// Who has the workers' places: when a practice run or a rejudge is interrupted, and when it is not.
#include "grader/service/queue/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade::service {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Places, NobodyIsInterruptedWhileAPlaceIsFree) {
  const Room room = room_for_submission({.workers = 2, .guests = {{}}});
  EXPECT_TRUE(room.begins);
  EXPECT_THAT(room.ending, IsEmpty());
}

TEST(Places, TheOnlyPlaceIsTheSubmissions) {
  const Room room = room_for_submission({.workers = 1, .guests = {{}}});
  EXPECT_TRUE(room.begins);
  EXPECT_THAT(room.ending, ElementsAre(0));
}

TEST(Places, ARejudgeIsInterruptedBeforeAPracticeRunAndOnlyOneOfThem) {
  EXPECT_THAT(room_for_submission({.workers = 2, .guests = {{}, {}}}).ending, ElementsAre(0));
  EXPECT_THAT(room_for_submission({.workers = 3, .guests = {{}, {}}}).ending, IsEmpty());
}

TEST(Places, ASubmissionWaitsForAPlaceThatIsFreeSoonButNotForLong) {
  const PlacesNow soon{.workers = 2, .left = {2s}, .guests = {{}}};
  EXPECT_FALSE(room_for_submission(soon).begins);
  EXPECT_THAT(room_for_submission(soon).ending, IsEmpty());
  PlacesNow now = soon;
  now.waited = kSoon;
  EXPECT_THAT(room_for_submission(now).ending, ElementsAre(0)) << "the estimate was wrong";
  now = soon;
  now.left = {20s};
  EXPECT_THAT(room_for_submission(now).ending, ElementsAre(0));
}

TEST(Places, TheGpuIsOnePlace) {
  PlacesNow now{.workers = 4, .guests = {{.uses_gpu = true}}, .uses_gpu = true};
  EXPECT_THAT(room_for_submission(now).ending, ElementsAre(0));
  now.guests = {{}, {.uses_gpu = true}};
  EXPECT_THAT(room_for_submission(now).ending, ElementsAre(1)) << "the one on the GPU";
  now.uses_gpu = false;
  EXPECT_THAT(room_for_submission(now).ending, IsEmpty());
}

TEST(Places, AGuestThatWasInterruptedTooOftenFinishesItsCase) {
  EXPECT_FALSE(may_finish(kPatience - 1, false, 0s));
  EXPECT_TRUE(may_finish(kPatience, false, 0s));
  EXPECT_FALSE(may_finish(kPatience, true, 0s)) << "it has got on since";
  EXPECT_FALSE(may_finish(kPatience, false, kLongestCase)) << "nobody waits for longer";
  const Room room = room_for_submission({.workers = 1, .guests = {{.finishes = true}}});
  EXPECT_FALSE(room.begins);
  EXPECT_THAT(room.ending, IsEmpty());
}

TEST(Places, AGuestBeginsWhereNobodyElseNeedsThePlace) {
  EXPECT_TRUE(has_room_for_guest(1, 0, 0, false, true));
  EXPECT_FALSE(has_room_for_guest(1, 1, 0, false, false));
  EXPECT_TRUE(has_room_for_guest(2, 1, 0, false, false));
  EXPECT_FALSE(has_room_for_guest(2, 1, 1, false, false));
  EXPECT_FALSE(has_room_for_guest(2, 1, 0, true, true)) << "the GPU is in use";
}

}  // namespace
}  // namespace opgrade::service
