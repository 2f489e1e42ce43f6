// Requests that browsers do not send: paths, forms, archives, and the bytes of HTTP itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "grader/base/core/percent.hpp"
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
  EXPECT_THAT(outside.body, HasSubstr("a path that leaves the archive"));
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

TEST(Http, HeadIsTheHeadOfGet) {
  const test::Listening server;
  const auto head_of = [](const std::string& answer) {
    return answer.substr(0, answer.find("\r\n\r\n") + 4);
  };
  for (const std::string path : {"/login", "/style.css", "/api/health", "/nothing", "/"}) {
    const std::string rest = " " + path + " HTTP/1.1\r\nHost: a\r\nCookie: " +
                             cookie_name(server.sample.service, "login") + "=" +
                             std::string(64, 'a') + "\r\n\r\n";
    const std::string head = server.talk("HEAD" + rest);
    EXPECT_EQ(head, head_of(server.talk("GET" + rest))) << path;
    EXPECT_THAT(head, HasSubstr("Content-Length: ")) << path;
  }
  // A body would be taken for the next answer.
  const std::string both = server.talk(
      "HEAD /api/health HTTP/1.1\r\nHost: a\r\n\r\nGET /api/health HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(head_of(both), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(both.substr(head_of(both).size()), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(server.talk("DELETE /login HTTP/1.1\r\nHost: a\r\n\r\n"),
              testing::AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET, HEAD, POST\r\n"),
                             HasSubstr("This address does not accept DELETE")));
  EXPECT_THAT(server.talk("POST /api/health HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"),
              testing::AllOf(StartsWith("HTTP/1.1 405"),
                             HasSubstr("This address does not accept POST; it accepts GET")));
}

/// RFC 9110, 8.6, lets a server take equal lengths for one, or refuse them: one way for both forms.
TEST(Http, ALengthThatComesTwiceIsRefused) {
  const test::Listening server;
  for (const char* length : {"5, 5", "5,5", "5, 6", "5,", "+5", "5 5", "5\r\nContent-Length: 5"}) {
    EXPECT_THAT(server.talk("POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                            std::string(length) + "\r\n\r\nhello"),
                StartsWith("HTTP/1.1 400"))
        << length;
  }
  EXPECT_THAT(server.talk("GET /api/health HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400"))
      << "without a host";
}

/// RFC 9112, 5.2: refused, or read as a space.
TEST(Http, AFoldedLineIsReadAsASpace) {
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
  EXPECT_THAT(server.talk("GET / HTTP/1.1\r\nHost: h\r\nX-One: a\r\n b\r\n\tc\r\nX-Two: d\r\n\r\n"),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(server.talk("GET / HTTP/1.1\r\n Host: h\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  const std::scoped_lock lock(guard);
  EXPECT_EQ(seen["x-one"], "a b c");
  EXPECT_EQ(seen["x-two"], "d");
}

/// More than any kernel's buffers take.
constexpr std::size_t kLarge = 16 << 20;
constexpr auto kPause = std::chrono::milliseconds(150);
constexpr int kPauses = 30;  // longer than `body_time` in all, each far shorter

TEST(Http, ADownloadThatMovesIsNotCut) {
  Handler handler;
  handler.before_body = [](Request&) { return std::size_t{0}; };
  handler.answer = [](const Request&) {
    return Response{200, "text/plain", std::string(kLarge, 'x')};
  };
  const test::Listening server(handler, {.body_time = std::chrono::seconds(3)});
  const Fd fd = server.begin("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", 64 * 1024);
  std::size_t got = 0, rest_until = 0;
  std::vector<char> buffer(64 * 1024);
  for (ssize_t n; (n = ::recv(fd.get(), buffer.data(), buffer.size(), 0)) > 0;) {
    got += static_cast<std::size_t>(n);
    if (got < rest_until) continue;
    std::this_thread::sleep_for(kPause);
    rest_until = got + kLarge / kPauses;
  }
  EXPECT_GT(got, kLarge) << "the head comes before it";
}

TEST(Http, AnUploadThatMovesIsNotCut) {
  std::atomic<std::size_t> received = 0;
  Handler handler;
  handler.before_body = [](Request&) { return kLarge; };
  handler.answer = [&](const Request& request) {
    received = request.body.size();
    return Response{200, "text/plain", "ok"};
  };
  const test::Listening server(handler, {.body_time = std::chrono::seconds(3)});
  const Fd fd = server.begin("POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: " +
                             std::to_string(kLarge) + "\r\n\r\n");
  const std::string part(kLarge / 32, 'x');
  for (int i = 0; i < 32; ++i) {
    std::size_t sent = 0;
    for (ssize_t n; sent < part.size() && (n = ::send(fd.get(), part.data() + sent,
                                                      part.size() - sent, MSG_NOSIGNAL)) > 0;)
      sent += static_cast<std::size_t>(n);
    std::this_thread::sleep_for(kPause);
  }
  char buffer[512];
  const ssize_t n = ::recv(fd.get(), buffer, sizeof buffer, 0);
  EXPECT_THAT(std::string(buffer, n > 0 ? static_cast<std::size_t>(n) : 0),
              StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(received, kLarge);
}

TEST(Http, AnUploadThatTricklesForLongerThanAllOfItMayTakeIsCut) {
  Handler handler;
  handler.before_body = [](Request&) { return kLarge; };
  handler.answer = [](const Request&) { return Response{200, "text/plain", "ok"}; };
  const test::Listening server(
      handler, {.body_time = std::chrono::seconds(3), .upload_time = std::chrono::seconds(1)});
  const Fd fd = server.begin(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(kLarge) + "\r\n\r\n");
  // Fewer bytes than it announced, however late the server looks: only a cut ends this.
  std::size_t sent = 0;
  while (sent < kLarge / 2 && ::send(fd.get(), "x", 1, MSG_NOSIGNAL) > 0) {
    ++sent;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(sent, kLarge / 2) << "it took more than a second in all";
}

}  // namespace
}  // namespace opgrade::service
