#include <gtest/gtest.h>

#include "grader/base/core/error.hpp"
#include "grader/report/formats/gradescope.hpp"

namespace opgrade::report {
namespace {

std::string metadata(const std::string& created, const std::string& due,
                     const std::string& users = "[]") {
  return R"({"created_at": ")" + created + R"(", "assignment": {"due_date": )" + due +
         R"(}, "users": )" + users + "}";
}

constexpr GradescopeLate kTenADay{.grace_minutes = 15, .percent_per_day = 10, .days = 3};

GradescopeLateness after(const std::string& created) {
  return gradescope_lateness(metadata(created, R"("2026-11-20T23:00:00-06:00")"), kTenADay);
}

TEST(Late, EachBegunDayTakesItsShare) {
  EXPECT_EQ(after("2026-11-20T20:00:00-06:00").days, 0);
  EXPECT_EQ(after("2026-11-21T05:15:00Z").days, 0) << "at the end of the grace period";
  EXPECT_EQ(after("2026-11-21T05:15:01Z").days, 1);
  EXPECT_DOUBLE_EQ(after("2026-11-21T05:15:01Z").share, 0.9);
  EXPECT_EQ(after("2026-11-23T05:16:00Z").days, 3);
  EXPECT_DOUBLE_EQ(after("2026-11-23T05:16:00Z").share, 0.7);
  EXPECT_EQ(after("2026-11-24T05:16:00Z").share, 0) << "after the last day";
}

TEST(Late, AStudentsOwnDateCounts) {
  const std::string due = R"("2026-11-20T00:00:00Z")";
  const auto late = [&](const std::string& users) {
    return gradescope_lateness(metadata("2026-11-24T00:00:00Z", due, users), kTenADay).days;
  };
  EXPECT_EQ(late("[]"), 4);
  EXPECT_EQ(late(R"([{"name": "x", "assignment": {"due_date": "2026-11-25T00:00:00Z"}}])"), 0);
  EXPECT_EQ(late(R"([{"assignment": {"due_date": "2026-11-21T00:00:00Z"}},
                     {"assignment": {"due_date": "2026-11-23T00:00:00Z"}}])"),
            1)
      << "a group has its latest date";
  EXPECT_EQ(late(R"([{"assignment": {"due_date": null}}, 7])"), 4);
}

TEST(Late, WithoutARuleOrADateNothingIsLost) {
  const std::string late = metadata("2026-12-24T00:00:00Z", R"("2026-11-20T00:00:00Z")");
  EXPECT_EQ(gradescope_lateness(late, {}).share, 1);
  EXPECT_EQ(gradescope_lateness(metadata("2026-12-24T00:00:00Z", "null"), kTenADay).days, 0);
}

TEST(Late, BrokenMetadataIsAFaultAndNoLoss) {
  for (const std::string& text :
       {std::string(""), std::string("[]"), std::string("{}"), metadata("soon", "null"),
        metadata("2026-12-24T00:00:00Z", "7"), std::string("{\"created_at\": \"\xFF\"}")}) {
    EXPECT_THROW(gradescope_lateness(text, kTenADay), Error) << text;
  }
}

}  // namespace
}  // namespace opgrade::report
