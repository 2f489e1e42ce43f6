#include <gtest/gtest.h>

#include "grader/course/folder/time_zone.hpp"

namespace opgrade::course {
namespace {

/// When the hours begin after `now`, by Chicago's clock; "open" while they last.
std::string next(const std::string& hours, const std::string& now) {
  std::optional<GpuHours> read;
  if (!read_gpu_hours(hours, read)) return "refused";
  const auto zone = TimeZone::find("America/Chicago").value();
  const auto begin = closed_until(*read, zone, zone.moment(parse_wall_time(now).value().time));
  return begin ? zone.text(*begin) : "open";
}

TEST(GpuHours, BeginAndEndByTheClockOfTheCourse) {
  EXPECT_EQ(next("08-18", "2026-10-12 07:59:59"), "Mon 2026-10-12 08:00:00 CDT");
  EXPECT_EQ(next("08-18", "2026-10-12 08:00"), "open");
  EXPECT_EQ(next("08-18", "2026-10-12 17:59:59"), "open");
  EXPECT_EQ(next("08-18", "2026-10-12 18:00"), "Tue 2026-10-13 08:00:00 CDT");
  EXPECT_EQ(next("8-18:30", "2026-10-12 18:29"), "open");
}

TEST(GpuHours, GoOnAfterMidnight) {
  EXPECT_EQ(next("18-08", "2026-10-12 17:59:59"), "Mon 2026-10-12 18:00:00 CDT");
  EXPECT_EQ(next("18-08", "2026-10-12 18:00"), "open");
  EXPECT_EQ(next("18-08", "2026-10-13 00:00"), "open");
  EXPECT_EQ(next("18-08", "2026-10-13 07:59:59"), "open");
  EXPECT_EQ(next("18:30-08:00", "2026-10-13 08:00"), "Tue 2026-10-13 18:30:00 CDT");
  EXPECT_EQ(next("18-00", "2026-10-12 23:59:59"), "open");
  EXPECT_EQ(next("18-24", "2026-10-13 00:00"), "Tue 2026-10-13 18:00:00 CDT");
  EXPECT_EQ(next("00-24", "2026-10-13 00:00"), "open");
}

TEST(GpuHours, FollowTheClocksThatGoForwardAndBack) {
  EXPECT_EQ(next("02:30-08", "2026-03-08 01:00"), "Sun 2026-03-08 03:00:00 CDT")
      << "02:30 is skipped";
  EXPECT_EQ(next("18-08", "2026-11-01 09:00"), "Sun 2026-11-01 18:00:00 CST");
}

TEST(GpuHours, AreTwoDifferentTimes) {
  for (const char* text :
       {"", "-", "18", "18-", "-8", "18-18", "00-00", "24-08", "24-24", "18-25", "24:30-8",
        "18-24:01", "18:60-8", "18:5-8", "18:-8", "18--8", "18-8-9", "18 - 8", "6pm-8am"})
    EXPECT_EQ(next(text, "2026-10-12 12:00"), "refused") << text;
}

TEST(GpuHours, TheirTextHasTheZone) {
  const auto zone = TimeZone::find("America/Chicago").value();
  const GpuHours hours{std::chrono::hours(18), std::chrono::minutes(510)};
  EXPECT_EQ(hours_text(hours, zone, parse_moment("2026-10-12T17:00:00Z").value()),
            "18:00 to 08:30 (America/Chicago), next from Mon 2026-10-12 18:00:00 CDT");
  EXPECT_EQ(hours_text(hours, zone, parse_moment("2026-10-12T23:00:00Z").value()),
            "18:00 to 08:30 (America/Chicago), open now");
}

}  // namespace
}  // namespace opgrade::course
