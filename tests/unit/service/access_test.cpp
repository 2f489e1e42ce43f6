// Each route against each role; a route without a line here fails. And tokens, sessions, forms.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "grader/client/session.hpp"
#include "grader/service/state/ranking.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/unit/service/listening.hpp"

namespace opgrade::service {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Statuses for nobody, the owner, another student, and staff. {id} is a graded submission of ada
/// for m1.
struct Expected {
  int nobody, owner, other, staff;
};

const std::map<std::string, Expected>& expected() {
  static const std::map<std::string, Expected> table{
      {"GET /api/health", {200, 200, 200, 200}},
      {"GET /api/me", {401, 200, 200, 200}},
      {"POST /api/submissions", {401, 404, 404, 404}},  // no assignment is named
      {"GET /api/submissions/{id}", {401, 200, 404, 200}},
      {"GET /api/submissions/{id}/events", {401, 200, 404, 200}},
      {"GET /api/submissions/{id}/report", {401, 200, 404, 200}},
      {"GET /api/submissions/{id}/archive", {401, 200, 404, 200}},
      {"GET /api/submissions/{id}/tool-files/{name}", {401, 404, 404, 404}},
      {"POST /api/submissions/{id}/cancel", {401, 409, 404, 409}},  // it is graded
      {"GET /api/assignments/{name}/files", {401, 404, 404, 404}},
      {"GET /api/queue", {401, 200, 200, 200}},
      {"GET /api/history", {401, 200, 200, 200}},
      {"GET /api/ranking", {401, 404, 404, 404}},  // no assignment is named
      {"POST /api/staff/submissions/{id}/requeue", {401, 403, 403, 409}},
      {"POST /api/staff/drain", {401, 403, 403, 200}},
      {"POST /api/staff/start", {401, 403, 403, 200}},
      {"POST /api/staff/stop", {401, 403, 403, 200}},
      {"POST /api/submissions/{id}/hand-in", {401, 409, 404, 409}},  // it is no practice run
      {"GET /api/staff/audit", {401, 403, 403, 200}},
      {"GET /style.css", {200, 200, 200, 200}},
      {"GET /icon.svg", {200, 200, 200, 200}},
      {"GET /live.js", {200, 200, 200, 200}},
      {"GET /login", {200, 200, 200, 200}},
      {"POST /login", {403, 403, 403, 403}},  // without a token in the form
      {"POST /logout", {401, 303, 303, 303}},
      {"GET /", {303, 200, 200, 303}},  // to the login, and staff to the class
      {"GET /assignments/{name}", {303, 404, 404, 404}},
      {"POST /assignments/{name}", {401, 404, 404, 404}},
      {"GET /submissions/{id}", {303, 200, 404, 200}},
      {"GET /submissions/{id}/report", {303, 200, 404, 200}},
      {"POST /submissions/{id}/cancel", {401, 409, 404, 409}},
      {"POST /submissions/{id}/hand-in", {401, 409, 404, 409}},
      {"GET /submissions/{id}/source", {303, 200, 404, 200}},
      {"POST /submissions/{id}/messages", {401, 400, 404, 400}},  // without words
      {"POST /notices", {401, 303, 303, 303}},
      {"GET /documents/{id}/file", {303, 404, 404, 404}},  // it is no document
      {"GET /documents/{id}/pages/{number}", {303, 404, 404, 404}},
      {"GET /staff/marking/{name}", {303, 403, 403, 404}},
      {"GET /staff/marking/{name}/next", {303, 403, 403, 404}},
      {"POST /staff/marking/{name}/release", {401, 403, 403, 404}},
      {"GET /staff/marking/{name}/{id}", {303, 403, 403, 404}},
      {"POST /staff/marking/{name}/{id}", {401, 403, 403, 404}},
      {"GET /staff/marking/{name}/{id}/state", {303, 403, 403, 404}},
      {"GET /staff/rubrics/{name}", {303, 403, 403, 404}},
      {"POST /staff/rubrics/{name}", {401, 403, 403, 404}},
      {"GET /staff/submissions", {303, 403, 403, 200}},
      {"POST /staff/submissions/{id}/count", {401, 403, 403, 400}},  // without a reason
      {"GET /staff/assignments/{name}", {303, 403, 403, 404}},
      {"GET /staff/roster", {303, 403, 403, 200}},
      {"POST /staff/roster", {401, 403, 403, 400}},
      {"GET /staff/announcements", {303, 403, 403, 200}},
      {"POST /staff/announcements", {401, 403, 403, 400}},
      {"POST /staff/announcements/{name}/end", {401, 403, 403, 404}},
      {"POST /ranking-name", {401, 404, 404, 404}},
      {"GET /staff", {303, 403, 403, 200}},
      {"GET /staff/audit", {303, 403, 403, 200}},
      {"GET /staff/practice", {303, 403, 403, 200}},
      {"GET /staff/extensions", {303, 403, 403, 200}},
      {"POST /staff/extensions", {401, 403, 403, 400}},
      {"GET /staff/tokens", {303, 403, 403, 200}},
      {"POST /staff/tokens", {401, 403, 403, 400}},
      {"GET /staff/students/{name}", {303, 403, 403, 404}},
      {"POST /staff/students/{name}/points", {401, 403, 403, 404}},
      {"GET /staff/students/{name}/{name}", {303, 403, 403, 404}},
      {"POST /staff/students/{name}/extension", {401, 403, 403, 404}},
      {"GET /staff/gradebook/{name}", {303, 403, 403, 404}},
      {"GET /staff/finals/{name}", {303, 403, 403, 404}},
      {"GET /staff/rejudges", {303, 403, 403, 200}},
      {"POST /staff/rejudges", {401, 403, 403, 404}},
      {"GET /staff/rejudges/{rejudge}", {303, 403, 403, 404}},
      {"POST /staff/rejudges/{rejudge}/apply", {401, 403, 403, 404}},
      {"POST /staff/rejudges/{rejudge}/cancel", {401, 403, 403, 404}},
      {"POST /staff/submissions/{id}/requeue", {401, 403, 403, 409}},
      {"POST /staff/drain", {401, 403, 403, 303}},
      {"POST /staff/start", {401, 403, 403, 303}},
      {"POST /staff/stop", {401, 403, 403, 303}},
  };
  return table;
}

/// The definition of api.schema.json for a good answer of an /api/ route, or "report".
const std::map<std::string, std::string>& answers() {
  static const std::map<std::string, std::string> table{
      {"GET /api/health", "health"},
      {"GET /api/me", "me"},
      {"GET /api/submissions/{id}", "submission"},
      {"GET /api/submissions/{id}/report", "report"},
      {"GET /api/queue", "queue"},
      {"GET /api/history", "history"},
      {"POST /api/staff/drain", "workers"},
      {"POST /api/staff/start", "workers"},
      {"POST /api/staff/stop", "workers"},
      {"GET /api/staff/audit", "audit"},
  };
  return table;
}

json schema_of(const std::string& file, const std::string& part = "") {
  json schema = json::parse(text_of_file(std::string(OPGRADE_SOURCE_DIR "/grader/") + file));
  if (part.empty()) return schema;
  json rule = schema["definitions"].at(part);
  rule["definitions"] = schema["definitions"];
  return rule;
}

/// All ways in which the answer breaks the published schema.
std::vector<std::string> broken(const std::string& route, const Response& response) {
  if (route.find(" /api/") == route.npos || response.type != "application/json") return {};
  const auto good = answers().find(route);
  const std::string part = response.status >= 400    ? "error"
                           : good == answers().end() ? "submission"
                                                     : good->second;
  const json schema = part == "report" ? schema_of("report/fields/report.schema.json")
                                       : schema_of("service/api/api.schema.json", part);
  return opgrade::test::SchemaValidator(schema).check(json::parse(response.body));
}

class AccessTest : public testing::Test {
 protected:
  test::SampleService s;

  std::int64_t graded() {
    const Response response = s.submit("ada", "m1", "key00001");
    const std::int64_t id = json::parse(response.body).at("id");
    s.grade(id, course::test::grade_of(80));
    return id;
  }
};

TEST_F(AccessTest, StaffHandInForAStudentByLoginIdOrMail) {
  int key = 0;
  const auto status_for = [&](const std::string& keys) {
    ++key;
    return s
        .post("sam", "/api/submissions?assignment=m1&for=" + keys,
              s.archive(fmt::format("int x{};", key)),
              {{"idempotency-key", fmt::format("staff-key-{}", key)}})
        .status;
  };
  const course::Student& ada = *s.folder.roster.find("ada");
  for (const std::string& keys :
       {ada.login, ada.id, ada.email, "nobody," + ada.id, ada.id + "," + ada.login})
    EXPECT_EQ(status_for(keys), 201) << keys;
  EXPECT_EQ(s.service.queue
                .of_owner(s.folder.roster.owner_of(ada, s.folder.course.assignments[0]).key, "m1")
                .size(),
            5u);
  for (const std::string keys : {"", ",", "nobody", "ada,bob"})
    EXPECT_EQ(status_for(keys), 403) << keys;
}

TEST_F(AccessTest, EachRouteAgainstEachRole) {
  const std::string id = std::to_string(graded());
  for (const Route& route : routes()) {
    const std::string name = std::string(route.method) + " " + route.pattern;
    const auto found = expected().find(name);
    ASSERT_NE(found, expected().end()) << name << " has no line in this test's table";
    std::string path = route.pattern;
    if (const auto at = path.find("{id}"); at != std::string::npos) path.replace(at, 4, id);
    const auto& [nobody, owner, other, staff] = found->second;
    for (const auto& [login, status] : std::array<std::pair<const char*, int>, 4>{
             {{"", nobody}, {"ada", owner}, {"eve", other}, {"sam", staff}}}) {
      const Response response =
          s.ask({.method = route.method, .path = path, .headers = s.headers(login)});
      EXPECT_EQ(response.status, status) << name << " for '" << login << "': " << response.body;
      EXPECT_EQ(broken(name, response), std::vector<std::string>{})
          << name << ": " << response.body;
    }
  }
  EXPECT_EQ(expected().size(), routes().size()) << "the table has a line without a route";
}

TEST_F(AccessTest, AnObserverChangesNothingAndAGraderNoGrade) {
  const std::string id = std::to_string(graded());
  for (const auto& [name, role] : {std::pair{"olga", Role::observer}, {"greg", Role::grader}})
    s.tokens[name] = s.service.accounts.make_token(name, role, s.now);
  const auto changes = [&] { return s.service.accounts.audit_log(1000).size(); };
  const std::size_t before = changes();
  for (const Route& route : routes()) {
    std::string path = route.pattern;
    if (const auto at = path.find("{id}"); at != std::string::npos) path.replace(at, 4, id);
    if (const auto at = path.find("{name}"); at != std::string::npos)
      path.replace(at, 6, path.starts_with("/staff") ? "ada" : "m1");
    const std::string where = std::string(route.method) + " " + path;
    const Response observer =
        s.ask({.method = route.method, .path = path, .headers = s.headers("olga")});
    const Response grader =
        s.ask({.method = route.method, .path = path, .headers = s.headers("greg")});
    if (route.method == std::string_view("GET")) {
      const bool runs = route.access == Access::runs;  // the tokens
      EXPECT_EQ(observer.status == 403, runs) << where;
      EXPECT_EQ(grader.status == 403, runs) << where;
    } else if (route.access >= Access::sees) {
      EXPECT_EQ(observer.status, 403) << where;
      EXPECT_EQ(grader.status == 403, route.access != Access::helps) << where;
    }
  }
  for (const char* path : {"/messages", "/cancel"})
    EXPECT_EQ(s.post("olga", "/submissions/" + id + path, "text=x").status, 403) << path;
  EXPECT_EQ(s.post("olga", "/api/submissions?assignment=m1&for=ada", s.archive("int o;"),
                   {{"idempotency-key", "observers"}})
                .status,
            403);
  EXPECT_EQ(changes(), before);
  EXPECT_EQ(s.post("greg", "/submissions/" + id + "/messages", "text=x").status, 303);
}

/// Every role by its browser's session, on every page: what the page links to, and where its forms
/// go, is open to that role.
TEST_F(AccessTest, NoPageOffersWhatItsReaderMayNot) {
  const std::string id = std::to_string(graded());
  s.submit("eve", "m1", "key00002", "int waits;");
  s.grade(json::parse(s.submit("bob", "m2", "key00003", "int b;").body).at("id"),
          course::test::grade_of(1, std::string(64, 'd')));
  Dispatcher dispatcher(s.place.path(), s.store, {.workers = 0});
  s.service.attach(&dispatcher);
  std::map<std::string, std::string> tokens{{"ada", s.tokens["ada"]}, {"sam", s.tokens["sam"]}};
  for (const auto& [name, role] : {std::pair{"olga", Role::observer}, {"greg", Role::grader}})
    tokens[name] = s.service.accounts.make_token(name, role, s.now);
  for (const auto& [name, role] : {std::pair{"tim", Role::staff}, {"una", Role::observer}})
    tokens[name] = s.service.accounts.make_token(name, role, s.now, "A");
  std::size_t forms = 0;
  for (const auto& [name, token] : tokens) {
    const std::map<std::string, std::string> session{
        {"cookie", cookie_name(s.service, "session") + "=" +
                       s.service.accounts.begin_session(token, s.now)->cookie}};
    for (const Route& route : routes()) {
      std::string path = route.pattern;
      if (route.method != std::string_view("GET") || path.starts_with("/api/")) continue;
      if (path.ends_with("{name}/{name}")) continue;  // the student's page, its forms disabled
      if (const auto at = path.find("{id}"); at != std::string::npos) path.replace(at, 4, id);
      for (const char* with : {"ada", "m1"})
        if (const auto at = path.find("{name}"); at != std::string::npos)
          path.replace(at, 6, path.starts_with("/staff") ? with : "m1");
      const std::string page = s.ask({.method = "GET", .path = path, .headers = session}).body;
      const std::regex goes_to("(href|action)=\"(/[^\"?]*)[^\"]*\"");
      for (std::sregex_iterator found(page.begin(), page.end(), goes_to), end; found != end;
           ++found) {
        Request request{.method = found->str(1) == "href" || found->str(2) == "/staff/submissions"
                                      ? "GET"
                                      : "POST",
                        .path = found->str(2),
                        .headers = session};
        forms += request.method == "POST" ? 1 : 0;
        const auto decided = s.handler.before_body(request);
        const auto* const refused = std::get_if<Response>(&decided);
        EXPECT_TRUE(refused == nullptr || refused->status != 403)
            << name << " at " << path << ": " << found->str(0);
      }
    }
  }
  EXPECT_GT(forms, 30u);
  s.service.attach(nullptr);
}

TEST_F(AccessTest, StaffOfASectionSeeItsStudentsAlone) {
  const std::string ada = std::to_string(graded());  // of section A
  const std::string eve = std::to_string(
      json::parse(s.submit("eve", "m1", "key00002").body).at("id").get<int>());  // of section B
  s.tokens["tim"] = s.service.accounts.make_token("tim", Role::staff, s.now, "A");
  const auto status = [&](const std::string& path) { return s.get("tim", path).status; };
  for (const std::string& path : {"/submissions/" + ada, "/api/submissions/" + ada + "/report",
                                  std::string("/staff/students/ada")})
    EXPECT_EQ(status(path), 200) << path;
  for (const std::string& path :
       {"/submissions/" + eve, "/api/submissions/" + eve, "/submissions/" + eve + "/source",
        std::string("/staff/students/eve"), std::string("/staff/students/eve/m1")})
    EXPECT_EQ(status(path), 404) << path;
  for (const char* path : {"/staff/audit", "/staff/rejudges", "/staff/tokens",
                           "/staff/gradebook/plain", "/staff/finals/m1"})
    EXPECT_EQ(status(path), 403) << path;
  for (const char* path : {"/staff", "/staff/submissions", "/staff/extensions", "/api/queue",
                           "/api/history?for=eve", "/api/health"})
    EXPECT_THAT(s.get("tim", path).body, Not(testing::ContainsRegex("[^a-z]eve[^a-z]"))) << path;
  EXPECT_THAT(s.get("tim", "/staff").body, HasSubstr("(ada)"));
  const std::map<std::string, std::string> form{
      {"content-type", "application/x-www-form-urlencoded"}};
  const std::string points = "assignment=m1&kind=points&points=5&reason=x";
  EXPECT_EQ(s.post("tim", "/staff/students/eve/points", points, form).status, 404);
  EXPECT_EQ(s.post("tim", "/staff/students/ada/points", points, form).status, 303);
  EXPECT_EQ(
      s.post("tim", "/staff/extensions", "assignment=m1&until=1+d&reason=x&students=eve", form)
          .status,
      400);
  EXPECT_EQ(s.post("tim", "/api/submissions?assignment=m1&for=eve", s.archive("int t;"),
                   {{"idempotency-key", "sections1"}})
                .status,
            403);
}

TEST_F(AccessTest, EachAnswerHasItsSchema) {
  const Response waiting = s.submit("ada", "m1", "key00001");
  EXPECT_EQ(waiting.status, 201);
  EXPECT_EQ(broken("POST /api/submissions", waiting), std::vector<std::string>{});
  for (const char* login : {"ada", "sam"}) {
    const Response queue = s.get(login, "/api/queue");
    ASSERT_EQ(json::parse(queue.body)["own"].size(), 1u) << queue.body;
    EXPECT_EQ(broken("GET /api/queue", queue), std::vector<std::string>{}) << queue.body;
  }
  EXPECT_EQ(schema_of("service/api/api.schema.json")["$id"],
            json::parse(s.get("ada", "/api/me").body)["schema"]);
  json me = json::parse(s.get("ada", "/api/me").body);
  me.erase("role");
  EXPECT_EQ(broken("GET /api/me", {200, "application/json", me.dump()}).size(), 1u);
}

TEST_F(AccessTest, ATokenEndsWhenItIsRotatedOrRevoked) {
  const std::string old = s.tokens["ada"];
  const auto status = [&](const std::string& token) {
    return s
        .ask(
            {.method = "GET", .path = "/api/me", .headers = {{"authorization", "Bearer " + token}}})
        .status;
  };
  EXPECT_EQ(status(old), 200);
  const auto session = s.service.accounts.begin_session(old, s.now);
  ASSERT_TRUE(session);
  const std::string rotated = s.service.accounts.make_token("ada", Role::student, s.now);
  EXPECT_EQ(status(old), 401);
  EXPECT_FALSE(s.service.accounts.by_session(session->cookie, s.now)) << "its session ended too";
  EXPECT_EQ(status(rotated), 200);
  EXPECT_EQ(s.service.accounts.revoke("ada", s.now), 1);
  EXPECT_EQ(status(rotated), 401);
}

TEST(OpenStream, AClientWhoseTokenIsRevokedIsToldToLogIn) {
  test::Listening s;
  const Response taken = s.sample.submit("ada", "m1", "key00001");
  const auto id = json::parse(taken.body).at("id").get<std::int64_t>();
  client::Session session(s.url(), s.sample.tokens["ada"], [&](const std::string&) {
    s.sample.service.accounts.revoke("ada", s.sample.now);
  });
  try {
    session.follow(id);
    ADD_FAILURE() << "followed to its end";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("unknown or revoked"));
    EXPECT_THAT(e.hint, HasSubstr("opgrade login"));
  }
}

TEST_F(AccessTest, NoSecretIsStored) {
  const auto session = s.service.accounts.begin_session(s.tokens["ada"], s.now);
  const std::string database =
      text_of_file(s.place.path() / "course.db") + text_of_file(s.place.path() / "course.db-wal");
  EXPECT_THAT(database, HasSubstr("ada"));
  EXPECT_THAT(database, Not(HasSubstr(s.tokens["ada"])));
  EXPECT_THAT(database, Not(HasSubstr(session->cookie)));
}

TEST_F(AccessTest, ASessionChangesNothingWithoutItsFormKey) {
  const auto session = s.service.accounts.begin_session(s.tokens["sam"], s.now).value();
  Request request{
      .method = "POST",
      .path = "/api/staff/drain",
      .headers = {{"cookie", cookie_name(s.service, "session") + "=" + session.cookie}}};
  EXPECT_EQ(s.ask(request).status, 403);
  request.headers["x-form-key"] = std::string(64, '0');
  EXPECT_EQ(s.ask(request).status, 403);
  request.headers["x-form-key"] = session.form_key;
  EXPECT_EQ(s.ask(request).status, 200);
  s.now += kSessionLife;
  EXPECT_EQ(s.ask(request).status, 401) << "after its life";
}

TEST(Flood, IsAnswered429) {
  test::SampleService s(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml", {5, 0, 3, 0});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(s.get("ada", "/api/me").status, 200);
  EXPECT_EQ(s.get("ada", "/api/me").status, 429);
  EXPECT_EQ(s.get("eve", "/api/me").status, 200) << "another student is not held up";
  s.tokens["wrong"] = "guess";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(s.get("wrong", "/api/me").status, 401);
  EXPECT_EQ(s.get("wrong", "/api/me").status, 429) << "who guesses is shut out";
  EXPECT_EQ(s.get("eve", "/api/me").status, 200) << "another student of that address is not";
}

TEST(Flood, WhoGuessesShutsOutNobodyElseOfTheAddress) {
  test::SampleService s(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml", {1e9, 1e9, 3, 0});
  s.tokens["wrong"] = "guess";
  for (int i = 0; i < 30; ++i) s.get("wrong", "/api/me");
  ASSERT_EQ(s.get("wrong", "/api/me").status, 429);
  for (const char* path : {"/login", "/style.css", "/live.js", "/api/health"}) {
    EXPECT_EQ(s.get("", path).status, 200) << path;
    EXPECT_EQ(s.get("wrong", path).status, 200) << path;
  }
  EXPECT_EQ(s.get("", "/").status, 303) << "to the login";
}

TEST(Flood, StyleAndHealthHaveNoLimit) {
  test::SampleService s(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml", {0, 0, 0, 0});
  ASSERT_EQ(s.get("ada", "/api/me").status, 429);
  for (const char* login : {"", "ada"})
    for (const char* path : {"/style.css", "/live.js", "/api/health"})
      EXPECT_EQ(s.get(login, path).status, 200) << path;
}

/// A hidden case in every shape, with words that appear nowhere else.
Grade with_hidden_case() {
  Grade grade = course::test::grade_of(80);
  CaseReport hidden = grade.stages.at(0).cases.at(0);
  hidden.id = "cpu/zebra/31337";
  hidden.model = "zebra";
  hidden.batch = 31337;
  hidden.hidden = true;
  hidden.reason = text_reason("zebra reason", "zebra hint");
  hidden.student_output = "zebra output";
  hidden.repeat = Repeat{.path = "zebra", .config = "zebra"};
  grade.stages[0].cases.push_back(hidden);
  // The class's, so it tells the inputs of the next attempt.
  grade.seed = 424242424242;
  grade.stages[0].cases[0].repeat = {
      .path = "/srv/our courses/ada.tar", .config = "/srv/our courses/m1.yaml", .seed = grade.seed};
  return grade;
}

TEST(Flood, NamesInTheRankingDoNotFillTheAuditLog) {
  test::SampleService s(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml", {1e9, 1e9, 3, 0});
  const auto choose = [&](const std::string& login) {
    return s
        .post(login, "/ranking-name", "assignment=m1&name=Heron",
              {{"content-type", "application/x-www-form-urlencoded"}})
        .status;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(choose("ada"), 303);
  EXPECT_EQ(choose("ada"), 429);
  EXPECT_EQ(choose("eve"), 303);
}

TEST(Health, CountsTheQueueOnceASecond) {
  test::SampleService s;
  const auto waiting = [&] {
    return nlohmann::json::parse(s.get("", "/api/health").body).at("waiting").get<int>();
  };
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 201);
  EXPECT_EQ(waiting(), 1);
  EXPECT_EQ(s.submit("eve", "m1", "key00001").status, 201);
  EXPECT_EQ(waiting(), 1) << "whoever asks, and however often";
  s.now += std::chrono::seconds(1);
  EXPECT_EQ(waiting(), 2);
}

TEST_F(AccessTest, ACaseIsOpenOnceNothingIsAcceptedAnyMore) {
  const Response response = s.submit("ada", "m1", "key00001");
  const std::string id = std::to_string(json::parse(response.body).at("id").get<std::int64_t>());
  Grade grade = with_hidden_case();
  for (auto& c : grade.stages.at(0).cases)
    if (c.hidden) c.visibility = Visibility::after_deadline;
  s.grade(std::stoll(id), grade);
  const auto seen = [&] { return s.get("ada", "/api/submissions/" + id + "/report").body; };
  EXPECT_THAT(seen(), Not(HasSubstr("cpu/zebra/31337")));
  s.now += std::chrono::hours(24) * 365;
  EXPECT_THAT(seen(), HasSubstr("cpu/zebra/31337"));
}

TEST_F(AccessTest, WhatAConfigHidesReachesNoStudentByAnyRoute) {
  const Response response = s.submit("ada", "m1", "key00001");
  const std::string id = std::to_string(json::parse(response.body).at("id").get<std::int64_t>());
  s.grade(std::stoll(id), with_hidden_case());
  const Event told[]{events::TurnAwaited{"cpu/zebra/31337", true},
                     events::CaseStarted{"cpu/zebra/31337", true},
                     events::LockAwaited{"cpu/zebra/31337", "process 31337", "/run/lock/zebra"}};
  for (const Event& event : told) s.service.queue.add(std::stoll(id), event, s.now);
  bool shown_to_staff = false, command_shown = false, log_shown = false;
  for (const Route& route : routes()) {
    if (std::string(route.method) != "GET") continue;
    std::string path = route.pattern;
    if (const auto at = path.find("{id}"); at != std::string::npos) path.replace(at, 4, id);
    if (const auto at = path.find("{name}"); at != std::string::npos) path.replace(at, 6, "m1");
    for (const char* query : {"", "?staff=yes&assignment=m1", "?format=json&staff=1&for=ada"}) {
      const Response seen = s.get("ada", path + query);
      std::string text = seen.body;
      if (seen.stream)
        if (const auto events = seen.stream->next()) text += *events;
      EXPECT_THAT(text, Not(HasSubstr("zebra"))) << path << query;
      EXPECT_THAT(text, Not(HasSubstr("31337"))) << path << query;
      EXPECT_THAT(text, Not(HasSubstr("424242424242"))) << path << query;
      EXPECT_THAT(text, Not(HasSubstr("our courses"))) << path << query;
      log_shown = log_shown || text.find("a hidden case: running") != std::string::npos;
      if (text.find("opgrade check . --config self-check --only ") != std::string::npos)
        command_shown = true;
      if (s.get("sam", path + query).body.find("zebra") != std::string::npos) shown_to_staff = true;
    }
  }
  EXPECT_TRUE(shown_to_staff && command_shown && log_shown) << "or this test looks at nothing";
}

TEST_F(AccessTest, WhatStaffHoldReachesNoStudentByAnyRoute) {
  const std::int64_t number = graded();
  const std::string id = std::to_string(number);
  s.service.queue.add(
      number, events::CaseFinished{.id = "cpu/high/100", .outcome = Outcome::passed}, s.now);
  const auto with_grades = [&](const std::string& key) {
    course::test::write_text(
        s.place.path() / course::kCourseFile,
        "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
        "  - {name: m1, config: self-check, deadline: 2026-10-12 12:00, grades: " +
            key + "}\n");
  };
  const auto ask = [&](const std::string& route, const std::string& who) {
    std::string path = route;
    if (const auto at = path.find("{id}"); at != path.npos) path.replace(at, 4, id);
    if (const auto at = path.find("{name}"); at != path.npos) path.replace(at, 6, "m1");
    const Response response = s.get(who, path);
    std::string text = response.body;
    if (response.stream) text += response.stream->next().value_or("");
    // Keys of forms are random: their digits may be those of a grade.
    return std::regex_replace(text, std::regex("value=\"[0-9a-f]{64}\""), "");
  };
  with_grades("held");
  for (const Route& route : routes()) {
    const std::string path = route.pattern;
    if (route.method != std::string_view("GET") || path.ends_with("/archive")) continue;
    if (route.access == Access::anyone) continue;  // style and the like
    EXPECT_THAT(ask(path, "ada"),
                AllOf(Not(testing::ContainsRegex("[^0-9]80[^0-9]")), Not(HasSubstr("passed"))))
        << path;
  }
  EXPECT_THAT(ask("/submissions/{id}", "ada"), HasSubstr("Grade: held"));
  EXPECT_THAT(ask("/submissions/{id}", "sam"), HasSubstr("Grade: 80 of 100"));
  EXPECT_THAT(ask("/staff/gradebook/plain", "sam"), HasSubstr("80"));
  with_grades("released");
  EXPECT_THAT(ask("/submissions/{id}", "ada"), HasSubstr("Grade: 80 of 100"));
  EXPECT_THAT(ask("/api/submissions/{id}/events", "ada"), HasSubstr("passed"));
}

TEST_F(AccessTest, TheWholeSiteIsBelow150KB) {
  const std::string id = std::to_string(graded());
  std::size_t bytes = 0, pages = 0;
  for (const Route& route : routes()) {
    if (std::string(route.method) != "GET" || std::string(route.pattern).starts_with("/api/"))
      continue;
    std::string path = route.pattern;
    if (const auto at = path.find("{id}"); at != std::string::npos) path.replace(at, 4, id);
    if (const auto at = path.find("{name}/{name}"); at != std::string::npos)
      path.replace(at, 13, "ada/m1");
    if (const auto at = path.find("{name}"); at != std::string::npos)
      path.replace(at, 6, path.starts_with("/staff") ? "ada" : "m1");
    const Response seen = s.get("sam", path);
    if (seen.status != 200 || seen.type.starts_with("application/")) continue;
    ++pages;
    bytes += seen.body.size();
  }
  EXPECT_GT(pages, 10u);
  EXPECT_LT(bytes, 150u * 1024);
}

TEST_F(AccessTest, TextsOfStudentsStayTextOnEveryPage) {
  const std::string attack = "\"><script>alert(1)</script>";
  const std::string id = std::to_string(graded());
  choose_name(s.service, "ada", attack);
  Grade grade = course::test::grade_of(80);
  opgrade::test::for_each_text(grade, [&](std::string& text) { text = attack; });
  const Response second = s.submit("ada", "m1", "key00002", attack);
  const std::string other = std::to_string(json::parse(second.body).at("id").get<std::int64_t>());
  s.grade(std::stoll(other), grade);
  s.service.queue.add(std::stoll(other), events::BuildStarted{attack, {attack}}, s.now);
  s.service.accounts.audit({s.now, attack, attack, attack, attack});
  int pages = 0;
  for (const Route& route : routes()) {
    for (const std::string& number : {id, other}) {
      if (std::string(route.method) != "GET") continue;
      std::string path = route.pattern;
      if (const auto at = path.find("{id}"); at != std::string::npos) path.replace(at, 4, number);
      if (const auto at = path.find("{name}"); at != std::string::npos)
        path.replace(at, 6, path.starts_with("/staff") ? "ada" : "m1");
      for (const char* login : {"ada", "sam"}) {
        const Response seen = s.get(login, path);
        if (!seen.type.starts_with("text/html")) continue;
        ++pages;
        EXPECT_THAT(seen.body, Not(HasSubstr("<script>"))) << path;
        bool policy = false;
        for (const auto& [name, value] : seen.headers)
          if (name == "Content-Security-Policy")
            policy = value.find("default-src 'none'") != std::string::npos;
        EXPECT_TRUE(policy) << path;
      }
    }
  }
  EXPECT_GT(pages, 10);
}

}  // namespace
}  // namespace opgrade::service
