// What a page promises is what the service then does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A service whose course has these slip days and this rule for its assignment m1.
class Promises : public testing::Test {
 protected:
  test::SampleService s;

  std::string late_text(int slip_days, const std::string& rule) {
    std::ofstream(s.place.path() / course::kCourseFile)
        << "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nslip_days: " << slip_days
        << "\nassignments:\n  - {name: m1, config: self-check, deadline: 2026-10-12 12:00" << rule
        << "}\n";
    const std::string page = s.browse("ada", "/assignments/m1").body;
    const auto from = page.find("Late: ");
    return from == page.npos ? page : page.substr(from, page.find('<', from) - from);
  }
};

TEST_F(Promises, TheRuleOfLateSubmissionsKnowsTheSlipDaysThatAreLeft) {
  EXPECT_EQ(late_text(0, ""), "Late: nothing late is accepted.");
  EXPECT_EQ(late_text(0, ", late: {percent_a_day: 10, days: 3}"),
            "Late: up to 3 late days, -10 % of the points for each; a later submission does not "
            "count.");
  EXPECT_EQ(late_text(3, ""),
            "Late: 3 slip days are left and cost no points; nothing later is accepted.");
  EXPECT_EQ(late_text(1, ", late: {points_a_day: 5, days: 1}"),
            "Late: 1 slip day is left and costs no points; after that up to 1 late day, -5 points; "
            "a later submission does not count.");
  EXPECT_EQ(late_text(0, ", grace: 10 min"),
            "Late: nothing late is accepted, but for 10 min of grace.");
}

TEST_F(Promises, AnEmptyArchiveIsAnArchiveWithoutTheFile) {
  using namespace std::string_literals;
  const std::map<std::string, std::string> key{{"idempotency-key", "key00001"}};
  const auto hand_in = [&](const std::string& bytes) {
    return s.post("ada", "/api/submissions?assignment=m1", bytes, key);
  };
  const Response empty = hand_in("PK\x05\x06"s + std::string(18, '\0'));
  EXPECT_EQ(empty.status, 422);
  EXPECT_THAT(empty.body, AllOf(HasSubstr("no attempt used"), HasSubstr("cpu-new-forward.cc"),
                                Not(HasSubstr("neither a .zip"))));
  for (const std::string& other : {"PK\x07\x08 and more"s, "plain text"s, "PK"s})
    EXPECT_THAT(hand_in(other).body, HasSubstr("neither a .zip")) << other;
}

TEST_F(Promises, ARefusedChangeOfPointsKeepsWhatWasTyped) {
  const auto session = s.service.accounts.begin_session(s.tokens.at("sam"), s.now).value();
  const auto refused = [&](const std::string& more) {
    const Response answer =
        s.ask({.method = "POST",
               .path = "/staff/students/ada/points",
               .headers = {{"cookie", cookie_name(s.service, "session") + "=" + session.cookie},
                           {"content-type", "application/x-www-form-urlencoded"}},
               .body = "form_key=" + session.form_key + "&assignment=m2&told=a+%3Cword%3E" + more});
    EXPECT_EQ(answer.status, 400);
    return answer.body;
  };
  const auto kept = AllOf(HasSubstr("Nothing was changed"), HasSubstr("value=\"m2\" selected"),
                          HasSubstr("value=\"a &lt;word"));
  EXPECT_THAT(refused("&kind=points&points=many&reason=a+look"),
              AllOf(kept, HasSubstr("value=\"many\""), HasSubstr("value=\"a look\"")));
  EXPECT_THAT(refused("&kind=excused&points=5&reason="),
              AllOf(kept, HasSubstr("value=\"5\""), HasSubstr("value=\"excused\" selected")));
  EXPECT_TRUE(s.store.changes().empty());
}

}  // namespace
}  // namespace opgrade::service
