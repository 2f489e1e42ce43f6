// `opgrade profile` on the emulated device: the real program, the real sandbox, no times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade {
namespace {

using nlohmann::json;
using test::exit_code;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kFolder = OPGRADE_SOURCE_DIR "/tests/profile";

std::vector<std::string> profile_arguments(std::vector<std::string> more) {
  std::vector<std::string> arguments{
      "profile",  OPGRADE_SOURCE_DIR "/tests/corpus/profile/works_in_prolog",
      "--config", std::string(kFolder) + "/config.yaml",
      "--device", "emulated"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(ProfileCommand, CountsLaunchesOnTheEmulatedDevice) {
  OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "there is no sandbox here");
  const test::Workplace place;
  const auto html = place.path() / "report.html";
  const auto run = place.run(profile_arguments({"--json", "--html", html.string()}));
  ASSERT_EQ(exit_code(run), 0) << run.standard_error << run.standard_output;
  const auto report = json::parse(run.standard_output);
  const auto& c = report["stages"][0]["cases"][0];
  ASSERT_TRUE(c["profile"].is_object());
  const auto& profile = c["profile"];
  EXPECT_EQ(profile["source"], "the emulated device");
  EXPECT_EQ(profile["timed"], false);
  EXPECT_EQ(profile["problem"], "");
  ASSERT_EQ(profile["layers"].size(), 2u);
  for (const auto& layer : profile["layers"]) {
    EXPECT_EQ(layer["launches"], 1);
    EXPECT_EQ(layer["outside_launches"], 2);
    EXPECT_EQ(layer["kernels_ns"], 0);
  }
  EXPECT_EQ(profile["kernels"].size(), 3u);
  int in_prolog = 0, in_epilog = 0;
  for (const auto& launch : profile["launches"]) {
    EXPECT_EQ(launch["block"], json({256, 1, 1}));
    in_prolog += launch["step"] == "prolog" ? 1 : 0;
    in_epilog += launch["step"] == "epilog" ? 1 : 0;
  }
  EXPECT_EQ(in_prolog, 2);
  EXPECT_EQ(in_epilog, 2);

  std::ostringstream text;
  text << std::ifstream(html).rdbuf();
  EXPECT_THAT(text.str(), AllOf(HasSubstr("Profile of gpu/high/4"), HasSubstr("turn_weights"),
                                HasSubstr("need a GPU")));
}

TEST(ProfileCommand, PrintsTheTablesOfAReportInThreeFormats) {
  OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "there is no sandbox here");
  const test::Workplace place;
  const auto page = [&](const char* format) {
    const auto run = place.run(profile_arguments({format}));
    EXPECT_EQ(exit_code(run), 0) << format << run.standard_error;
    return run.standard_output;
  };
  EXPECT_THAT(page("--markdown"),
              AllOf(HasSubstr("| gpu/high/4 | emulated |"), HasSubstr("| turn\\_weights |"),
                    HasSubstr("## Machine and date"), HasSubstr("need a GPU")));
  EXPECT_THAT(page("--latex"), HasSubstr("turn\\_weights"));
  EXPECT_THAT(page("--csv"), HasSubstr("kernels gpu/high/4,turn_weights,"));
}

TEST(ProfileCommand, PrintsOneFormatAtATime) {
  const test::Workplace place;
  for (const char* other : {"--latex", "--csv", "--json"}) {
    const auto run = place.run(profile_arguments({"--markdown", other}));
    EXPECT_EQ(exit_code(run), 2) << other;
    EXPECT_THAT(run.standard_error, HasSubstr("give one of them"));
  }
}

TEST(ProfileCommand, SaysWhyThereIsNone) {
  OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "there is no sandbox here");
  const test::Workplace place;
  const auto broken = place.path() / "broken";
  std::filesystem::create_directory(broken);
  std::ofstream(broken / "new-forward.cu") << "this is no C++\n";
  auto arguments = profile_arguments({});
  arguments[1] = broken.string();
  const auto run = place.run(arguments);
  EXPECT_EQ(exit_code(run), 1) << run.standard_error;
  EXPECT_THAT(run.standard_output, HasSubstr("only a case that passes is profiled"));
}

}  // namespace
}  // namespace opgrade
