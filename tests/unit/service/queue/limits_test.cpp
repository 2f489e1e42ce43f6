// What one person may have in progress, and how often a person may hand in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/service/listening.hpp"

namespace opgrade::service {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::Gt;
using testing::HasSubstr;
using testing::Lt;
using testing::StartsWith;

const std::string kCli = OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml";
constexpr FloodLimits kNoFlood{1e9, 1e9, 1e9, 1e9};

std::string number_in(const Response& response) {
  return std::to_string(json::parse(response.body).at("id").get<std::int64_t>());
}

TEST(OpenRequests, APersonHasSomeLiveLogsAtOnce) {
  test::SampleService s;
  const std::string path =
      "/api/submissions/" + number_in(s.submit("ada", "m4", "key00001")) + "/events";
  std::vector<Response> open;
  while (open.size() < 200) {
    Response response = s.get("ada", path);
    if (!response.stream) {
      EXPECT_EQ(response.status, 429);
      EXPECT_THAT(response.body, HasSubstr("live logs"));
      break;
    }
    open.push_back(std::move(response));
  }
  EXPECT_THAT(open.size(), AllOf(Gt(4u), Lt(100u)));
  EXPECT_EQ(s.get("bob", path).status, 200) << "another of the team has a number of his own";
  EXPECT_EQ(s.get("ada", "/api/me").status, 200) << "other requests are taken";
  open.pop_back();
  EXPECT_EQ(s.get("ada", path).status, 200) << "one that ended makes room";
}

TEST(OpenRequests, ALogWhoseReaderLeftMakesRoom) {
  const test::Listening server;
  const std::string id =
      number_in(const_cast<test::SampleService&>(server.sample).submit("ada", "m1", "key00001"));
  const std::string request = "GET /api/submissions/" + id +
                              "/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " +
                              server.sample.tokens.at("ada") + "\r\n\r\n";
  const auto first_bytes = [&](const Fd& fd) {
    char buffer[64];
    const ssize_t n = ::recv(fd.get(), buffer, sizeof buffer, 0);
    return std::string(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  };
  {
    std::vector<Fd> open;
    for (int i = 0; i < 200; ++i) {
      open.push_back(server.begin(request));
      if (first_bytes(open.back()).starts_with("HTTP/1.1 429")) break;
    }
    EXPECT_LT(open.size(), 100u);
  }
  EXPECT_TRUE(
      test::comes([&] { return first_bytes(server.begin(request)).starts_with("HTTP/1.1 200"); }));
}

/// The first bytes that come, or nothing from a connection that was closed.
std::string first_line(const Fd& fd) {
  std::string line;
  char byte = 0;
  while (!line.ends_with('\n') && ::recv(fd.get(), &byte, 1, 0) == 1) line += byte;
  return line;
}

bool is_closed(const Fd& fd) {
  char byte = 0;
  return ::recv(fd.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

TEST(Connections, OfStrangersMakePlaceForOthersOfTheirAddress) {
  const test::Listening server({}, {.connections_of_address = 5});
  const std::string token = "Authorization: Bearer " + server.sample.tokens.at("ada") + "\r\n";
  // A student's connection between two requests.
  const Fd students = server.begin("GET /api/me HTTP/1.1\r\nHost: a\r\n" + token + "\r\n");
  ASSERT_THAT(first_line(students), StartsWith("HTTP/1.1 200"));
  std::vector<Fd> strangers;
  for (int i = 0; i < 30; ++i) strangers.push_back(server.begin(i % 2 == 0 ? "" : "GET / HT"));
  for (int i = 0; i < 10; ++i)
    EXPECT_THAT(server.talk("GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n"),
                StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(is_closed(strangers.front()));
  EXPECT_FALSE(is_closed(students));
}

TEST(Connections, BetweenTwoRequestsMakePlaceWhereAllAreTaken) {
  const test::Listening server({}, {.connections = 5});
  std::vector<Fd> open;
  for (int i = 0; i < 20; ++i) {
    const char* login = i % 2 == 0 ? "ada" : "eve";
    open.push_back(server.begin("GET /api/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " +
                                server.sample.tokens.at(login) + "\r\n\r\n"));
    EXPECT_THAT(first_line(open.back()), StartsWith("HTTP/1.1 200")) << i;
  }
}

TEST(Connections, OfOnePersonsSlowDownloadsLeavePlacesForOthers) {
  // A patient server: on a busy machine an impatient one cuts the first downloads before the last
  // begin.
  test::Listening server({}, ServerOptions{});
  const std::string id =
      number_in(server.sample.submit("ada", "m1", "key00001", std::string(900'000, ' ')));
  const auto download = [&](const std::string& login, const std::string& path) {
    // Its first bytes are read alone.
    return server.begin("GET /api/" + path + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " +
                            server.sample.tokens.at(login) + "\r\n\r\n",
                        16 * 1024);
  };
  std::vector<Fd> open;
  std::string answer;
  while (open.size() < 200) {
    open.push_back(download("ada", "submissions/" + id + "/archive"));
    if (answer = first_line(open.back()); !answer.starts_with("HTTP/1.1 200")) break;
  }
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 429"));
  EXPECT_THAT(open.size(), AllOf(Gt(10u), Lt(100u)));
  EXPECT_THAT(first_line(download("eve", "me")), StartsWith("HTTP/1.1 200"));
  open.erase(open.begin(), open.begin() + 5);
  EXPECT_TRUE(test::comes([&] {
    return first_line(download("ada", "me")).starts_with("HTTP/1.1 200");
  })) << "those that ended make room";
}

TEST(Connections, ABurstOfOnePersonIsAnswered) {
  constexpr int kBurst = 50;  // a class whose submissions one token of staff follows
  std::atomic<int> begun = 0;
  Handler handler;
  handler.before_body = [&](Request& request) {
    request.person = "sam";
    request.changes = true;  // answered by other threads than this
    ++begun;
    return std::size_t{0};
  };
  handler.answer = [&](const Request&) {
    test::comes([&] { return begun == kBurst; });
    return Response{200, "text/plain", "ok"};
  };
  const test::Listening server(handler);
  std::vector<Fd> open;
  for (int i = 0; i < kBurst; ++i)
    open.push_back(server.begin("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  for (const Fd& fd : open) EXPECT_THAT(first_line(fd), StartsWith("HTTP/1.1 200"));
}

/// How many uploads of `login` begin before one is refused.
std::vector<Request> uploads_of(test::SampleService& s, const std::string& login,
                                std::string& refusal) {
  std::vector<Request> open;
  open.reserve(200);
  while (open.size() < 200) {
    open.push_back({.method = "POST",
                    .path = "/api/submissions",
                    .headers = s.headers(login),
                    .address = "192.0.2.1"});
    const auto decided = s.handler.before_body(open.back());
    if (const auto* const refused = std::get_if<Response>(&decided)) {
      refusal = std::to_string(refused->status) + " " + refused->body;
      open.pop_back();
      break;
    }
  }
  return open;
}

TEST(OpenRequests, APersonHasSomeUploadsInProgressAtOnce) {
  test::SampleService s;
  std::string refusal;
  {
    const auto open = uploads_of(s, "ada", refusal);
    EXPECT_THAT(open.size(), AllOf(Gt(1u), Lt(20u)));
    EXPECT_THAT(refusal, AllOf(StartsWith("429"), HasSubstr("uploads")));
    EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 429);
    EXPECT_EQ(s.submit("eve", "m1", "key00001").status, 201) << "another person's are taken";
  }
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 201) << "those that ended make room";
}

TEST(HandInLimits, OneThatWasTakenBackCountsForTheInterval) {
  test::SampleService s(kCli, kNoFlood, 30s);
  const std::string id = number_in(s.submit("ada", "m1", "key00001"));
  EXPECT_EQ(s.post("ada", "/api/submissions/" + id + "/cancel").status, 200);
  const Response refused = s.submit("ada", "m1", "key00002", "int b;");
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("the next one in 30 s"));
  s.now += 30s;
  EXPECT_EQ(s.submit("ada", "m1", "key00002", "int b;").status, 201);
}

TEST(HandInLimits, AsManyAsADayMayHaveAreTakenBackAtNoCost) {
  test::SampleService s;
  const auto submit_and_cancel = [&](const std::string& key) {
    const Response response = s.submit("ada", "m4", key, "int " + key + ";");  // one a day
    if (response.status == 201) {
      EXPECT_EQ(s.post("ada", "/api/submissions/" + number_in(response) + "/cancel").status, 200);
    }
    return response.status;
  };
  EXPECT_EQ(submit_and_cancel("key00001"), 201);
  EXPECT_EQ(submit_and_cancel("key00002"), 201) << "the first one was taken back";
  EXPECT_EQ(submit_and_cancel("key00003"), 429);
}

TEST(HandInLimits, OneWithoutTheExpectedFileIsRefusedAtNoCost) {
  test::SampleService s(kCli, kNoFlood, 30s);
  const std::string wrong = course::pack({{"cpu_new_forward.cc", "int x;"}});
  const auto refuses = [&](const Response& refused) {
    EXPECT_EQ(refused.status, 422);
    EXPECT_THAT(refused.body,
                AllOf(HasSubstr("not taken, and no attempt used"),
                      HasSubstr("cpu-new-forward.cc is missing"), HasSubstr("cpu_new_forward.cc")));
  };
  const std::map<std::string, std::string> key{{"idempotency-key", "key00001"}};
  refuses(s.post("ada", "/api/submissions?assignment=m4", wrong, key));
  refuses(s.post("sam", "/api/submissions?assignment=m4&for=ada", wrong, key));
  const auto session = s.service.accounts.begin_session(s.tokens["ada"], s.now).value();
  const std::string part = "--XX\r\nContent-Disposition: form-data; name=";
  refuses(
      s.ask({.method = "POST",
             .path = "/assignments/m4",
             .headers = {{"cookie", cookie_name(s.service, "session") + "=" + session.cookie},
                         {"content-type", "multipart/form-data; boundary=XX"}},
             .body = part + "\"form_key\"\r\n\r\n" + session.form_key + "\r\n" + part +
                     "\"key\"\r\n\r\nkey00001\r\n" + part +
                     "\"files\"; filename=\"cpu_new_forward.cc\"\r\n\r\nint x;\r\n--XX--\r\n"}));
  EXPECT_TRUE(s.store.submissions().empty());
  EXPECT_FALSE(std::filesystem::exists(s.place.path() / "submissions/m4"));
  EXPECT_EQ(s.submit("ada", "m4", "key00001").status, 201) << "the one of the day, and at once";
}

TEST(HandInLimits, AFloodOfBrokenArchivesIsAnswered429) {
  test::SampleService s(kCli, {1e9, 1e9, 3, 0});
  const auto send = [&](const char* login) {
    return s
        .post(login, "/api/submissions?assignment=m1", course::pack({{"../x", "y"}}),
              {{"idempotency-key", "key00001"}})
        .status;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send("ada"), 422);
  EXPECT_EQ(send("ada"), 429) << "unpacking costs the server more than the client";
  EXPECT_EQ(send("eve"), 422);
}

TEST(HandInLimits, AClockThatWasSetBackLocksNobodyOut) {
  test::SampleService s(kCli, kNoFlood, 30s);
  EXPECT_EQ(s.submit("ada", "m1", "key00001", "int a;").status, 201);
  s.now -= 48h;
  EXPECT_EQ(s.submit("ada", "m1", "key00002", "int b;").status, 201);
  const Response refused = s.submit("ada", "m1", "key00003", "int c;");
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("the next one in 30 s"));
  s.now += 30s;
  EXPECT_EQ(s.submit("ada", "m1", "key00003", "int c;").status, 201);
}

TEST(HandInLimits, OneOwnersArchivesDoNotFillTheDisk) {
  test::SampleService s;
  const auto id = std::stoll(number_in(s.submit("ada", "m1", "key00001")));
  const auto file = s.place.path() / s.service.queue.find(id)->submission.file;
  std::filesystem::resize_file(file, 1'000'000'000);  // as many hand-ins of 16 MiB have
  EXPECT_EQ(s.submit("ada", "m1", "key00002", "int b;").status, 201);
  std::filesystem::resize_file(file, 2'000'000'000);
  const Response refused = s.submit("ada", "m1", "key00003", "int c;");
  EXPECT_EQ(refused.status, 413);
  EXPECT_THAT(refused.body, HasSubstr("more than 1024 MiB together"));
  EXPECT_EQ(s.submit("eve", "m1", "key00001").status, 201);
}

TEST(HandInLimits, AreLookedAtBeforeTheArchive) {
  test::SampleService s(kCli, kNoFlood, 30s);
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 201);
  const auto send = [&](const std::string& key, const std::string& bytes) {
    return s.post("ada", "/api/submissions?assignment=m1", bytes, {{"idempotency-key", key}})
        .status;
  };
  EXPECT_EQ(send("key00002", "no archive"), 429) << "it is not unpacked now";
  EXPECT_EQ(send("key00001", "no archive"), 409) << "nor one whose key is known";
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 200) << "the same again is no new one";
  s.now += 30s;
  EXPECT_EQ(send("key00002", "no archive"), 422);
}

TEST(LongestRun, TheToolHasItsTimeBesidesTheCases) {
  course::Assignment runs;
  runs.practice.on_devices = true;
  runs.practice.gpu_time = 90s;
  runs.practice.tool_time = 20s;
  const auto with = [&](const char* tool, int stages = 1) {
    return longest_run(runs, read_tool_wish(tool).value(), stages);
  };
  EXPECT_EQ(with(""), 90s);
  EXPECT_EQ(with("profile"), 90s) << "it watches the cases themselves";
  for (const char* tool : {"ncu:k", "nsys", "sanitizer"}) EXPECT_EQ(with(tool), 110s) << tool;
  EXPECT_EQ(with("nsys", 2), 130s) << "each GPU stage runs under the tool";
  runs.on_slurm = true;
  EXPECT_EQ(with("nsys"), std::nullopt) << "the cluster has a limit, and a queue";
  runs.on_slurm = runs.practice.on_devices = false;
  EXPECT_EQ(with("nsys"), std::nullopt);
}

TEST(PracticeRun, UnderAToolIsOneWholeAndTimesNothingTwice) {
  EXPECT_EQ(most_timed_calls({}), 3);
  EXPECT_TRUE(goes_on_after_cases({}));
  for (const char* tool : {"profile", "sanitizer", "ncu:k", "nsys"}) {
    EXPECT_EQ(most_timed_calls(read_tool_wish(tool).value()), 1) << tool;
    EXPECT_FALSE(goes_on_after_cases(read_tool_wish(tool).value())) << tool;
  }
}

}  // namespace
}  // namespace opgrade::service
