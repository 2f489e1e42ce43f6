// Attacks by name: forms of other sites, paths, names that are markup, headers, requests in a
// request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "grader/base/core/percent.hpp"
#include "grader/service/state/accounts.hpp"
#include "tests/unit/service/listening.hpp"

namespace opgrade::service {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

std::string replaced(std::string path, const std::string& from, const std::string& to) {
  for (auto at = path.find(from); at != std::string::npos; at = path.find(from, at + to.size()))
    path.replace(at, from.size(), to);
  return path;
}

TEST(Attack, NoFormOfAnotherSiteChangesAnything) {
  test::SampleService s;
  const std::string id =
      std::to_string(json::parse(s.submit("ada", "m1", "key00001").body).at("id").get<int>());
  const auto staff = s.service.accounts.begin_session(s.tokens["sam"], s.now).value();
  const auto student = s.service.accounts.begin_session(s.tokens["ada"], s.now).value();
  const auto audited = [&] { return s.service.accounts.audit_log(1000).size(); };
  const std::size_t before = audited();
  int forms = 0;
  for (const Route& route : routes()) {
    if (std::string(route.method) == "GET" || route.access == Access::anyone) continue;
    for (const auto& [session, other] : {std::pair{staff, student}, {student, staff}}) {
      std::string path = replaced(replaced(route.pattern, "{id}", id), "{rejudge}", "1");
      path = replaced(path, "{name}", path.starts_with("/staff") ? "ada" : "m1");
      for (const std::string& key : {std::string(), std::string(64, '0'), other.form_key}) {
        for (const char* type : {"application/x-www-form-urlencoded", "text/plain", ""}) {
          const Response response = s.ask(
              {.method = "POST",
               .path = path,
               .headers = {{"cookie", cookie_name(s.service, "session") + "=" + session.cookie},
                           {"content-type", type}},
               .body = route.body == kNoBody ? "" : "form_key=" + key + "&reason=x"});
          EXPECT_EQ(response.status, 403) << path << " with the key '" << key << "'";
          ++forms;
        }
      }
    }
  }
  EXPECT_GT(forms, 100);
  EXPECT_EQ(audited(), before);
  EXPECT_EQ(s.service.queue.find(std::stoll(id))->state, State::queued);
}

TEST(Attack, NoGetChangesAnything) {
  for (const Route& route : routes())
    EXPECT_THAT(std::string(route.method), AnyOf("GET", "POST"))
        << "a method that no form key guards";
  test::SampleService s;
  s.grade(json::parse(s.submit("ada", "m1", "key00001").body).at("id").get<int>(),
          course::test::grade_of(80));
  s.get("sam", "/api/ranking?assignment=m1");  // makes the secret of the aliases
  const auto before = s.service.store.version();
  for (const Route& route : routes()) {
    if (std::string(route.method) != "GET") continue;
    const std::string path = replaced(replaced(route.pattern, "{id}", "1"), "{rejudge}", "1");
    s.get("sam", replaced(path, "{name}", path.starts_with("/staff/students") ? "ada" : "m1"));
  }
  EXPECT_EQ(s.service.store.version(), before);
}

TEST(Attack, NoNameLeavesItsFolder) {
  test::SampleService s;
  s.grade(json::parse(s.submit("ada", "m1", "key00001").body).at("id").get<int>(),
          course::test::grade_of(80));
  for (const char* name : {"..", ".", "../course", "..%2f..%2fetc%2fpasswd", "%2e%2e", "m1/..",
                           "m1%00", "course.db", "roster.csv", "m1\\..", "/etc/passwd"}) {
    for (const char* before :
         {"/assignments/", "/staff/students/", "/staff/students/ada/", "/staff/gradebook/",
          "/staff/finals/", "/staff/rejudges/", "/submissions/", "/api/submissions/"}) {
      const Response raw = s.get("sam", before + std::string(name));
      EXPECT_THAT(raw.status, AnyOf(404, 405)) << before << name;
      const Response decoded = s.get("sam", decode_percent(before + std::string(name), false));
      EXPECT_THAT(decoded.status, AnyOf(404, 405)) << before << name;
      EXPECT_THAT(raw.body + decoded.body, Not(HasSubstr("root:"))) << before << name;
    }
  }
}

/// A form as a browser sends it: the session's key, the upload's key, the expected file and one
/// more.
std::string form_with(const std::string& form_key, const std::string& key,
                      const std::string& file_name, const std::string& bytes) {
  const auto part = [](const std::string& head, const std::string& text) {
    return "--XX\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + text + "\r\n";
  };
  return part("name=\"form_key\"", form_key) + part("name=\"key\"", key) +
         part("name=\"files\"; filename=\"cpu-new-forward.cc\"", "int x;") +
         part("name=\"files\"; filename=\"" + file_name + "\"", bytes) + "--XX--\r\n";
}

TEST(Attack, FileNamesOfABrowserStayNames) {
  test::SampleService s;
  const auto session = s.service.accounts.begin_session(s.tokens["ada"], s.now).value();
  const std::vector<std::string> names{"<script>alert(1)</script>.cc",
                                       "..\\..\\course.db",
                                       "../../../../etc/cron.d/x",
                                       "a.cc\\\" onclick=alert(1)",
                                       std::string("a\0b.cc", 6),
                                       "-rf",
                                       ".",
                                       "..",
                                       std::string(300, 'n') + ".cc"};
  int taken = 0, number = 0;
  for (const auto& name : names) {
    s.now += std::chrono::seconds(1);
    const Response response =
        s.ask({.method = "POST",
               .path = "/assignments/m1",
               .headers = {{"cookie", cookie_name(s.service, "session") + "=" + session.cookie},
                           {"content-type", "multipart/form-data; boundary=XX"}},
               .body = form_with(session.form_key, "browserkey" + std::to_string(++number), name,
                                 "int x" + std::to_string(number) + ";")});
    EXPECT_THAT(response.status, AnyOf(303, 400, 422, 503)) << name;
    EXPECT_NE(response.status, 503) << name << ": a student's bytes are no fault of the service";
    taken += response.status == 303 ? 1 : 0;
    EXPECT_THAT(response.body, Not(HasSubstr("<script>"))) << name;
  }
  EXPECT_GT(taken, 2) << "or this test sends nothing";
  for (const auto& h : s.service.queue.of_owner("ada", "m1")) {
    EXPECT_TRUE(h.submission.file.starts_with("submissions/m1/ada/")) << h.submission.file;
    const std::string id = std::to_string(h.submission.id);
    EXPECT_THAT(s.get("ada", "/submissions/" + id).body, Not(HasSubstr("<script>")));
    const Response file = s.get("ada", "/api/submissions/" + id + "/archive");
    EXPECT_EQ(file.type, "application/octet-stream");
    for (const auto& [header, value] : file.headers)
      if (header == "Content-Disposition") {
        EXPECT_EQ(value, "attachment; filename=\"m1-" + id + ".tar\"");
      }
  }
  for (const auto& entry : std::filesystem::directory_iterator(s.place.path()))
    EXPECT_THAT(entry.path().filename().string(),
                AnyOf("course.yaml", "roster.csv", "course.db", "course.db-wal", "course.db-shm",
                      "submissions", "results"));
}

TEST(Attack, NoTextBecomesAHeader) {
  const test::Listening server;
  const std::string evil = "%0d%0aX-Evil:%20yes%0d%0aSet-Cookie:%20opgrade_session=planted";
  for (const std::string& path :
       {"/assignments/" + evil, "/login?next=" + evil, "/" + evil, "/submissions/" + evil,
        "/staff/students/" + evil, "/api/submissions/" + evil}) {
    const std::string answer = server.talk("GET " + path +
                                           " HTTP/1.1\r\nHost: a\r\nAuthorization: "
                                           "Bearer " +
                                           server.sample.tokens.at("sam") + "\r\n\r\n");
    const std::string head = answer.substr(0, answer.find("\r\n\r\n"));
    EXPECT_THAT(head, HasSubstr("HTTP/1.1 ")) << path;
    EXPECT_THAT(head, Not(HasSubstr("X-Evil"))) << path;
    EXPECT_THAT(head, Not(HasSubstr("planted"))) << path;
  }
}

TEST(Attack, AHeaderWithALineBreakIsNotSent) {
  const test::Listening server(
      {.before_body = [](Request&) { return std::size_t{0}; },
       .answer = [](const Request&) -> Response {
         return {200, "text/plain", "x", {{"X-Good", "1"}, {"X-Bad", "1\r\nX-Evil: 2"}}};
       }});
  const std::string answer = server.talk("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("X-Good: 1"));
  EXPECT_THAT(answer, Not(HasSubstr("X-Evil")));
}

TEST(Attack, NoRequestHidesInAnother) {
  const test::Listening server;
  const std::string who =
      "Host: a\r\nAuthorization: Bearer " + server.sample.tokens.at("ada") + "\r\n";
  const std::string post = "POST /api/submissions?assignment=m1 HTTP/1.1\r\n" + who;
  const std::string hidden = "GET /api/me HTTP/1.1\r\n" + who + "\r\n";
  for (const std::string& head : std::vector<std::string>{
           post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
           post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
           post + "Content-Length: 1, 1\r\n\r\n",
           post + "Content-Length: +4\r\n\r\n",
           post + "Content-Length: 0x4\r\n\r\n",
           post + "Content-Length: 18446744073709551620\r\n\r\n",
           post + "Content-Length : 4\r\n\r\n",
           post + "Content-Length: 4\r\nContent-Length: 400\r\n\r\n",
           post + "Transfer-Encoding: xchunked\r\n\r\n",
           post + "Transfer-Encoding: chunked, identity\r\n\r\n",
           post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
           post + "Transfer-Encoding:\x0b"
                  "chunked\r\n\r\n",
           post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n",
           post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
           post + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
           post + "X: a\r\n folded: b\rTransfer-Encoding: chunked\r\n\r\n",
           post + std::string("X: a\0b\r\n\r\n", 10),
           "POST /api/me HTTP/1.0\r\n" + who + "Transfer-Encoding: chunked\r\n\r\n",
           "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
           "GET /api/me\r\n",
           "get /api/health HTTP/1.1\r\n" + who + "\r\n",
           "CONNECT a:80 HTTP/1.1\r\n" + who + "\r\n",
           "TRACE /api/me HTTP/1.1\r\n" + who + "\r\n",
           "OPTIONS * HTTP/1.1\r\n" + who + "\r\n"}) {
    const std::string answer = server.talk(head + hidden);
    // A whole request may follow one that was refused by its route alone.
    const bool refused_by_route =
        answer.starts_with("HTTP/1.1 405") || answer.starts_with("HTTP/1.1 404");
    if (!refused_by_route) {
      EXPECT_THAT(answer, Not(HasSubstr("\"person\":\"ada\""))) << head << "\n" << answer;
    }
    EXPECT_THAT(answer, Not(HasSubstr("Bearer"))) << "nothing is sent back";
  }
}

TEST(Attack, DamagedRequestsAreAnsweredOrEnd) {
  const test::Listening server;
  const std::string good =
      "POST /login HTTP/1.1\r\nHost: a\r\nContent-Type: "
      "application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\ntoken=abc";
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    for (int n = 0; n < 4; ++n) {
      const std::size_t at = random() % bytes.size();
      if (random() % 3 == 0)
        bytes.erase(at, random() % 12);
      else
        bytes[at] = static_cast<char>(random());
    }
    const std::string answer = server.talk(bytes);
    if (!answer.empty()) {
      EXPECT_TRUE(answer.starts_with("HTTP/1.1 4") || answer.starts_with("HTTP/1.1 200"))
          << bytes << "\n"
          << answer.substr(0, 200);
    }
  }
  EXPECT_THAT(server.talk("GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n"), HasSubstr("opgrade"));
}

TEST(Secrets, AreComparedToTheEndAndFoundByTheirHash) {
  const std::string secret = new_secret();
  EXPECT_EQ(secret.size(), 64u);
  EXPECT_NE(secret, new_secret());
  EXPECT_TRUE(same_secret(secret, std::string(secret)));
  for (std::size_t i = 0; i < secret.size(); ++i) {
    std::string other = secret;
    other[i] = other[i] == '0' ? '1' : '0';
    EXPECT_FALSE(same_secret(secret, other)) << i;
    // The hash of a near miss is not near: an index over hashes tells nothing of the secret.
    EXPECT_NE(hash_of_secret(secret).substr(0, 16), hash_of_secret(other).substr(0, 16));
  }
  EXPECT_FALSE(same_secret(secret, secret.substr(1)));
  EXPECT_FALSE(same_secret(secret, ""));
  test::SampleService s;
  const std::string token = s.tokens["ada"];
  EXPECT_FALSE(s.service.accounts.by_token(hash_of_secret(token))) << "the stored one is no token";
  EXPECT_FALSE(s.service.accounts.by_token(token.substr(0, 63)));
  EXPECT_FALSE(s.service.accounts.by_token(token + " "));
  EXPECT_FALSE(s.service.accounts.by_token("' OR '1'='1"));
}

}  // namespace
}  // namespace opgrade::service
