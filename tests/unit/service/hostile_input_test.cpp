// Requests that browsers do not send: paths, forms, archives, and the bytes of HTTP itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/service/listening.hpp"

namespace opgrade::service {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(HostileInput, NoPathLeavesTheRoutes) {
  test::SampleService s;
  for (const char* path :
       {"/../course.db", "/api/submissions/../../course.db", "/api/submissions/..",
        "/api/submissions/1/../../../etc/passwd", "/course.db", "//etc/passwd",
        "/api/submissions/1%00", "/api/submissions/-1", "/api/submissions/1e9",
        "/api/submissions/99999999999999999999", "/api/submissions/"}) {
    EXPECT_THAT(s.get("ada", path).status, AnyOf(404, 405)) << path;
  }
  EXPECT_EQ(s.get("ada", decode_percent("/api/submissions/%2e%2e%2fcourse.db", false)).status, 404);
}

TEST(HostileInput, ArchivesMeetTheIntakesRules) {
  test::SampleService s;
  const auto submit = [&](const std::string& bytes) {
    return s.post("ada", "/api/submissions?assignment=m1", bytes,
                  {{"idempotency-key", "key00001"}});
  };
  EXPECT_EQ(submit("").status, 422);
  EXPECT_EQ(submit("#!/bin/sh\nrm -rf /\n").status, 422);
  EXPECT_EQ(submit("PK\x03\x04 and nothing else").status, 422);
  const Response outside = submit(course::pack({{"../../course.db", "x"}}));
  EXPECT_EQ(outside.status, 422);
  EXPECT_THAT(outside.body, HasSubstr("refused"));
  EXPECT_TRUE(s.store.submissions().empty());
  EXPECT_FALSE(std::filesystem::exists(s.place.path() / "submissions/m1"));
}

TEST(HostileInput, AKeyIsAWordOfLettersAndDigits) {
  test::SampleService s;
  for (const char* key : {"", "short", "../../../../etc/x", "key 0001", "key\r\nX-Y: 1"})
    EXPECT_EQ(s.submit("ada", "m1", key).status, 400) << key;
}

TEST(HostileInput, FormsOfAnyBytesAreReadOrRefused) {
  const std::string type = "multipart/form-data; boundary=XX";
  const std::string good =
      "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a;b\\\"\r\n"
      "Content-Type: text/plain\r\n\r\nhello\r\n--XX--\r\n";
  const auto parts = read_multipart(type, good);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->at(0).bytes, "hello");
  EXPECT_EQ(parts->at(0).file_name, "a;b\\");
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (int n = 0; n < 3; ++n) {
      const std::size_t at = random() % bytes.size();
      if (random() % 2 == 0)
        bytes[at] = static_cast<char>(random());
      else
        bytes.erase(at, random() % 8);
    }
    const auto read = read_multipart(type, bytes);
    if (read) {
      for (const auto& part : *read) EXPECT_LE(part.bytes.size(), bytes.size());
    }
    read_form(bytes);
    Request request;
    request.headers["cookie"] = bytes;
    request.cookie("XX");
  }
  EXPECT_FALSE(read_multipart(type, good.substr(0, good.size() - 10)));
  EXPECT_FALSE(read_multipart("multipart/form-data", good));
}

TEST(HostileInput, AmbiguousRequestsAreRefusedAndEndTheConnection) {
  const test::Listening server;
  const std::string tail = "GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_THAT(server.talk(tail), StartsWith("HTTP/1.1 200"));
  for (const std::string& head : std::vector<std::string>{
           "GET /api/health HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n",
           "POST /api/submissions HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
           "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "GET /api/health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n"
           "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "GET /api/health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
           "GET /api/health HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
           "GET /api/health HTTP/1.1\r\nHost : a\r\n\r\n",
           "GET /api/health HTTP/1.1\r\nX: a\nTransfer-Encoding: chunked\r\n\r\n",
           "GET http://elsewhere/ HTTP/1.1\r\nHost: a\r\n\r\n", "\x16\x03\x01\x02", "GET\r\n\r\n",
           "GET /" + std::string(40'000, 'a') + " HTTP/1.1\r\n\r\n",
           "GET /api/health HTTP/1.1\r\nHost: a\r\nX: " + std::string(40'000, 'a') + "\r\n\r\n"}) {
    const std::string answer = server.talk(head + tail);
    EXPECT_THAT(answer, Not(HasSubstr("HTTP/1.1 200"))) << head.substr(0, 200) << "\n" << answer;
  }
}

/// A proxy may add its own line after the client's: the client's must not stand for both.
TEST(HostileInput, AHeaderThatComesTwiceIsOneList) {
  std::mutex guard;
  std::map<std::string, std::string> seen;
  Handler handler;
  handler.before_body = [&](Request& request) {
    const std::scoped_lock lock(guard);
    seen = request.headers;
    return std::size_t{0};
  };
  handler.answer = [](const Request&) { return Response{200, "text/plain", "ok"}; };
  const test::Listening server(handler);
  server.talk(
      "GET / HTTP/1.1\r\nHost: h\r\nX-Remote-User: sam\r\nX-Forwarded-For: 1.2.3.4\r\n"
      "x-remote-user: ada\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n");
  const std::scoped_lock lock(guard);
  EXPECT_EQ(seen["x-remote-user"], "sam, ada") << "which is nobody's name";
  EXPECT_EQ(seen["x-forwarded-for"], "1.2.3.4, 192.0.2.7") << "the last one is the proxy's";
}

TEST(HostileInput, TheSizeIsRefusedBeforeTheBodyIsRead) {
  const test::Listening server;
  const std::string token = server.sample.tokens.at("ada");
  const std::string answer = server.talk(
      "POST /api/submissions?assignment=m1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + token +
          "\r\nContent-Length: 99999999999\r\n\r\n",
      false);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(server.talk("POST /api/submissions HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000"
                          "\r\n\r\n",
                          false),
              StartsWith("HTTP/1.1 401"))
      << "a stranger's body is not read at all";
}

TEST(HostileInput, ASlowClientIsSentAway) {
  const test::Listening server;
  EXPECT_EQ(server.talk("GET /api/hea", false), "") << "it comes back when the server closes";
}

}  // namespace
}  // namespace opgrade::service
