// Grades tests/corpus/cheats with the real program: those for the CPU, and those for the GPU on the
// emulated device (on a GPU tests/gpu/run.sh grades them). Every cheat must be caught, neutralised
// or handled as the config says, every control get its honest verdict.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/graded_group.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kCheats = OPGRADE_SOURCE_DIR "/tests/corpus/cheats";

bool for_gpu(const std::string& name) { return fs::exists(kCheats / name / "new-forward.cu"); }

YAML::Node expected(const std::string& name) {
  return YAML::LoadFile(kCheats / name / "expect.yaml");
}

/// A way to grade: changes of the config's text, and of the environment.
struct Way {
  std::vector<std::pair<std::string, std::string>> edits;
  std::vector<std::string> environment;
  double call_ms = 60;  ///< of a slow call on the CPU (common/honest.h)
};

/// `short`: a lie of some tenths of a millisecond is more than 1 % of the call.
const std::map<std::string, Way> kWays{
    {"as_is", {}},
    {"few",
     {{{"batch: 20", "batch: 8"}, {"points: 5, full", "points: 5, take: fastest, full"}}, {}}},
    {"fastest", {{{"points: 5, full", "points: 5, take: fastest, full"}}, {}}},
    {"once", {{{"repetitions: 2", "repetitions: 1"}}, {}}},
    {"short",
     {{{"batch: 20", "batch: 1"},
       {"repetitions: 2", "repetitions: 7"},
       {"device: cpu", "device: cpu\n    flags: [-O3, -DCALL_US=5000]"},
       {"full: 80 ms, zero: 115 ms", "full: 1 ms, zero: 2 ms"}},
      {},
      5}},
    {"userns", {{}, {"OPGRADE_SANDBOX_WITHOUT=userns"}}},
    {"gpu", {}},
};

/// Those that expect.yaml names, else as the config is.
std::vector<std::string> ways_of(const std::string& name) {
  if (for_gpu(name)) return {"gpu"};
  const YAML::Node ways = expected(name)["graded"];
  return ways ? ways.as<std::vector<std::string>>() : std::vector<std::string>{"as_is"};
}

struct Graded {
  std::string name, way;

  friend std::ostream& operator<<(std::ostream& out, const Graded& graded) {
    return out << graded.name << ", " << graded.way;
  }
};

std::vector<Graded> all_graded(bool gpu) {
  std::vector<Graded> all;
  for (const auto& name : test::submissions_in(kCheats))
    if (for_gpu(name) == gpu)
      for (const auto& way : ways_of(name)) all.push_back({name, way});
  return all;
}

/// Graded together, each with the files of common/ beside its own.
struct GradedRun : test::GradedGroup {
  /// `edit` is added to the end of the config; keys given twice are errors.
  GradedRun(const std::vector<std::string>& names, const std::string& config,
            const std::string& edit, std::vector<std::string> options, const Way& way = {}) {
    std::ifstream template_file(fs::path(OPGRADE_SOURCE_DIR "/tests/configs") / config);
    std::string text{std::istreambuf_iterator<char>(template_file), {}};
    for (const auto& [from, to] : way.edits) {
      EXPECT_NE(text.find(from), text.npos) << config << " has no " << from;
      for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    }
    std::ofstream(place.path() / config) << text << edit;
    options.insert(options.end(), {"--jobs", "2"});
    for (const auto& name : names) add_copy(kCheats / name, kCheats / "common");
    grade(config, options, way.environment);
  }

  static const GradedRun& of(const std::string& way) {
    static std::map<std::string, std::unique_ptr<GradedRun>> runs;
    auto& run = runs[way];
    if (!run) {
      std::vector<std::string> names, options;
      for (const auto& graded : all_graded(way == "gpu"))
        if (graded.way == way) names.push_back(graded.name);
      if (way == "gpu") options = {"--device", "emulated"};
      run = std::make_unique<GradedRun>(names, way == "gpu" ? "cheats-gpu.yaml" : "cheats-cpu.yaml",
                                        "", options, kWays.at(way));
    }
    return *run;
  }
};

/// No timed call is more than 1 % shorter than it is known to be: it sleeps or spins for so long,
/// by a clock of the kernel's. A busy machine makes it longer, never shorter.
void expect_full_times(const json& stage, double call_ms) {
  for (const json& c : stage["cases"])
    for (const json& call : c["convs"])
      for (const json& sample : call["op_time"]["samples_ms"])
        EXPECT_GE(sample.get<double>(), 0.99 * call_ms) << call["layer"];
}

class Cheat : public testing::TestWithParam<Graded> {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here"); }
};

std::string test_name(const testing::TestParamInfo<Graded>& cheat) {
  std::string name = cheat.param.name;
  if (cheat.param.way != ways_of(name).front()) name += "_" + cheat.param.way;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
// Two entries of ctest: the first is timed and runs alone.
INSTANTIATE_TEST_SUITE_P(Cpu, Cheat, testing::ValuesIn(all_graded(false)), test_name);
INSTANTIATE_TEST_SUITE_P(Emulated, Cheat, testing::ValuesIn(all_graded(true)), test_name);

TEST_P(Cheat, GetsItsVerdict) {
  const auto& [name, way] = GetParam();
  const bool gpu = for_gpu(name);
  const json report = GradedRun::of(way).report_of(name);
  ASSERT_FALSE(report.is_null());
  const YAML::Node wanted = expected(name);
  test::expect_keys(
      wanted, {"class", "verdict", "what", "defence", "outcome", "speed_points", "emulated",
               "reason", "hint", "output", "wide_tolerance", "graded", "full_time", "control"});
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
  // The time of a wrong output earns nothing: a call that began before its input came has one.
  if (wanted["full_time"] && report["outcome"] == "passed")
    expect_full_times(stage, kWays.at(way).call_ms);
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
    const json report = run.report_of(name);
    ASSERT_FALSE(report.is_null());
    test::expect_match(expected(name), "wide_tolerance", report["outcome"], true);
  }
}

TEST(Cheats, EveryClassIsThere) {
  std::set<std::string> classes;
  for (const auto& name : test::submissions_in(kCheats))
    if (const YAML::Node c = expected(name)["class"]) classes.insert(c.Scalar());
  std::set<std::string> wanted{"C11b"};
  for (int i = 1; i <= 81; ++i) wanted.insert(fmt::format("C{:02}", i));
  EXPECT_EQ(classes, wanted);
}

TEST(Cheats, AreListedInTheReadme) {
  std::multimap<std::string, std::string> lines;
  for (const auto& name : test::submissions_in(kCheats)) {
    const YAML::Node e = expected(name);
    const std::string group = e["class"] ? e["class"].Scalar() : "-";
    lines.emplace(group, fmt::format("| {} | {} | {} | {} | {} |\n", group, name,
                                     for_gpu(name) ? "GPU" : "CPU", e["what"].Scalar(),
                                     e["verdict"].Scalar()));
  }
  std::string table;
  for (const auto& [group, line] : lines) table += line;
  std::ifstream file(kCheats / "README.md");
  std::string readme{std::istreambuf_iterator<char>(file), {}};
  const std::string head = "|--|--|--|--|--|\n";
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
