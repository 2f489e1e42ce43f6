// A store that takes no changes now: what is still answered, and who is told.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/unit/service/listening.hpp"

namespace opgrade::service {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Another program that is in the middle of a change.
class OtherWriter {
 public:
  explicit OtherWriter(const std::filesystem::path& course)
      : database_((course / course::kDatabase).string(), SQLite::OPEN_READWRITE, 10'000),
        change_(database_, SQLite::TransactionBehavior::IMMEDIATE) {}

 private:
  SQLite::Database database_;
  SQLite::Transaction change_;
};

TEST(BusyStore, PagesAreShownWhileHandInsWaitForAWriter) {
  const test::Listening server;
  const auto request = [&](const std::string& line, const std::string& login,
                           const std::string& more, const std::string& body) {
    return line + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer " +
           server.sample.tokens.at(login) + "\r\n" + more + "\r\n" + body;
  };
  std::optional<OtherWriter> writer(server.sample.place.path());
  // More than any number of threads of the server for one purpose.
  std::vector<std::future<std::string>> hand_ins;
  const std::string archive = test::SampleService::archive("int x;");
  for (const char* login : {"ada", "bob", "eve"})
    for (const char* assignment : {"m1", "m2"})
      hand_ins.push_back(std::async(std::launch::async, [&, login, assignment] {
        return server.talk(
            request(std::string("POST /api/submissions?assignment=") + assignment, login,
                    "Idempotency-Key: key0000" + std::string(assignment) +
                        "\r\nContent-Length: " + std::to_string(archive.size()) + "\r\n",
                    archive),
            false);
      }));
  // The file is there before its row, which waits.
  EXPECT_TRUE(test::comes([&] {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(server.sample.place.path()))
      if (entry.path().extension() == ".tar") return true;
    return false;
  }));
  auto pages = std::async(std::launch::async, [&] {
    std::vector<std::string> answers;
    for (int i = 0; i < 3; ++i)
      for (const char* path : {"/", "/assignments/m1", "/api/queue", "/api/health"})
        answers.push_back(server.talk(request("GET " + std::string(path), "ada", "", ""), false));
    answers.push_back(server.talk(request("GET /staff", "sam", "", ""), false));
    return answers;
  });
  EXPECT_EQ(pages.wait_for(30s), std::future_status::ready) << "they wait for the writer";
  writer.reset();
  for (const std::string& page : pages.get()) EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  for (auto& hand_in : hand_ins) EXPECT_THAT(hand_in.get(), StartsWith("HTTP/1.1 201"));
}

TEST(BusyStore, AWrongTokenWaitsForNoWriter) {
  test::SampleService s;
  const OtherWriter writer(s.place.path());
  auto login = std::async(std::launch::async, [&] {
    return s.service.accounts.begin_session("no token", s.now).has_value();
  });
  EXPECT_EQ(login.wait_for(30s), std::future_status::ready);
  EXPECT_FALSE(login.get());
}

TEST(BusyStore, ABlockedDatabaseShowsInHealthAndForStaff) {
  test::SampleService s;
  EXPECT_EQ(s.get("", "/api/health").status, 200);
  {
    const OtherWriter writer(s.place.path());
    EXPECT_TRUE(test::comes([&] { return s.get("", "/api/health").status == 503; }));
    const Response health = s.get("", "/api/health");
    EXPECT_THAT(health.body, HasSubstr("takes no changes (database is locked)"));
    EXPECT_THAT(health.body, Not(HasSubstr(s.place.path().string()))) << "a path of the server";
    EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("takes no changes"));
  }
  EXPECT_TRUE(test::comes([&] { return s.get("", "/api/health").status == 200; }));
  EXPECT_THAT(s.get("sam", "/staff").body, Not(HasSubstr("takes no changes")));
}

TEST(BusyStore, AFullDiskTakesNothingAndShowsInHealthAndForStaff) {
  test::SampleService s;
  s.free_bytes = 1 << 20;
  for (const Response& said : {s.submit("ada", "m1", "key00001"), s.get("", "/api/health")}) {
    EXPECT_EQ(said.status, 503);
    EXPECT_THAT(said.body, HasSubstr("the disk of the course folder is full: 1 MiB are free"));
  }
  EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("the disk of the course folder is full"));
  s.free_bytes = std::uintmax_t{1} << 40;
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 201);
  EXPECT_EQ(s.get("", "/api/health").status, 200);
}

}  // namespace
}  // namespace opgrade::service
