// The file of the servers that a user logged in to, and its schema.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/base/core/temp_dir.hpp"
#include "grader/client/session.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/record_schema.hpp"

namespace opgrade::client {
namespace {

const std::filesystem::path kServersSchemaFile =
    OPGRADE_SOURCE_DIR "/grader/client/servers.schema.json";

TEST(ServersSchema, IsThatOfTheFields) {
  test::expect_golden(kServersSchemaFile, test::record_schema<Servers>(kServersSchema));
}

TEST(ServersSchema, HoldsForWhatALoginKeeps) {
  const TempDir place("opgrade-test-");
  const auto file = place.path() / "opgrade/servers.json";
  const Profile profile(file);
  profile.keep("http://one", "first");
  profile.keep("http://two", "second");
  EXPECT_EQ(profile.server_or_default(""), "http://two");
  EXPECT_EQ(profile.token("http://one"), "first");
  const auto kept = nlohmann::json::parse(test::read_text(file));
  EXPECT_EQ(kept["schema"], kServersSchema);
  test::SchemaValidator validator(nlohmann::json::parse(test::read_text(kServersSchemaFile)));
  EXPECT_EQ(validator.check(kept), std::vector<std::string>{});
}

TEST(ServersSchema, AFileWithoutAVersionIsRead) {
  const TempDir place("opgrade-test-");
  const auto file = place.path() / "servers.json";
  std::ofstream(file) << R"({"last": "http://one", "tokens": {"http://one": "first"}})";
  EXPECT_EQ(Profile(file).token("http://one"), "first");
}

TEST(ServersSchema, ADamagedFileOrALaterVersionIsNotOverwritten) {
  const TempDir place("opgrade-test-");
  const auto file = place.path() / "servers.json";
  for (const std::string text :
       {"{", "[]", R"({"tokens": 1})", R"({"schema": "opgrade-servers-2"})"}) {
    std::ofstream(file) << text;
    try {
      Profile(file).keep("http://one", "first");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(file.string() + ": "));
      EXPECT_THAT(error.hint, testing::HasSubstr("opgrade login"));
    }
    EXPECT_EQ(test::read_text(file), text);
  }
}

TEST(Session, SaysAtOnceThatNothingAnswersAndUntilWhenItTries) {
  std::vector<std::string> said;
  Session session(
      "http://127.0.0.1:1", "token", [&](const std::string& text) { said.push_back(text); },
      std::chrono::seconds(1));
  EXPECT_THROW(session.ask("GET", "/api/me"), ConnectionLost);
  EXPECT_THAT(said, testing::ElementsAre(testing::MatchesRegex(
                        "127.0.0.1:1: Connection refused; retrying for 1 s, Ctrl-C stops")));
}

// It says for how long it tries.
TEST(Session, AnAddressThatNeverAnsweredIsNoOutage) {
  ::setenv("no_proxy", "*", 1);  // a proxy would answer for a host that is not there
  std::vector<std::string> said;
  const auto why = [&](const std::string& server) {
    Session session(server, "token", [&](const std::string& text) { said.push_back(text); });
    try {
      session.ask("GET", "/api/me");
    } catch (const ConnectionLost& lost) {
      return std::string(lost.what()) + " " + lost.hint;
    }
    return std::string("an answer");
  };
  EXPECT_THAT(why("http://127.0.0.1:1"),
              testing::AllOf(testing::HasSubstr("127.0.0.1:1: Connection refused"),
                             testing::HasSubstr("address"), testing::HasSubstr("--patience")));
  EXPECT_THAT(why("http://no-such-host.invalid"),
              testing::AllOf(testing::HasSubstr("no-such-host.invalid"),
                             testing::HasSubstr("address"), testing::HasSubstr("--patience")));
  EXPECT_THAT(said, testing::Each(testing::HasSubstr("retrying for 5 s")));
}

}  // namespace
}  // namespace opgrade::client
