#include "grader/course/folder/time_zone.hpp"

#include <gtest/gtest.h>

namespace opgrade::course {
namespace {

Moment utc(const char* text) { return parse_moment(text).value(); }

std::string in(const char* zone, const char* wall_time) {
  return iso_text(TimeZone::find(zone)->moment(parse_wall_time(wall_time)->time));
}

TEST(TimeZone, ReadsWallTimes) {
  EXPECT_EQ(in("UTC", "2026-10-12 23:59"), "2026-10-12T23:59:00Z");
  EXPECT_EQ(in("UTC", "2026-10-12 23:59:30"), "2026-10-12T23:59:30Z");
  EXPECT_EQ(in("UTC", "2026-10-12 24:00"), "2026-10-13T00:00:00Z");
  EXPECT_TRUE(parse_wall_time("2026-10-12 24:00")->end_of_day);
  for (const char* wrong : {"", "2026-10-12", "2026-10-12 24:01", "2026-10-12 25:00",
                            "2026-02-29 12:00", "2026-10-12 23:60", "12.10.2026 23:59",
                            "2026-10-12 23:59 ", "2026-10-12T23:59", "2026-10-12 9:00"})
    EXPECT_FALSE(parse_wall_time(wrong)) << wrong;
}

TEST(TimeZone, ReadsMomentsWithTheirOffset) {
  EXPECT_EQ(iso_text(utc("2026-10-12T23:59:00Z")), "2026-10-12T23:59:00Z");
  EXPECT_EQ(iso_text(utc("2023-09-20 18:43:54.123456789 Z")), "2023-09-20T18:43:54Z");
  EXPECT_EQ(iso_text(utc("2017-06-01T14:22:32.365935-07:00")), "2017-06-01T21:22:32Z");
  EXPECT_EQ(iso_text(utc("2026-10-13 01:00:00 +0530")), "2026-10-12T19:30:00Z");
  EXPECT_FALSE(parse_moment("2026-10-12 23:59:00")) << "without an offset it is no moment";
}

TEST(TimeZone, FollowsTheClocksOfTheZone) {
  // 2026: daylight saving from 8 March 08:00 UTC to 1 November 07:00 UTC.
  EXPECT_EQ(in("America/Chicago", "2026-01-15 12:00"), "2026-01-15T18:00:00Z");
  EXPECT_EQ(in("America/Chicago", "2026-07-15 12:00"), "2026-07-15T17:00:00Z");
  EXPECT_EQ(in("Europe/Berlin", "2026-07-15 12:00"), "2026-07-15T10:00:00Z");
  EXPECT_EQ(in("Asia/Kolkata", "2026-07-15 12:00"), "2026-07-15T06:30:00Z");
  EXPECT_FALSE(TimeZone::find("Mars/Olympus"));
  EXPECT_FALSE(TimeZone::find("../../etc/passwd"));
}

TEST(TimeZone, ATimeThatComesTwiceIsTheLaterOne) {
  EXPECT_EQ(in("America/Chicago", "2026-11-01 01:30"), "2026-11-01T07:30:00Z");
}

TEST(TimeZone, ASkippedTimeIsTheMomentOfTheChange) {
  const TimeZone chicago = *TimeZone::find("America/Chicago");
  EXPECT_FALSE(chicago.exists(parse_wall_time("2026-03-08 02:30")->time));
  EXPECT_TRUE(chicago.exists(parse_wall_time("2026-03-08 03:00")->time));
  EXPECT_EQ(in("America/Chicago", "2026-03-08 02:30"), "2026-03-08T08:00:00Z");
  // Sao Paulo's clocks went from 00:00 to 01:00: the 14th ended at that moment.
  EXPECT_EQ(in("America/Sao_Paulo", "2017-10-14 24:00"), "2017-10-15T03:00:00Z");
}

TEST(TimeZone, SaysDayTimeAndZone) {
  const TimeZone chicago = *TimeZone::find("America/Chicago");
  EXPECT_EQ(chicago.text(utc("2026-10-13T04:59:00Z")), "Mon 2026-10-12 23:59:00 CDT");
}

TEST(Span, IsReadAndWritten) {
  using std::chrono::seconds;
  EXPECT_EQ(parse_span("30 s"), seconds(30));
  EXPECT_EQ(parse_span("10min"), seconds(600));
  EXPECT_EQ(parse_span("36 h"), seconds(129600));
  EXPECT_EQ(parse_span("2 d"), seconds(172800));
  for (const char* wrong : {"", "10", "min", "1.5 h", "-3 s", "9999999 s", "2 weeks"})
    EXPECT_FALSE(parse_span(wrong)) << wrong;
  EXPECT_EQ(span_text(seconds(0)), "0 s");
  EXPECT_EQ(span_text(seconds(40)), "40 s");
  EXPECT_EQ(span_text(seconds(11105)), "3 h 5 min");
  EXPECT_EQ(span_text(seconds(176400)), "2 d 1 h");
}

}  // namespace
}  // namespace opgrade::course
