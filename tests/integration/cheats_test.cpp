// Grades tests/cheats with the real program: those for the CPU, and those for the GPU on the
// emulated device (on a GPU tests/gpu/run.sh grades them). Every cheat must be caught, neutralised
// or handled as the config says, every control get its honest verdict.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/expected_verdict.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kCheats = OPGRADE_SOURCE_DIR "/tests/cheats";

bool for_gpu(const std::string& name) { return fs::exists(kCheats / name / "new-forward.cu"); }

YAML::Node expected(const std::string& name) {
  return YAML::LoadFile(kCheats / name / "expect.yaml");
}

/// Graded together, each with the files of common/ beside its own.
struct GradedRun {
  test::Workplace place;
  fs::path results = place.path() / "results";
  ProcessReport report;

  /// `edit` is added to the end of the config; keys given twice are errors.
  GradedRun(const std::vector<std::string>& names, const std::string& config,
            const std::string& edit, std::vector<std::string> options) {
    fs::copy(fs::path(OPGRADE_SOURCE_DIR "/tests/configs") / config, place.path() / config);
    std::ofstream(place.path() / config, std::ios::app) << edit;
    std::vector<std::string> arguments{"grade", "--config", config, "--out",
                                       results, "--jobs",   "2"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    fs::create_directory(place.path() / "in");
    for (const auto& name : names) {
      fs::copy(kCheats / name, place.path() / "in" / name, fs::copy_options::recursive);
      for (const auto& file : fs::directory_iterator(kCheats / "common"))
        fs::copy(file, place.path() / "in" / name, fs::copy_options::skip_existing);
      arguments.push_back("in/" + name);
    }
    report = place.run(arguments);
  }

  static const GradedRun& of(bool gpu) {
    static std::map<bool, std::unique_ptr<GradedRun>> runs;
    auto& run = runs[gpu];
    if (!run) {
      std::vector<std::string> names;
      for (const auto& name : test::submissions_in(kCheats))
        if (for_gpu(name) == gpu) names.push_back(name);
      run = gpu ? std::make_unique<GradedRun>(names, "cheats-gpu.yaml", "",
                                              std::vector<std::string>{"--device", "emulated"})
                : std::make_unique<GradedRun>(names, "cheats-cpu.yaml", "",
                                              std::vector<std::string>{});
    }
    return *run;
  }
};

class Cheat : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here"); }
};

INSTANTIATE_TEST_SUITE_P(All, Cheat, testing::ValuesIn(test::submissions_in(kCheats)),
                         [](const auto& cheat) {
                           std::string name = cheat.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Cheat, GetsItsVerdict) {
  const bool gpu = for_gpu(GetParam());
  const GradedRun& run = GradedRun::of(gpu);
  const json report = test::read_report(run.results, GetParam());
  ASSERT_TRUE(report.is_object()) << "no result\n" << run.report.standard_error;
  const YAML::Node wanted = expected(GetParam());
  test::expect_keys(wanted, {"class", "verdict", "what", "defence", "outcome", "speed_points",
                             "emulated", "reason", "hint", "output", "wide_tolerance"});
  test::expect_match(wanted, gpu && wanted["emulated"] ? "emulated" : "outcome", report["outcome"],
                     true);

  const json& stage = report["stages"].at(0);
  std::string reason = stage["build"]["reason"], hint, output;
  for (const json& c : stage["cases"]) {
    reason += "\n" + c["reason"].get<std::string>();
    hint += "\n" + c["hint"].get<std::string>();
    output += "\n" + c["student_output"].get<std::string>();
  }
  if (!gpu || !wanted["emulated"]) {
    test::expect_match(wanted, "reason", reason, false);
    test::expect_match(wanted, "hint", hint, false);
    test::expect_match(wanted, "output", output, false);
  }
  // What the cheat hides takes so long that nothing is left when it is counted. The emulated device
  // gives no times at all.
  const json& speed = stage["points"].at(0);
  if (gpu) {
    EXPECT_EQ(speed["points"].get<double>(), 0);
  } else if (wanted["speed_points"]) {
    EXPECT_EQ(speed["points"].get<double>(), wanted["speed_points"].as<double>());
  }
}

TEST(Cheats, ReducedPrecisionIsRightWhereTheToleranceAllowsIt) {
  OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here");
  std::vector<std::string> names;
  for (const auto& name : test::submissions_in(kCheats))
    if (expected(name)["wide_tolerance"]) names.push_back(name);
  ASSERT_FALSE(names.empty());
  const GradedRun run(names, "cheats-gpu.yaml", "\ntolerance: 1e-3\n", {"--device", "emulated"});
  for (const auto& name : names) {
    const json report = test::read_report(run.results, name);
    ASSERT_TRUE(report.is_object()) << run.report.standard_error;
    test::expect_match(expected(name), "wide_tolerance", report["outcome"], true);
  }
}

TEST(Cheats, EveryClassIsThere) {
  std::set<std::string> classes;
  for (const auto& name : test::submissions_in(kCheats))
    if (const YAML::Node c = expected(name)["class"]) classes.insert(c.Scalar());
  std::set<std::string> wanted{"C11b"};
  for (int i = 1; i <= 66; ++i) wanted.insert(fmt::format("C{:02}", i));
  EXPECT_EQ(classes, wanted);
}

TEST(Cheats, AreListedInTheReadme) {
  std::multimap<std::string, std::string> lines;
  for (const auto& name : test::submissions_in(kCheats)) {
    const YAML::Node e = expected(name);
    const std::string group = e["class"] ? e["class"].Scalar() : "-";
    lines.emplace(group,
                  fmt::format("| {} | {} | {} | {} | {} | {} |\n", group, name,
                              for_gpu(name) ? "GPU" : "CPU", e["what"].Scalar(),
                              e["defence"] ? e["defence"].Scalar() : "", e["verdict"].Scalar()));
  }
  std::string table;
  for (const auto& [group, line] : lines) table += line;
  std::ifstream file(kCheats / "README.md");
  std::string readme{std::istreambuf_iterator<char>(file), {}};
  const std::string head = "|--|--|--|--|--|--|\n";
  const auto begin = readme.find(head);
  ASSERT_NE(begin, std::string::npos);
  const auto first = begin + head.size();
  const auto end = std::min(readme.find("\n\n", begin), readme.size() - 1) + 1;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    readme.replace(first, end - first, table);
    std::ofstream(kCheats / "README.md") << readme;
    return;
  }
  EXPECT_EQ(readme.substr(first, end - first), table) << "UPDATE_GOLDEN=1 writes the table anew";
}

}  // namespace
}  // namespace opgrade
