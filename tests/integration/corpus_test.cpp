// Grades every submission of tests/corpus/submissions in one run of the real program and compares
// each verdict with its expect.yaml. Then: nothing is left behind, and a run that is killed goes
// on.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/expected_verdict.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSubmissions = OPGRADE_SOURCE_DIR "/tests/corpus/submissions";
constexpr const char* kConfig = OPGRADE_SOURCE_DIR "/tests/configs/corpus.yaml";

std::vector<std::string> all_submissions() { return test::submissions_in(kSubmissions); }

/// With a seed, so that the first random shape, on which a wrong submission fails, is always the
/// same and has the hint that expect.yaml wants.
std::vector<std::string> grade_arguments(const std::vector<std::string>& names,
                                         const fs::path& results, const char* jobs) {
  std::vector<std::string> arguments{"grade",  "--config", kConfig,  "--out", results,
                                     "--jobs", jobs,       "--seed", "1"};
  for (const auto& name : names) arguments.push_back(fs::path(kSubmissions) / name);
  return arguments;
}

using test::expect_keys;
using test::expect_match;
using test::read_report;
using test::sandboxed;

/// Those whose verdicts --gtest_filter selects; all where it selects none.
std::vector<std::string> selected_submissions() {
  std::vector<std::string> names;
  const auto& tests = *testing::UnitTest::GetInstance();
  for (int s = 0; s < tests.total_test_suite_count(); ++s) {
    const auto& suite = *tests.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const auto& test = *suite.GetTestInfo(t);
      const std::string name = test.name();
      if (test.should_run() && name.starts_with("GetsItsVerdict/"))
        names.push_back(name.substr(name.find('/') + 1));
    }
  }
  std::sort(names.begin(), names.end());
  return names.empty() ? all_submissions() : names;
}

/// The one run that all tests of the suite look at.
struct ClassRun {
  test::Workplace place;
  fs::path results = place.path() / "results";
  ChildProcess grader =
      ChildProcess::start(place.command(grade_arguments(selected_submissions(), results, "2")),
                          {.wall = std::chrono::minutes(9), .kept_bytes = 16 << 20});
  pid_t pid = grader.pid();
  ProcessReport report = grader.finish();

  static const ClassRun& get() {
    static const ClassRun run;
    return run;
  }
};

class Corpus : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", sandboxed(), "no sandbox here"); }
};
INSTANTIATE_TEST_SUITE_P(Submission, Corpus, testing::ValuesIn(all_submissions()),
                         [](const auto& name) { return name.param; });

TEST_P(Corpus, GetsItsVerdict) {
  const json report = read_report(ClassRun::get().results, GetParam());
  ASSERT_TRUE(report.is_object()) << "no result\n" << ClassRun::get().report.standard_error;
  const YAML::Node wanted = YAML::LoadFile(fs::path(kSubmissions) / GetParam() / "expect.yaml");
  expect_keys(wanted, {"outcome", "points", "speed_points", "build", "cases"});
  expect_match(wanted, "outcome", report["outcome"], true);
  if (wanted["points"]) {
    EXPECT_EQ(report["points"].get<double>(), wanted["points"].as<double>());
  }

  const json& stage = report["stages"].at(0);
  if (wanted["speed_points"]) {
    EXPECT_EQ(stage["points"].at(0)["points"].get<double>(), wanted["speed_points"].as<double>());
  }
  if (const YAML::Node build = wanted["build"]) {
    expect_keys(build, {"outcome", "reason", "hint", "output"});
    expect_match(build, "outcome", stage["build"]["outcome"], true);
    expect_match(build, "reason", stage["build"]["reason"], false);
    expect_match(build, "hint", stage["build"]["hint"], false);
    expect_match(build, "output", stage["build"]["compiler_output"], false);
  } else {
    EXPECT_EQ(stage["build"]["outcome"], "passed");
  }
  EXPECT_EQ(stage["cases"].size(), wanted["cases"].size());
  double points = 0;
  for (const json& c : stage["cases"]) {
    SCOPED_TRACE(c["id"]);
    const YAML::Node expected = wanted["cases"][c["id"].get<std::string>()];
    ASSERT_TRUE(expected) << "not in expect.yaml";
    expect_keys(expected, {"outcome", "reason", "hint", "output"});
    expect_match(expected, "outcome", c["outcome"], true);
    expect_match(expected, "reason", c["reason"], false);
    expect_match(expected, "hint", c["hint"], false);
    expect_match(expected, "output", c["student_output"], false);
    EXPECT_FALSE(c["reason"].get<std::string>().empty());
    ASSERT_EQ(c["points"].size(), 1U);
    const auto& item = c["points"][0];
    EXPECT_EQ(item["points"] == item["max_points"], c["outcome"] == "passed");
    EXPECT_FALSE(item["reason"].get<std::string>().empty());
    points += item["points"].get<double>();
  }
  EXPECT_LE(points, report["points"].get<double>());
  EXPECT_EQ(report["passed"].get<bool>(), report["points"].get<double>() >= 15);
}

class WholeClass : public testing::Test {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", sandboxed(), "no sandbox here"); }
};

TEST_F(WholeClass, EndsNormallyAndListsEverybodyOnce) {
  const ClassRun& run = ClassRun::get();
  EXPECT_EQ(test::exit_code(run.report), 1) << run.report.standard_error;
  EXPECT_THAT(run.report.standard_error, testing::Not(testing::HasSubstr("grader fault")));
  std::ifstream table(run.results / "grades.csv");
  std::string line;
  std::getline(table, line);  // the header
  std::vector<std::string> names;
  while (std::getline(table, line)) names.push_back(line.substr(0, line.find(',')));
  EXPECT_EQ(names, selected_submissions());
}

std::vector<std::string> control_groups_of(pid_t grader) {
  std::vector<std::string> left;
  for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"}) {
    std::error_code ignored;
    for (fs::recursive_directory_iterator entry(root, ignored), end; entry != end;
         entry.increment(ignored)) {
      int pid = 0, number = 0;
      const std::string name = entry->path().filename();
      if (std::sscanf(name.c_str(), "opgrade-%d-%d", &pid, &number) == 2 && pid == grader)
        left.push_back(entry->path());
      if (entry.depth() > 3) entry.disable_recursion_pending();
    }
  }
  return left;
}

TEST_F(WholeClass, LeavesNothingBehind) {
  const ClassRun& run = ClassRun::get();
  EXPECT_THAT(run.place.processes(), testing::IsEmpty());
  EXPECT_TRUE(fs::is_empty(run.place.temporary()))
      << "left: " << *fs::directory_iterator(run.place.temporary());
  EXPECT_THAT(control_groups_of(run.pid), testing::IsEmpty());
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);)
    EXPECT_EQ(line.find(run.place.path().string()), std::string::npos) << line;
}

TEST_F(WholeClass, TheControlStillPassesAfterAllThat) {
  const ClassRun& run = ClassRun::get();
  const ProcessReport report =
      run.place.run(grade_arguments({"good"}, run.place.path() / "again", "1"));
  EXPECT_EQ(test::exit_code(report), 0) << report.standard_output << report.standard_error;
}

TEST_F(WholeClass, AResultIsKeptUntilItsFilesOrTheConfigChange) {
  const test::Workplace place;
  fs::copy(fs::path(kSubmissions) / "not_compiling", place.path() / "ada");
  fs::copy(kConfig, place.path() / "config.yaml");
  const std::vector<std::string> arguments{"grade",       "ada",    "--config",
                                           "config.yaml", "--only", "cpu/random"};
  const auto kept = [&] {
    return place.run(arguments).standard_error.find("kept from before") != std::string::npos;
  };
  EXPECT_FALSE(kept());
  EXPECT_TRUE(kept());
  std::ofstream(place.path() / "ada/new.h") << "// another file\n";
  EXPECT_FALSE(kept());
  EXPECT_TRUE(kept());
  std::ofstream(place.path() / "config.yaml", std::ios::app) << "\n# only a comment\n";
  EXPECT_TRUE(kept());
  std::ofstream(place.path() / "config.yaml", std::ios::app) << "tolerance: 2e-6\n";
  EXPECT_FALSE(kept());
  std::ofstream(place.path() / "results/ada/report.json") << "{";
  EXPECT_FALSE(kept()) << "a damaged result";
}

TEST_F(WholeClass, AResultOfSomeCasesIsNotKeptAsThatOfAll) {
  const test::Workplace place;
  fs::copy(fs::path(kSubmissions) / "not_compiling", place.path() / "ada");
  place.run({"grade", "ada", "--config", kConfig, "--only", "cpu/random"});
  EXPECT_EQ(read_report(place.path() / "results", "ada")["stages"][0]["cases"].size(), 1U);
  place.run({"grade", "ada", "--config", kConfig});
  EXPECT_EQ(read_report(place.path() / "results", "ada")["stages"][0]["cases"].size(), 2U);
}

/// What tells one writing of a file from another.
std::pair<ino_t, std::int64_t> identity(const fs::path& file) {
  struct stat status {};
  EXPECT_EQ(::stat(file.c_str(), &status), 0) << file;
  return {status.st_ino, status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec};
}

TEST_F(WholeClass, GoesOnAfterAKill) {
  const test::Workplace place;
  const fs::path results = place.path() / "results";
  const std::vector<std::string> names{"crash_abort", "good",         "wrong_nan",  "exits_early",
                                       "slow",        "missing_file", "own_headers"};
  const auto arguments = grade_arguments(names, results, "1");
  const auto finished = [&] {
    std::vector<std::string> done;
    for (const auto& name : names)
      if (fs::exists(results / name / "report.json")) done.push_back(name);
    return done;
  };

  ChildProcess first = ChildProcess::start(place.command(arguments), {});
  for (int i = 0; i < 3000 && finished().size() < 2; ++i) ::usleep(10'000);
  // In the middle of a submission: the program builds or runs the third one.
  ::usleep(200'000);
  ::kill(first.pid(), SIGKILL);
  first.finish();
  const auto done = finished();
  ASSERT_GE(done.size(), 2U);
  ASSERT_LT(done.size(), names.size()) << "killed too late to show anything";
  // The sandbox dies with the grader.
  auto left = place.processes();
  for (int i = 0; i < 300 && !left.empty(); ++i) {
    ::usleep(10'000);
    left = place.processes();
  }
  EXPECT_THAT(left, testing::IsEmpty());

  std::map<std::string, std::pair<ino_t, std::int64_t>> before;
  for (const auto& name : done) before[name] = identity(results / name / "report.json");
  const ProcessReport second = place.run(arguments);
  EXPECT_EQ(test::exit_code(second), 1) << second.standard_error;
  EXPECT_EQ(finished(), names);
  for (const auto& [name, was] : before)
    EXPECT_EQ(identity(results / name / "report.json"), was) << name << " was graded again";
  for (const auto& name : names) {
    const json report = read_report(results, name);
    ASSERT_TRUE(report.is_object()) << name;
    EXPECT_EQ(report["submission"]["name"], name);
  }
  // The same line for everybody as if nothing had happened.
  EXPECT_EQ(read_report(results, "good")["outcome"], "passed");
  EXPECT_EQ(read_report(results, "wrong_nan")["outcome"], "wrong_output");
  std::ifstream table(results / "grades.csv");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(table), {}, '\n'),
            static_cast<std::ptrdiff_t>(names.size()) + 1);
}

}  // namespace
}  // namespace opgrade
