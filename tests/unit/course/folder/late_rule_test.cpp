// Lateness against tables that were worked out by hand, from the zones' rules.
#include "grader/course/folder/late_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade::course {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;

constexpr int kClosed = -1;

struct Row {
  const char* handed_in;  ///< UTC
  int days;
};

void expect_table(const char* zone_name, const char* deadline, minutes grace, int late_days,
                  std::initializer_list<Row> rows) {
  const TimeZone zone = *TimeZone::find(zone_name);
  const Due due{zone.moment(parse_wall_time(deadline)->time), grace, late_days};
  for (const auto& [handed_in, days] : rows) {
    const Lateness late = lateness(zone, due, parse_moment(handed_in).value());
    EXPECT_EQ(late.accepted ? late.days : kClosed, days) << zone_name << " " << handed_in;
  }
}

TEST(Lateness, GraceExtendsTheDeadlineAndEachLateDay) {
  // 23:59 CDT is 04:59 UTC of the next day.
  expect_table("America/Chicago", "2026-10-12 23:59", minutes(10), 3,
               {{"2026-10-12T12:00:00Z", 0},
                {"2026-10-13T04:59:00Z", 0},
                {"2026-10-13T05:09:00Z", 0},
                {"2026-10-13T05:09:01Z", 1},
                {"2026-10-14T04:59:00Z", 1},
                {"2026-10-14T05:09:00Z", 1},
                {"2026-10-14T05:09:01Z", 2},
                {"2026-10-16T05:09:00Z", 3},
                {"2026-10-16T05:09:01Z", kClosed}});
}

TEST(Lateness, SlipDaysComeFirstAndCostNothing) {
  const TimeZone zone = *TimeZone::find("UTC");
  const Due due{parse_moment("2026-10-12T12:00:00Z").value(), minutes(0), 1, 2};
  const auto used = [&](const char* handed_in) {
    const Lateness late = lateness(zone, due, parse_moment(handed_in).value());
    return std::pair(late.accepted ? late.days : kClosed, late.slip_days);
  };
  EXPECT_EQ(used("2026-10-12T12:00:00Z"), std::pair(0, 0));
  EXPECT_EQ(used("2026-10-12T12:00:01Z"), std::pair(0, 1));
  EXPECT_EQ(used("2026-10-14T12:00:00Z"), std::pair(0, 2));
  EXPECT_EQ(used("2026-10-15T12:00:00Z"), std::pair(1, 2));
  EXPECT_EQ(used("2026-10-15T12:00:01Z").first, kClosed);
  EXPECT_EQ(iso_text(last_moment(zone, due)), "2026-10-15T12:00:00Z");
}

TEST(Lateness, WithoutGraceOneSecondIsADay) {
  expect_table("America/Chicago", "2026-10-12 23:59", minutes(0), 1,
               {{"2026-10-13T04:59:00Z", 0},
                {"2026-10-13T04:59:01Z", 1},
                {"2026-10-14T04:59:00Z", 1},
                {"2026-10-14T04:59:01Z", kClosed}});
}

TEST(Lateness, WithoutLateDaysGraceIsTheEnd) {
  expect_table("America/Chicago", "2026-10-12 23:59", minutes(5), 0,
               {{"2026-10-13T05:04:00Z", 0}, {"2026-10-13T05:04:01Z", kClosed}});
}

TEST(Lateness, TheDayWhenClocksGoBackHas25Hours) {
  // Saturday 23:59 CDT = 04:59 UTC; Sunday 23:59 CST = 05:59 UTC.
  expect_table("America/Chicago", "2026-10-31 23:59", minutes(0), 2,
               {{"2026-11-01T04:59:00Z", 0},
                {"2026-11-02T05:59:00Z", 1},
                {"2026-11-02T05:59:01Z", 2},
                {"2026-11-03T05:59:00Z", 2},
                {"2026-11-03T05:59:01Z", kClosed}});
  expect_table("Europe/Berlin", "2026-10-24 23:59", minutes(0), 1,
               {{"2026-10-24T21:59:00Z", 0},
                {"2026-10-25T22:59:00Z", 1},
                {"2026-10-25T22:59:01Z", kClosed}});
}

TEST(Lateness, TheDayWhenClocksGoForwardHas23Hours) {
  // Saturday 23:59 CST = 05:59 UTC; Sunday 23:59 CDT = 04:59 UTC.
  expect_table("America/Chicago", "2026-03-07 23:59", minutes(0), 1,
               {{"2026-03-08T05:59:00Z", 0},
                {"2026-03-09T04:59:00Z", 1},
                {"2026-03-09T04:59:01Z", kClosed}});
}

TEST(Lateness, ADeadlineInTheHourThatComesTwice) {
  // The second 01:30, CST.
  expect_table("America/Chicago", "2026-11-01 01:30", minutes(0), 1,
               {{"2026-11-01T06:30:01Z", 0},
                {"2026-11-01T07:30:00Z", 0},
                {"2026-11-01T07:30:01Z", 1},
                {"2026-11-02T07:30:00Z", 1},
                {"2026-11-02T07:30:01Z", kClosed}});
}

TEST(Lateness, ALateDayEndsWhenItsEndIsSkipped) {
  // 02:30 CST = 08:30 UTC; the next day the clocks go from 02:00 to 03:00 at 08:00 UTC.
  expect_table("America/Chicago", "2026-03-07 02:30", minutes(0), 1,
               {{"2026-03-07T08:30:00Z", 0},
                {"2026-03-08T08:00:00Z", 1},
                {"2026-03-08T08:00:01Z", kClosed}});
}

TEST(Lateness, ADeadlineAtMidnight) {
  expect_table("America/Chicago", "2026-10-12 24:00", minutes(0), 1,
               {{"2026-10-13T05:00:00Z", 0},
                {"2026-10-13T05:00:01Z", 1},
                {"2026-10-14T05:00:00Z", 1},
                {"2026-10-14T05:00:01Z", kClosed}});
  expect_table("America/Chicago", "2026-10-12 00:00", minutes(0), 0,
               {{"2026-10-12T05:00:00Z", 0}, {"2026-10-12T05:00:01Z", kClosed}});
}

TEST(Lateness, SaysHowLongAfterTheDeadline) {
  const TimeZone zone = *TimeZone::find("America/Chicago");
  const Due due{parse_moment("2026-10-13T04:59:00Z").value(), minutes(10), 0};
  EXPECT_EQ(lateness(zone, due, due.deadline - minutes(3)).after, minutes(0));
  EXPECT_EQ(lateness(zone, due, due.deadline + minutes(3)).after, minutes(3));
  EXPECT_EQ(last_moment(zone, due), due.deadline + minutes(10));
}

TEST(LatePrice, EachKind) {
  using Price = LateRule::Price;
  const LateRule earned{Price::percent_of_earned, 10, 3};
  const LateRule maximum{Price::percent_of_maximum, 10, 3};
  const LateRule points{Price::points, 15, 3};
  EXPECT_DOUBLE_EQ(points_after(earned, 0, 80, 100), 80);
  EXPECT_DOUBLE_EQ(points_after(earned, 2, 80, 100), 64);
  EXPECT_DOUBLE_EQ(points_after(maximum, 2, 80, 100), 60);
  EXPECT_DOUBLE_EQ(points_after(points, 3, 80, 100), 35);
  EXPECT_DOUBLE_EQ(points_after(points, 3, 30, 100), 0) << "never below 0";
  EXPECT_EQ(price_text(earned, 0), "");
  EXPECT_EQ(price_text(earned, 1), "-10 % of the points (1 day late)");
  EXPECT_EQ(price_text(points, 2), "-30 points (2 days late)");
  EXPECT_EQ(rule_text({.a_day = 10, .days = 3}),
            "up to 3 late days, -10 % of the points for each; a later submission does not count");
  EXPECT_EQ(rule_text({.price = LateRule::Price::points, .a_day = 5, .days = 1}),
            "up to 1 late day, -5 points; a later submission does not count");
  EXPECT_EQ(rule_text({}), "nothing late is accepted");
  EXPECT_EQ(rule_text({.a_day = 0, .days = 3}),
            "up to 3 late days; a later submission does not count");
  EXPECT_EQ(price_text({.a_day = 0, .days = 3}, 2), "") << "the rules have points for late work";
}

TEST(DailyLimit, CountsByTheCourseCalendar) {
  const TimeZone zone = *TimeZone::find("America/Chicago");
  std::vector<Moment> times;
  for (const char* text : {"2026-10-12T04:58:00Z", "2026-10-12T04:59:59Z", "2026-10-12T05:00:00Z",
                           "2026-10-12T12:00:00Z", "2026-10-12T13:00:00Z", "2026-10-13T04:59:59Z",
                           "2026-10-13T05:00:00Z"})
    times.push_back(parse_moment(text).value());
  EXPECT_THAT(within_daily_limit(zone, times, 2),
              ElementsAre(true, true, true, true, false, false, true));
  EXPECT_THAT(within_daily_limit(zone, times, 0),
              ElementsAre(true, true, true, true, true, true, true));
}

}  // namespace
}  // namespace opgrade::course
