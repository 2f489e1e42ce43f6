// What the course did not ask for is advice; what it asked for is watched and the same for
// everybody.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/expected_verdict.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::exit_code;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Advice : public testing::Test {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here"); }

  /// A copy of `source` under `name`, with `from` replaced by `to`.
  void hand_in(const std::string& name, const fs::path& source, const std::string& from,
               const std::string& to) const {
    fs::create_directories(place.path() / name);
    std::string text = read(source);
    const auto at = text.find(from);
    ASSERT_NE(at, text.npos);
    text.replace(at, from.size(), to);
    std::ofstream(place.path() / name / source.filename()) << text;
  }
  void config(const std::string& stage) const {
    std::ofstream(place.path() / "c.yaml")
        << "opgrade: 1\nname: c\nmodels: {high: {network: fmnist-86, weights: fmnist-86-high}}\n"
           "stages:\n"
        << stage;
  }
  json report(const std::string& name) const {
    return test::read_report(place.path() / "results", name);
  }

  test::Workplace place;
};

const fs::path kCpu = OPGRADE_SOURCE_DIR "/tests/corpus/submissions/good/cpu-new-forward.cc";
const fs::path kGpu = OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3/new-forward.cu";
constexpr const char* kTerm =
    "  - name: cpu\n    device: cpu\n    cases: [{model: high, batch: 10, points: 1}]\n"
    "    random_batches: {model: high, count: 8, points: 2}\n"
    "    random_shapes: {count: 8, advice: true}\n";

// An array made for the course's 16 x 4 x 7 x 7 weights, as many real submissions have.
TEST_F(Advice, AShapeThatTheCourseDidNotAskForChangesNothing) {
  hand_in("own", kCpu, "  const int H_out",
          "  if (!(K == 7 && ((M == 4 && C == 1) || (M == 16 && C == 4)))) return;\n"
          "  const int H_out");
  config(kTerm);
  const auto graded = place.run({"grade", "own", "--config", "c.yaml"});
  EXPECT_EQ(exit_code(graded), 0) << graded.standard_output << graded.standard_error;
  const json full = report("own");
  EXPECT_EQ(full["outcome"], "passed");
  EXPECT_EQ(full["passed"], true);
  EXPECT_EQ(full["points"], 3);
  EXPECT_EQ(full["max_points"], 3);
  const json& advice = full["stages"][0]["cases"].back();
  EXPECT_EQ(advice["id"], "cpu/random");
  EXPECT_EQ(advice["advice"], true);
  EXPECT_EQ(advice["outcome"], "wrong_output");
  const std::string text = read(place.path() / "results/own/report.txt");
  EXPECT_THAT(text, AllOf(HasSubstr("PASSED"), Not(HasSubstr("FAILED")), Not(HasSubstr("Problems")),
                          HasSubstr("The course did not ask for these shapes")));
  EXPECT_THAT(
      read(place.path() / "results/own/junit.xml"),
      AllOf(HasSubstr("failures=\"0\""), Not(HasSubstr("<failure")), HasSubstr("<skipped")));
  const auto alone = place.run({"check", "own", "--config", "c.yaml", "--only", "cpu/random"});
  EXPECT_EQ(exit_code(alone), 0) << alone.standard_output;
}

TEST_F(Advice, ABatchOfTheCoursesOwnLayersCounts) {
  hand_in("split", kCpu, "b < B;", "b < (B == 1 ? 1 : B / 2 * 2);");
  config(kTerm);
  EXPECT_EQ(exit_code(place.run({"grade", "split", "--config", "c.yaml"})), 1);
  const json full = report("split");
  EXPECT_EQ(full["outcome"], "wrong_output");
  EXPECT_EQ(full["points"], 1) << "the course's own batch is right";
  EXPECT_THAT(full["reason"].get<std::string>(), HasSubstr("cpu/batches: conv1"));
}

TEST_F(Advice, IdenticalSubmissionsGetIdenticalVerdicts) {
  // Wrong for some sizes alone, so that the verdict depends on what is drawn.
  for (const char* name : {"ada", "bob", "eve"})
    hand_in(name, kCpu, "= sum;", "= sum + (M % 5 == 2 || H % 7 == 3);");
  config(
      "  - name: cpu\n    device: cpu\n    random_shapes: {count: 3, points: 2}\n"
      "    random_batches: {model: high, count: 5, points: 1}\n");
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"grade", "ada", "bob", "--config", "c.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return place.run(arguments);
  };
  const auto said = [&](const char* name) {
    json full = report(name);
    json cases = full["stages"][0]["cases"];
    for (json& c : cases) {
      c.erase("usage");
      for (const char* own : {"repeat", "repeat_command"}) c.erase(own);
      for (json& call : c["convs"]) {
        call.erase("grader_time");
        call.erase("measurement");
      }
    }
    return json{full["outcome"], full["points"], full["seed"], cases};
  };
  const auto first = run({});
  const json ada = said("ada");
  EXPECT_EQ(ada, said("bob"));
  const std::string seed = report("ada")["seed"];
  EXPECT_THAT(first.standard_output, HasSubstr("the same for all: " + seed));
  // One that comes later, or after a kill.
  EXPECT_THAT(run({"eve"}).standard_error, HasSubstr("kept from before"));
  EXPECT_EQ(ada, said("eve"));
  // A rejudge of all has other numbers, again the same for all.
  run({"eve", "--again"});
  EXPECT_NE(report("ada")["seed"], seed);
  EXPECT_EQ(said("ada"), said("eve"));
  EXPECT_NE(said("ada"), ada);
}

TEST_F(Advice, AWritePastYAtTheNetworksOwnShapesIsFound) {
  const std::string right = "  y[((b * M + m) * H_out + h) * W_out + w] = sum;\n";
  // At the second layer's size alone, and far enough inside the room around y that nothing crashes.
  hand_in("past", kGpu, right,
          right + "  if (H == 40 && pixel == 0) y[gridDim.z * M * H_out * W_out + m] = 0;\n");
  hand_in("right", kGpu, right, right);
  config(
      "  - name: gpu\n    device: emulated\n"
      "    cases: [{model: high, batch: 10, points: 1}, {model: high, batch: 20, points: 1}]\n");
  const auto graded = place.run({"grade", "past", "right", "--config", "c.yaml"});
  EXPECT_EQ(exit_code(graded), 0) << graded.standard_output;
  EXPECT_EQ(report("right")["outcome"], "passed") << report("right")["reason"];
  EXPECT_EQ(report("right")["notes"], json::array());
  const json full = report("past");
  EXPECT_EQ(full["outcome"], "passed");
  EXPECT_THAT(full["reason"].get<std::string>(),
              HasSubstr("a GPU may hide this: fix new-forward.cu:42"));
  EXPECT_EQ(full["stages"][0]["cases"][0]["findings"][0]["kind"], "out_of_bounds");
}

}  // namespace
}  // namespace opgrade
