// The login of a browser: its form, its cookies, and other sites that would like to fill them.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/service/state/accounts.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::map<std::string, std::string> kForm{
    {"content-type", "application/x-www-form-urlencoded"}};

std::string cookie_in(const Response& response) {
  for (const auto& [name, value] : response.headers)
    if (name == "Set-Cookie") return value;
  return "";
}

std::string pair_of(const std::string& cookie) { return cookie.substr(0, cookie.find(';')); }

/// The key in the first form of a page.
std::string key_in(const Response& page) {
  const std::string before = "name=\"form_key\" value=\"";
  const auto at = page.body.find(before);
  if (at == std::string::npos) return "";
  const auto begin = at + before.size();
  return page.body.substr(begin, page.body.find('"', begin) - begin);
}

/// The login page of a browser: its cookie and the key in its form.
struct LoginPage {
  explicit LoginPage(test::SampleService& s, std::string sent = "") {
    Request request{.method = "GET", .path = "/login"};
    if (!sent.empty()) request.headers["cookie"] = sent;
    const Response page = s.ask(request);
    set_cookie = cookie_in(page);
    cookie = pair_of(set_cookie);
    key = key_in(page);
  }
  std::string set_cookie, cookie, key;
};

class LoginTest : public testing::Test {
 protected:
  LoginTest() : LoginTest(FloodLimits{1e9, 1e9, 1e9, 1e9}) {}
  explicit LoginTest(FloodLimits flood) : s(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml", flood) {}
  test::SampleService s;

  Response log_in(const std::string& cookie, const std::string& key, const std::string& token) {
    Request request{.method = "POST",
                    .path = "/login",
                    .headers = kForm,
                    .body = "form_key=" + key + "&token=" + token};
    if (!cookie.empty()) request.headers["cookie"] = cookie;
    return s.ask(request);
  }
};

TEST_F(LoginTest, AFormOfAnotherSiteLogsNobodyIn) {
  const std::string token = s.tokens["eve"];  // the attacker's own
  EXPECT_EQ(s.ask({.method = "POST", .path = "/login", .headers = kForm, .body = "token=" + token})
                .status,
            403)
      << "a form that another site wrote has no key";
  const LoginPage victims(s), attackers(s);
  EXPECT_EQ(log_in(victims.cookie, attackers.key, token).status, 403) << "a key of another browser";
  EXPECT_EQ(log_in("", attackers.key, token).status, 403) << "a browser without a cookie";
  EXPECT_EQ(log_in(victims.cookie, "", token).status, 403);
  EXPECT_EQ(log_in("__Host-opgrade_login=", hash_of_secret("login "), token).status, 403);
  const Response refused = log_in("", attackers.key, token);
  EXPECT_THAT(refused.body, HasSubstr("out of date"));
  EXPECT_THAT(cookie_in(refused), HasSubstr("opgrade_login=")) << "its form can be sent";
}

TEST_F(LoginTest, ThePageLogsInByItsOwnForm) {
  const LoginPage page(s);
  EXPECT_THAT(page.set_cookie, StartsWith("__Host-opgrade_login="))
      << "no other host of the domain can set it";
  EXPECT_THAT(page.set_cookie, HasSubstr("; Path=/;"));
  EXPECT_THAT(page.set_cookie, HasSubstr("; HttpOnly; SameSite=Strict; Secure"));
  EXPECT_THAT(page.cookie, Not(HasSubstr(page.key))) << "the page does not show the cookie";
  const Response response = log_in(page.cookie, page.key, s.tokens["ada"]);
  ASSERT_EQ(response.status, 303) << response.body;
  const std::string cookie = cookie_in(response);
  EXPECT_THAT(cookie, StartsWith("__Host-opgrade_session="));
  EXPECT_THAT(cookie, HasSubstr("HttpOnly; SameSite=Lax; Secure"))
      << "a link of the course's forum opens its page";
  const Response home =
      s.ask({.method = "GET", .path = "/", .headers = {{"cookie", pair_of(cookie)}}});
  EXPECT_EQ(home.status, 200);
  EXPECT_THAT(home.body, HasSubstr("name=\"form_key\""));
  EXPECT_EQ(log_in(page.cookie, page.key, "wrong").status, 403);
}

TEST_F(LoginTest, TheLoginGoesOnToThePageAskedForAndNowhereElse) {
  const auto place = [](const Response& response) {
    for (const auto& [name, value] : response.headers)
      if (name == "Location") return value;
    return std::string();
  };
  EXPECT_EQ(place(s.ask({.method = "GET", .path = "/"})), "/login");
  const std::string to = place(s.ask({.method = "GET", .path = "/assignments/m1?x=a b"}));
  EXPECT_EQ(to, "/login?to=%2Fassignments%2Fm1%3Fx%3Da%2520b");
  EXPECT_THAT(s.ask({.method = "GET", .path = to}).body,
              HasSubstr("name=\"to\" value=\"/assignments/m1?x=a%20b\""));
  const LoginPage page(s);
  const auto after = [&](const std::string& address) {
    return place(log_in(page.cookie, page.key, s.tokens["ada"] + "&to=" + address));
  };
  EXPECT_EQ(after("%2Fassignments%2Fm1"), "/assignments/m1");
  for (const char* elsewhere : {"", "https%3A%2F%2Fevil.example", "%2F%2Fevil.example",
                                "%2F%5Cevil.example", "%2Fa%0d%0aSet-Cookie%3A%20x", "m1"})
    EXPECT_EQ(after(elsewhere), "/") << elsewhere;
}

TEST_F(LoginTest, AFormThatOutlivedItsSessionIsSentAfterANewLogin) {
  const LoginPage page(s);
  const auto cookie = [&] {
    return pair_of(cookie_in(log_in(page.cookie, page.key, s.tokens["ada"])));
  };
  const auto home = [&](const std::string& of) {
    return s.ask({.method = "GET", .path = "/", .headers = {{"cookie", of}}});
  };
  const std::string key = key_in(home(cookie()));
  s.now += kSessionLife;
  EXPECT_EQ(key_in(home(cookie())), key);
  EXPECT_NE(key_in(home(pair_of(cookie_in(log_in(page.cookie, page.key, s.tokens["eve"]))))), key);
  s.tokens["ada"] = s.service.accounts.make_token("ada", Role::student, s.now);
  EXPECT_NE(key_in(home(cookie())), key) << "a new token ends it";
}

TEST_F(LoginTest, AnEndedSessionAndEachErrorIsAPageWithAWayOn) {
  const Response ended = s.ask({.method = "POST", .path = "/assignments/m1"});
  EXPECT_EQ(ended.status, 401);
  EXPECT_THAT(ended.body, testing::AllOf(HasSubstr("session has ended"), HasSubstr("/login")));
  for (const auto& [path, status] :
       {std::pair{"/nowhere", 404}, {"/assignments/m9", 404}, {"/staff", 403}}) {
    const Response response = s.get("ada", path);
    EXPECT_EQ(response.status, status);
    EXPECT_THAT(response.body,
                testing::AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("href=\"/\"")))
        << path;
  }
  Request large{.method = "POST", .path = "/assignments/m1", .headers = s.headers("ada")};
  large.headers["content-length"] = std::to_string(17 << 20);
  const Response too_large = s.ask(large);
  EXPECT_EQ(too_large.status, 413);
  EXPECT_THAT(too_large.body, HasSubstr("<h1>Too large</h1>"));
}

TEST_F(LoginTest, TwoTabsHaveOneCookie) {
  const LoginPage first(s);
  const LoginPage second(s, first.cookie);
  EXPECT_EQ(second.key, first.key);
  EXPECT_EQ(log_in(first.cookie, first.key, s.tokens["ada"]).status, 303);
  const LoginPage planted(s, "__Host-opgrade_login=short");
  EXPECT_THAT(planted.cookie, Not(HasSubstr("short"))) << "a guessable one is replaced";
}

TEST_F(LoginTest, APlantedSessionIsWorthNothing) {
  const LoginPage page(s);
  const std::string planted = "__Host-opgrade_session=planted; " + page.cookie;
  const Response response = log_in(planted, page.key, s.tokens["ada"]);
  ASSERT_EQ(response.status, 303);
  EXPECT_THAT(cookie_in(response), Not(HasSubstr("planted")));
  EXPECT_EQ(s.ask({.method = "GET", .path = "/", .headers = {{"cookie", planted}}}).status, 303)
      << "to the login";
  const std::string first = cookie_in(response);
  EXPECT_NE(cookie_in(log_in(planted, page.key, s.tokens["ada"])), first) << "a new one each time";
}

TEST_F(LoginTest, ALogoutEndsTheSessionOnTheServer) {
  const LoginPage page(s);
  const std::string cookie = pair_of(cookie_in(log_in(page.cookie, page.key, s.tokens["ada"])));
  const auto home = [&] {
    return s.ask({.method = "GET", .path = "/", .headers = {{"cookie", cookie}}});
  };
  Request request{.method = "POST", .path = "/logout", .headers = {{"cookie", cookie}}};
  EXPECT_EQ(s.ask(request).status, 403) << "another site logs nobody out";
  request.headers["x-form-key"] = key_in(home());
  EXPECT_EQ(s.ask(request).status, 303);
  EXPECT_EQ(home().status, 303) << "to the login";
}

TEST_F(LoginTest, APersonsSessionsDoNotPileUp) {
  const auto sessions = [&] {
    int count = 0;
    s.store.read([&](SQLite::Database& database) {
      count = database.execAndGet("SELECT COUNT(*) FROM session").getInt();
    });
    return count;
  };
  const LoginPage page(s);
  const auto session = [&](const char* login) {
    return pair_of(cookie_in(log_in(page.cookie, page.key, s.tokens[login])));
  };
  const auto status = [&](const std::string& cookie) {
    return s.ask({.method = "GET", .path = "/api/me", .headers = {{"cookie", cookie}}}).status;
  };
  const std::string eve = session("eve"), first = session("ada");
  std::string last;
  for (int i = 0; i < 100; ++i) last = session("ada");
  EXPECT_LT(sessions(), 30);
  EXPECT_EQ(status(last), 200);
  EXPECT_EQ(status(first), 401);
  EXPECT_EQ(status(eve), 200) << "another person's stay";
  s.now += kSessionLife + std::chrono::seconds(1);
  session("bob");
  EXPECT_EQ(sessions(), 1) << "those that are over are gone";
}

// nginx passes on the password by which it authenticates.
TEST_F(LoginTest, APasswordOfTheProxyIsNoWrongToken) {
  const LoginPage page(s);
  const std::string cookie = pair_of(cookie_in(log_in(page.cookie, page.key, s.tokens["ada"])));
  const Request request{.method = "GET",
                        .path = "/",
                        .headers = {{"cookie", cookie}, {"authorization", "Basic YWRhOng="}}};
  EXPECT_EQ(s.ask(request).status, 200);
}

TEST_F(LoginTest, OnlyTheProxyNamesUsers) {
  Request request{.method = "GET", .path = "/login", .headers = {{"x-remote-user", "ada"}}};
  request.from_proxy = true;
  EXPECT_EQ(s.ask(request).status, 200) << "no header is configured";
}

class FewGuesses : public LoginTest {
 protected:
  FewGuesses() : LoginTest(FloodLimits{2, 0, 3, 0}) {}
};

TEST_F(FewGuesses, ARightTokenLogsInAfterWrongOnesOfItsAddress) {
  const LoginPage page(s);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(log_in(page.cookie, page.key, "guess").status, 403);
  EXPECT_EQ(log_in(page.cookie, page.key, "guess").status, 429);
  EXPECT_EQ(log_in(page.cookie, page.key, s.tokens["ada"]).status, 303);
  EXPECT_EQ(log_in(page.cookie, page.key, s.tokens["ada"]).status, 303);
  EXPECT_EQ(log_in(page.cookie, page.key, s.tokens["ada"]).status, 429) << "each is a session";
  EXPECT_EQ(log_in(page.cookie, page.key, s.tokens["eve"]).status, 303);
}

}  // namespace
}  // namespace opgrade::service
