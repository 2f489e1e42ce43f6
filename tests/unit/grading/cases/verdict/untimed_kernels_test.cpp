#include "grader/grading/cases/verdict/untimed_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "grader/grading/measure/times.hpp"
#include "grader/report/words/note_words.hpp"

namespace opgrade {
namespace {

using std::chrono::nanoseconds;
using testing::HasSubstr;

/// Two timed layers that passed.
JudgedCase two_timed_layers() {
  JudgedCase c;
  for (const double ms : {2.0, 3.0}) {
    CallReport call;
    call.timed = true;
    for (const double time : {ms, ms + 0.5})
      call.measurement.calls.push_back({.done = nanoseconds(std::llround(time * 1e6))});
    set_times(call);
    c.calls.push_back(call);
  }
  return c;
}

/// The second layer launches three kernels elsewhere, which run for 1.5 ms.
ProfileReport outside() {
  ProfileReport p;
  p.layers.resize(2);
  p.layers[1].outside_launches = 3;
  p.layers[1].outside_ns = 1'500'000;
  return p;
}

TEST(OutsideWork, IsAddedToEverySampleOfItsLayer) {
  JudgedCase c = two_timed_layers();
  const auto note = apply_untimed_kernels(c, outside(), OutsideWork::count, "convolution");
  ASSERT_TRUE(note);
  EXPECT_EQ(report::sentence_of(*note),
            "3 kernel launches outside the convolution call (1.5 ms); their time is counted into "
            "Op Time");
  EXPECT_FALSE(c.evidence.forbidden_work);
  EXPECT_THAT(c.calls[0].op_time.samples_ms, testing::ElementsAre(2.0, 2.5));
  EXPECT_THAT(c.calls[1].op_time.samples_ms, testing::ElementsAre(4.5, 5.0));
  EXPECT_DOUBLE_EQ(c.calls[1].op_time.median_ms, 4.75);
}

TEST(OutsideWork, IsRefusedOrAllowed) {
  JudgedCase c = two_timed_layers();
  EXPECT_FALSE(apply_untimed_kernels(c, outside(), OutsideWork::reject, "convolution"));
  ASSERT_TRUE(c.evidence.forbidden_work);
  const auto* const launches = c.evidence.forbidden_work->get_if<why::OutsideLaunches>();
  ASSERT_NE(launches, nullptr);
  EXPECT_EQ(launches->count, 3);
  c = two_timed_layers();
  const auto allowed = apply_untimed_kernels(c, outside(), OutsideWork::allow, "convolution");
  ASSERT_TRUE(allowed);
  EXPECT_THAT(report::sentence_of(*allowed), HasSubstr("allows"));
  EXPECT_FALSE(c.evidence.forbidden_work);
  EXPECT_EQ(c.calls[1].op_time.median_ms, 3.25);
}

TEST(OutsideWork, NothingIsSaidWithoutAny) {
  for (const auto policy : {OutsideWork::count, OutsideWork::reject, OutsideWork::allow}) {
    JudgedCase c = two_timed_layers();
    ProfileReport none;
    none.layers.resize(2);
    EXPECT_FALSE(apply_untimed_kernels(c, none, policy, "convolution"));
    EXPECT_FALSE(c.evidence.forbidden_work);
  }
}

}  // namespace
}  // namespace opgrade
