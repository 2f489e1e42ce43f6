// Grades every submission of tests/corpus/submissions in one run of the real program and compares
// each verdict with its expect.yaml. Then: nothing is left behind, and a run that is killed goes
// on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "tests/support/graded_group.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSubmissions = OPGRADE_SOURCE_DIR "/tests/corpus/submissions";
constexpr const char* kConfig = OPGRADE_SOURCE_DIR "/tests/configs/corpus.yaml";

std::vector<std::string> all_submissions() { return test::submissions_in(kSubmissions); }

/// With a seed, so that the first random shape, on which a wrong submission fails, is always the
/// same and has the hint that expect.yaml wants.
std::vector<std::string> with_jobs(const char* jobs) { return {"--jobs", jobs, "--seed", "1"}; }

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
struct ClassRun : test::GradedGroup {
  ClassRun() {
    for (const auto& name : selected_submissions()) add(fs::path(kSubmissions) / name);
    grade(kConfig, with_jobs("2"));
  }

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
  const json report = ClassRun::get().report_of(GetParam());
  ASSERT_FALSE(report.is_null());
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

TEST_F(WholeClass, LeavesNothingBehind) {
  const ClassRun& run = ClassRun::get();
  EXPECT_THAT(run.place.processes(), testing::IsEmpty());
  EXPECT_TRUE(fs::is_empty(run.place.temporary()))
      << "left: " << *fs::directory_iterator(run.place.temporary());
  EXPECT_THAT(run.control_groups(), testing::IsEmpty());
  EXPECT_THAT(run.place.mounts(), testing::IsEmpty());
}

TEST_F(WholeClass, TheControlStillPassesAfterAllThat) {
  ClassRun::get();
  test::GradedGroup control;
  control.add(fs::path(kSubmissions) / "good");
  control.grade(kConfig, with_jobs("1"));
  EXPECT_EQ(test::exit_code(control.report), 0)
      << control.report.standard_output << control.report.standard_error;
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

TEST_F(WholeClass, AMendedGraderGradesAnew) {
  const test::Workplace place;
  const fs::path share = place.path() / "share";
  fs::copy(OPGRADE_BINARY_DIR "/share/opgrade", share, fs::copy_options::recursive);
  const auto kept = [&] {
    return place
               .run({"grade", fs::path(kSubmissions) / "not_compiling", "--config", kConfig},
                    {"OPGRADE_SHARE=" + share.string()})
               .standard_error.find("kept from before") != std::string::npos;
  };
  EXPECT_FALSE(kept());
  EXPECT_TRUE(kept());
  // The mend of an adapter: the program's own file is the same.
  std::ofstream(share / "adapters/minidnn-3/cpu.cpp", std::ios::app) << "// mended\n";
  EXPECT_FALSE(kept());
  EXPECT_TRUE(kept());
}

/// The third runs until its limit.
TEST_F(WholeClass, GoesOnAfterAKill) {
  test::GradedGroup group;
  const fs::path& results = group.results;
  const std::vector<std::string> names{"crash_abort", "good", "endless_sleep",
                                       "wrong_nan",   "slow", "missing_file"};
  for (const auto& name : names) group.add(fs::path(kSubmissions) / name);
  const auto finished = [&] {
    std::vector<std::string> done;
    for (const auto& name : names)
      if (fs::exists(results / name / "report.json")) done.push_back(name);
    return done;
  };

  ChildProcess first = group.start(kConfig, with_jobs("1"));
  EXPECT_TRUE(test::reaches(
      first, [&] { return finished().size() >= 2 && group.place.runs_a_submission(); }));
  ::kill(first.pid(), SIGKILL);
  first.finish();
  const auto done = finished();
  ASSERT_GE(done.size(), 2U);
  ASSERT_LT(done.size(), names.size());
  // The sandbox dies with the grader.
  EXPECT_THAT(group.place.lasting_processes(), testing::IsEmpty());

  std::map<std::string, std::pair<ino_t, std::int64_t>> before;
  for (const auto& name : done) before[name] = identity(results / name / "report.json");
  group.grade(kConfig, with_jobs("1"));
  EXPECT_EQ(test::exit_code(group.report), 1) << group.report.standard_error;
  EXPECT_THAT(group.report.standard_error, testing::HasSubstr("good: passed"));
  EXPECT_THAT(group.report.standard_error, testing::HasSubstr("(kept from before)"));
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
