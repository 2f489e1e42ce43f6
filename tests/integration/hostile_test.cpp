// Grades each folder of tests/corpus/hostile with the real program, an honest control right behind
// it, and looks for what it left behind. OPGRADE_SANDBOX_WITHOUT chooses the sandbox's tier.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "grader/platform/sandbox/support.hpp"
#include "tests/support/graded_group.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kTests = OPGRADE_SOURCE_DIR "/tests", kCorpus = kTests / "corpus";

SandboxTier tier() {
  static const SandboxTier found = SandboxSupport::detect().tier;
  return found;
}

/// Files of the sandbox's user that graders beside this one do not make.
std::set<std::string> files_of_the_sandbox() {
  constexpr unsigned kSandboxUser = 65534;
  std::set<std::string> files;
  for (const char* shared : {"/tmp", "/var/tmp", "/dev/shm", "/run", "/"}) {
    std::error_code ignored;
    for (fs::directory_iterator entry(shared, ignored), end; entry != end;
         entry.increment(ignored)) {
      struct stat status {};
      const std::string name = entry->path().filename();
      if (::lstat(entry->path().c_str(), &status) == 0 && status.st_uid == kSandboxUser &&
          !name.starts_with("opgrade-")) {
        files.insert(entry->path());
      }
    }
  }
  return files;
}

class Wanted {
 public:
  explicit Wanted(const fs::path& folder) : file_(YAML::LoadFile(folder / "expect.yaml")) {
    test::expect_keys(file_, {"attack", "promise", "outcome", "build", "build_may_fail",
                              "build_lacks", "reason", "output", "without_cgroup", "output_lacks"});
    EXPECT_TRUE(file_["attack"] && file_["promise"] && file_["outcome"]);
  }

  YAML::Node build() const { return file_["build"]; }
  bool may_fail_to_build() const { return file_["build_may_fail"].as<bool>(false); }

  /// The value for this tier.
  std::string text(const char* key) const {
    if (const auto other = file_["without_cgroup"]; tier() != SandboxTier::full && other) {
      if (const auto value = other[key]) return value.as<std::string>();
    }
    return file_[key] ? file_[key].as<std::string>() : std::string();
  }

 private:
  YAML::Node file_;
};

void expect_found(const char* what, const std::string& pattern, const std::string& text) {
  if (pattern.empty()) return;
  EXPECT_TRUE(std::regex_search(text, std::regex(pattern)))
      << what << ": " << text.substr(0, 2000) << "\nlacks: " << pattern;
}
void expect_not_found(const char* what, const std::string& pattern, const std::string& text) {
  if (pattern.empty()) return;
  EXPECT_FALSE(std::regex_search(text, std::regex(pattern)))
      << what << ": " << text.substr(0, 2000) << "\nholds: " << pattern;
}

/// On a machine that is busy with other things no call's clocks may agree. Times are tested
/// elsewhere.
std::string credible(const std::string& outcome) {
  return outcome == "not_credible" ? "passed" : outcome;
}

void expect_verdict(const Wanted& wanted, const json& report) {
  const std::string outcome = credible(report["outcome"]);
  EXPECT_TRUE(std::regex_match(outcome, std::regex(wanted.text("outcome"))))
      << outcome << " is not " << wanted.text("outcome") << ": " << report["reason"];
  EXPECT_NE(outcome, "grader_fault") << report["reason"];
  const json& stage = report["stages"].at(0);
  const json& build = stage["build"];
  const std::string messages = build["compiler_output"];
  expect_not_found("the compiler's output", wanted.text("build_lacks"), messages);
  if (const auto expected = wanted.build()) {
    EXPECT_EQ(build["outcome"], expected["outcome"].as<std::string>()) << build["reason"];
    expect_found("reason of the build", expected["reason"].as<std::string>(""), build["reason"]);
    expect_found("the compiler's output", expected["output"].as<std::string>(""), messages);
    return;
  }
  if (wanted.may_fail_to_build() && build["outcome"] != "passed") return;
  ASSERT_EQ(build["outcome"], "passed") << messages;
  const json& only = stage["cases"].at(0);
  const std::string printed = only["student_output"];
  if (only["outcome"] != "not_credible")
    expect_found("reason", wanted.text("reason"), only["reason"]);
  expect_found("what it printed", wanted.text("output"), printed);
  expect_not_found("what it printed", wanted.text("output_lacks"), printed);
  expect_not_found("what it printed", "OUTSIDE|FOUND", printed);
  for (const unsigned char c : printed)
    EXPECT_TRUE(c >= 0x20 || c == '\n' || c == '\t') << "raw byte " << int{c};
  // What it used is in the report of every run.
  EXPECT_GT(only["usage"]["peak_memory_bytes"], 0);
  EXPECT_GE(only["usage"]["voluntary_context_switches"].get<long>() +
                only["usage"]["involuntary_context_switches"].get<long>(),
            1);
}

/// What the control took behind each attack; OPGRADE_HOSTILE_TIMES=1 prints it at the end, against
/// the medians. Nothing is asserted: docs/performance.md has figures.
class ControlTimes {
 public:
  static ControlTimes& get() {
    static ControlTimes times;
    return times;
  }
  void add(const std::string& attack, const json& honest) {
    if (honest["stages"].at(0)["device"] != "cpu") return;  // another control, and not timed
    const json& only = honest["stages"].at(0)["cases"].at(0);
    Row row{
        attack,
        1000 * (only["usage"]["user_s"].get<double>() + only["usage"]["system_s"].get<double>()),
        0};
    for (const json& call : only["convs"])
      row.op_ms += call["op_time"].is_object() ? call["op_time"]["median_ms"].get<double>() : 0;
    rows_.push_back(row);
  }
  ~ControlTimes() {
    if (rows_.empty() || std::getenv("OPGRADE_HOSTILE_TIMES") == nullptr) return;
    const double cpu = median(&Row::cpu_ms), op = median(&Row::op_ms);
    fmt::print("control behind           CPU ms  of median  Op Time ms  of median\n");
    for (const Row& row : rows_) {
      fmt::print("{:<24} {:>6.0f} {:>9.0f}% {:>11.3f} {:>9.0f}%\n", row.attack, row.cpu_ms,
                 100 * row.cpu_ms / cpu, row.op_ms, op > 0 ? 100 * row.op_ms / op : 0);
    }
    fmt::print("median of {:<14} {:>6.0f} {:>22.3f}\n", rows_.size(), cpu, op);
  }

 private:
  struct Row {
    std::string attack;
    double cpu_ms, op_ms;
  };
  double median(double Row::*value) const {
    std::vector<double> all;
    for (const Row& row : rows_) all.push_back(row.*value);
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                     all.end());
    return all[all.size() / 2];
  }
  std::vector<Row> rows_;
};

/// Grades `submission` and then `control` in one run of the program.
/// `also_left` is a name that may be in the workplace besides the program's own.
void grade(const fs::path& submission, const fs::path& control, const char* config,
           const char* also_left = "tmp") {
  test::GradedGroup group;
  const test::Workplace& place = group.place;
  const auto before = files_of_the_sandbox();
  const auto inputs = [&] {
    std::map<std::string, std::int64_t> seen;
    for (const auto& entry : fs::directory_iterator(submission)) {
      struct stat status {};
      ::lstat(entry.path().c_str(), &status);
      seen[entry.path()] = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
    }
    return seen;
  };
  const auto handed_in = inputs();
  group.add(submission);
  group.add(control);
  group.grade(kTests / "configs" / config, {"--jobs", "1"});
  // The program itself got through, with an exit code that speaks of submissions.
  EXPECT_THAT(test::exit_code(group.report), testing::AnyOf(0, 1)) << group.report.standard_error;
  EXPECT_THAT(place.lasting_processes(), testing::IsEmpty());
  EXPECT_TRUE(fs::is_empty(place.temporary()))
      << "left: " << *fs::directory_iterator(place.temporary());
  for (const auto& entry : fs::directory_iterator(place.path()))
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("tmp", "results", also_left));
  for (const auto& file : files_of_the_sandbox())
    EXPECT_TRUE(before.contains(file)) << "left: " << file;
  EXPECT_THAT(group.control_groups(), testing::IsEmpty());
  EXPECT_THAT(place.mounts(), testing::IsEmpty());
  EXPECT_EQ(inputs(), handed_in) << "the submission was changed";

  const json report = group.report_of(submission.filename());
  ASSERT_FALSE(report.is_null());
  expect_verdict(Wanted(submission), report);
  EXPECT_EQ(report["machine"]["sandbox"], name_of(tier()));

  json honest = group.report_of(control.filename());
  ASSERT_FALSE(honest.is_null());
  // Its clocks must agree, as in any grading. On a busy machine they may not within one budget: it
  // is graded anew, so that only what lasts counts.
  for (int tries = 0; honest["outcome"] == "not_credible" && tries < 5; ++tries) {
    place.run({"grade", "--config", kTests / "configs" / config, "--out", group.results, "--again",
               control});
    honest = group.report_of(control.filename());
  }
  EXPECT_EQ(honest["outcome"], "passed") << honest["reason"];
  ControlTimes::get().add(submission.filename(), honest);
  EXPECT_EQ(honest["points"], honest["max_points"]);
}

class Hostile : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("sandbox", tier() != SandboxTier::none, "no sandbox here");
  }
};
INSTANTIATE_TEST_SUITE_P(Input, Hostile,
                         testing::ValuesIn(test::submissions_in(kCorpus / "hostile")),
                         [](const auto& name) { return name.param; });

TEST_P(Hostile, GetsItsVerdictAndLeavesNothing) {
  const fs::path submission = kCorpus / "hostile" / GetParam();
  if (fs::exists(submission / "new-forward.cu")) {
    OPGRADE_SKIP_UNLESS("emulation", fs::exists(OPGRADE_BINARY_DIR "/bin/opgrade-cucc"),
                        "built without the emulated device");
    grade(submission, kCorpus / "hostile_gpu/control", "hostile-emulated.yaml");
  } else {
    grade(submission, kCorpus / "submissions/good", "hostile.yaml");
  }
}

class HostileGpu : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("gpu", fs::exists("/dev/nvidiactl"), "no GPU here");
    OPGRADE_SKIP_UNLESS("sandbox", tier() != SandboxTier::none, "no sandbox here");
  }
};
INSTANTIATE_TEST_SUITE_P(Input, HostileGpu,
                         testing::ValuesIn(test::submissions_in(kCorpus / "hostile_gpu")),
                         [](const auto& name) { return name.param; });

TEST_P(HostileGpu, GetsItsVerdictAndLeavesTheDeviceUsable) {
  // The driver, which the program's own process loads, makes a folder .nv in its HOME, and that is
  // the workplace. It is no trace of the submission, whose HOME is private.
  grade(kCorpus / "hostile_gpu" / GetParam(), kCorpus / "hostile_gpu/control", "hostile-gpu.yaml",
        ".nv");
}

// What cannot lie in a repository: a file that may not be read, and names that are formulas, paths
// and lines.
TEST(HostileNames, AreHarmlessInTheTableOfTheClass) {
  OPGRADE_SKIP_UNLESS("sandbox", tier() != SandboxTier::none, "no sandbox here");
  test::GradedGroup group;
  for (const std::string name : {"=HYPERLINK(1)", "@SUM(A1)", "two\nlines", "-rf", "a,b\"c"}) {
    fs::create_directories(group.place.path() / "class" / name);
    group.add(group.place.path() / "class" / name);
  }
  group.grade(kTests / "configs/hostile.yaml", {});
  EXPECT_EQ(test::exit_code(group.report), 1) << group.report.standard_error;
  std::ifstream file(group.results / "grades.csv");
  std::string line;
  int lines = 0;
  for (; std::getline(file, line); ++lines) {
    EXPECT_FALSE(line.starts_with("=") || line.starts_with("@") || line.starts_with("-") ||
                 line.starts_with("\"=") || line.starts_with("\"@") || line.starts_with("\"-"))
        << line;
  }
  EXPECT_EQ(lines, 6);
}

TEST(HostileNames, FilesBesideTheSourceDoNotMatterWhateverTheyAreCalled) {
  OPGRADE_SKIP_UNLESS("sandbox", tier() != SandboxTier::none, "no sandbox here");
  test::GradedGroup group;
  const fs::path ada = group.place.path() / "ada";
  fs::copy(kCorpus / "submissions/good", ada);
  for (const std::string name :
       {"-rf.cc", "@file.cc", "a b#c.h", "=cmd.h", "two\nlines.h", "right\xe2\x80\xaeleft.h",
        "\xff\xfe.h", "Makefile", "CMakeLists.txt", "opgrade-harness", ".hidden.h", "quote'\"\\.h",
        "submission.so", "libstdc++.so.6"}) {
    std::ofstream(ada / name) << "#error this file must not matter\n";
  }
  std::ofstream(ada / (std::string(200, 'x') + ".h")) << "#error nor this\n";
  group.add(ada);
  group.grade(kTests / "configs/hostile.yaml", {});
  const json report = group.report_of("ada");
  ASSERT_FALSE(report.is_null());
  EXPECT_EQ(credible(report["outcome"]), "passed") << report["reason"];
  EXPECT_EQ(report["points"], 10);
}

// Read by root, which reads everything, and refused to everybody else; nothing in between.
TEST(HostileNames, AFileThatMayNotBeReadIsRefusedWithItsName) {
  OPGRADE_SKIP_UNLESS("sandbox", tier() != SandboxTier::none, "no sandbox here");
  const test::Workplace place;
  fs::copy(kCorpus / "submissions/good", place.path() / "ada");
  fs::permissions(place.path() / "ada", fs::perms(0755));
  fs::permissions(place.path() / "ada/cpu-new-forward.cc", fs::perms::none);
  const std::vector<std::string> arguments{"grade",
                                           "--config",
                                           kTests / "configs/hostile.yaml",
                                           "--out",
                                           place.temporary() / "results",
                                           place.path() / "ada"};
  const auto report = [&] { return test::read_report(place.temporary() / "results", "ada"); };
  if (::geteuid() == 0) {
    place.run(arguments);
    EXPECT_EQ(credible(report()["outcome"]), "passed") << report();
    fs::remove_all(place.temporary() / "results");
    fs::permissions(place.temporary(), fs::perms(0777));
  }
  Command command = place.command(arguments);
  if (::geteuid() == 0) {
    OPGRADE_SKIP_UNLESS("setpriv", fs::exists("/usr/bin/setpriv"), "no setpriv to be another user");
    const std::vector<std::string> nobody{"--reuid=65534", "--regid=65534", "--clear-groups",
                                          command.program.string()};
    command.arguments.insert(command.arguments.begin(), nobody.begin(), nobody.end());
    command.program = "/usr/bin/setpriv";
  }
  const ProcessReport run = run_command(command, test::kPatience);
  if (!report().is_object()) {
    OPGRADE_SKIP_UNLESS("unprivileged",
                        run.standard_error.find("no sandbox") == std::string::npos &&
                            test::exit_code(run) != 126 && test::exit_code(run) != 127,
                        "an ordinary user has no sandbox or cannot reach the program here");
  }
  ASSERT_TRUE(report().is_object()) << run.standard_error;
  EXPECT_EQ(report()["outcome"], "refused");
  EXPECT_EQ(report()["reason"],
            "CPU convolution: cpu-new-forward.cc cannot be read: Permission denied");
}

TEST(HostileNames, TwoSubmissionsWithOneNameAreNotMixedUp) {
  OPGRADE_SKIP_UNLESS("sandbox", tier() != SandboxTier::none, "no sandbox here");
  test::GradedGroup group;
  const fs::path& folder = group.place.path();
  fs::create_directories(folder / "a/ada");
  fs::create_directories(folder / "b");
  fs::copy(kCorpus / "submissions/not_compiling", folder / "b/ada", fs::copy_options::recursive);
  for (const char* name : {"a/ada", "b/ada"}) group.add(folder / name);
  group.grade(kTests / "configs/hostile.yaml", {});
  EXPECT_EQ(group.report_of("a")["outcome"], "refused");
  EXPECT_EQ(group.report_of("b")["outcome"], "build_failed");
}

}  // namespace
}  // namespace opgrade
