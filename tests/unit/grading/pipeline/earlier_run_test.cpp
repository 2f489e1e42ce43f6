// A rejudge for new rules runs only the cases that they change.
#include "grader/grading/pipeline/earlier_run.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/report/fields/json.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/report/words/note_words.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/load.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kTwoStages = R"(opgrade: 1
name: before
pass_mark: 3
models:
  high: {network: fmnist-86, weights: fmnist-86-high}
  low: {network: fmnist-86, weights: fmnist-86-low}
limits: {run: {wall: 20 s, memory: 512 MiB}}
stages:
  - name: cpu
    device: cpu
    random_shapes: {count: 1, points: 1}
    fixed_shapes: {shapes: [{B: 1, M: 2, C: 1, H: 8, W: 8, K: 3}], points: 1}
    cases:
      - {model: high, batch: 100, points: 1}
      - {model: low, batch: 100, points: 1}
  - name: gpu
    device: cuda
    random_shapes: {count: 1, points: 1}
    cases:
      - {model: high, batch: 100, points: 1}
      - {model: low, batch: 100, points: 1}
)";

Config config_of(const std::string& text) {
  const LoadedConfig loaded = parse_config(text, "earlier.yaml");
  EXPECT_THAT(to_text(loaded.problems), IsEmpty());
  return loaded.config;
}

TEST(CasesAgain, AreThoseWhoseRulesOfRunningChanged) {
  using Change = std::function<void(Config&)>;
  const auto changed = [](const Change& change, bool emulated = false) {
    Config now = config_of(kTwoStages);
    change(now);
    return cases_again(config_of(kTwoStages), now, emulated).changed;
  };
  const auto cpu = [](Config& c) -> StageConfig& { return c.stages[0]; };
  const auto gpu = [](Config& c) -> StageConfig& { return c.stages[1]; };
  for (const Change& nothing :
       std::vector<Change>{[](Config&) {}, [&](Config& c) { cpu(c).cases[0].points = 50; },
                           [&](Config& c) { gpu(c).random_shapes.points = 7; },
                           [&](Config& c) { cpu(c).random_shapes.hidden = true; },
                           [&](Config& c) { cpu(c).fixed_shapes.advice = true; },
                           [](Config& c) { c.name = c.title = "after", c.pass_mark = 1; },
                           [](Config& c) { c.accept_emulated = false; },
                           [&](Config& c) {
                             cpu(c).title = "other", cpu(c).open_items = {{"report", 5}};
                           }}) {
    EXPECT_THAT(changed(nothing), IsEmpty());
    EXPECT_THAT(changed(nothing, true), IsEmpty());
  }
  // Of a GPU's cases it tells whether the emulated device's findings cost points.
  Config before = config_of(kTwoStages), now = before;
  before.findings = now.findings = FindingsRule::decide;
  now.accept_emulated = false;
  EXPECT_THAT(cases_again(before, now, false).changed,
              UnorderedElementsAre("gpu/random", "gpu/high/100", "gpu/low/100"));
  EXPECT_THAT(cases_again(before, now, true).changed, IsEmpty());
  for (const Change& everything : std::vector<Change>{
           [](Config& c) { c.tolerance *= 2; }, [](Config& c) { c.timing.repetitions = 9; },
           [](Config& c) { c.run_limits.memory_bytes *= 2; },
           [](Config& c) { c.build_limits.wall *= 2; },
           [](Config& c) { c.files.folders = {"src"}; },
           [](Config& c) { c.findings = FindingsRule::decide; }})
    EXPECT_EQ(changed(everything).size(), 7u);
  EXPECT_THAT(changed([&](Config& c) { cpu(c).cases[1].batch = 200; }), ElementsAre("cpu/low/200"));
  EXPECT_THAT(changed([&](Config& c) { cpu(c).cases[0].accuracy = 0.5; }),
              ElementsAre("cpu/high/100"));
  EXPECT_THAT(changed([&](Config& c) { cpu(c).random_shapes.count = 2; }),
              ElementsAre("cpu/random"));
  EXPECT_THAT(changed([](Config& c) { c.models.at("low").weights = "fmnist-86-high"; }),
              ElementsAre("cpu/low/100", "gpu/low/100"));
  EXPECT_THAT(changed([&](Config& c) { gpu(c).flags = {"-O1"}; }),
              ElementsAre("gpu/random", "gpu/high/100", "gpu/low/100"));
  EXPECT_THAT(changed([&](Config& c) {
                cpu(c).op_times = {{"high", 100, 5, {1}, {2}}};
              }),
              ElementsAre("cpu/high/100", "cpu/low/100"))
      << "times that did not count were measured beside builds";
  const Change speed = [&](Config& c) { gpu(c).op_times = {{"high", 100, 5, {1}, {2}}}; };
  EXPECT_THAT(changed(speed), ElementsAre("gpu/high/100")) << "fifteen calls instead of one";
  EXPECT_THAT(changed(speed, true), IsEmpty());
  const Change another_case = [&](Config& c) { gpu(c).cases[0].batch = 200; };
  EXPECT_THAT(changed(another_case), ElementsAre("gpu/high/200"));
  EXPECT_THAT(changed(another_case, true), ElementsAre("gpu/high/200", "gpu/low/100"))
      << "the emulated device checks the first case of a network more closely";
  EXPECT_EQ(changed([&](Config& c) { cpu(c).name = "host"; }).size(), 4u);
  // Whether a case has run by now.
  EXPECT_THAT(changed([&](Config& c) { cpu(c).fixed_shapes.run = RunWhen::at_deadline; }),
              ElementsAre("cpu/fixed"));
  EXPECT_THAT(changed([&](Config& c) { cpu(c).cases[1].run = RunWhen::at_deadline; }),
              ElementsAre("cpu/low/100"));
  EXPECT_THAT(changed([&](Config& c) { gpu(c).cases[0].run = RunWhen::at_deadline; }, true),
              ElementsAre("gpu/high/100", "gpu/low/100"))
      << "the emulated device then checks another case of the network more closely";
}

TEST(CasesAgain, OfAModelWithFilesOfTheCourseAlwaysRun) {
  for (std::string ModelConfig::*file : {&ModelConfig::network, &ModelConfig::weights}) {
    Config config = config_of(kTwoStages);
    config.models.at("low").*file = "/course/low";
    EXPECT_THAT(cases_again(config, config, false).changed,
                ElementsAre("cpu/low/100", "gpu/low/100"));
  }
}

/// A grade of kTwoStages in which every case passed and was timed.
Grade all_passed(Device device) {
  Grade grade;
  for (const StageConfig& stage : config_of(kTwoStages).stages) {
    StageReport& report = grade.stages.emplace_back();
    report.name = stage.name;
    report.device = device;
    for (const std::string& id : Selection(config_of(kTwoStages), {}).ids(stage)) {
      CaseReport& c = report.cases.emplace_back();
      c.id = id;
      c.outcome = Outcome::passed;
      if (case_of(stage, id).is_timed()) {
        describe_case(case_of(stage, id), c);
        c.calls.resize(1);
        c.calls[0].timed = true;
        c.calls[0].op_time = summarize({1, 1, 1});
      }
    }
  }
  return grade;
}

/// The ids that are taken of the stage `gpu`, after `before` was done to its cases.
std::vector<std::string> taken(Device device, const std::function<void(StageReport&)>& before,
                               const std::function<void(Config&)>& now, int calls = 3) {
  EarlierRun earlier{config_of(kTwoStages), all_passed(device)};
  earlier.config.timing.repetitions = calls;  // also without a rule
  Config config = earlier.config;
  now(config);
  before(earlier.grade.stages[1]);
  std::vector<std::string> ids;
  if (const auto stage = taken_stage(earlier, config, config.stages[1], device))
    for (const CaseReport& c : stage->cases) ids.push_back(c.id);
  return ids;
}

const auto kNewPoints = [](Config& c) { c.stages[1].random_shapes.points = 9; };

TEST(TakenStage, HasEachOpTimeThatPointsNeed) {
  const auto rule = [](Config& c) { c.stages[1].op_times = {{"high", 100, 5, {1}, {2}}}; };
  const auto ranking = [](Config& c) {
    c.ranking.emplace();
    c.ranking->stage = "gpu";
    c.ranking->model = "high";
    c.ranking->batch = 100;
  };
  const auto untimed = [](StageReport& s) {
    s.cases[1].calls[0].timed = false;
    s.cases[1].calls[0].op_time = {};
  };
  const auto too_slow = [&](StageReport& s) {
    untimed(s);
    s.cases[1].calls[0].too_slow = true;
  };
  const auto hopeless = [](StageReport& s) {
    for (CallReport& call : s.cases[1].calls) call.op_time = summarize({4.5});
  };
  const auto higher_limit = [](Config& c) { c.stages[1].op_times = {{"high", 100, 5, {1}, {20}}}; };
  const auto not_credible = [](StageReport& s) { s.cases[1].outcome = Outcome::not_credible; };
  const auto nothing = [](StageReport&) {};
  const auto all = ElementsAre("gpu/random", "gpu/high/100", "gpu/low/100");
  const auto others = ElementsAre("gpu/random", "gpu/low/100");
  EXPECT_THAT(taken(Device::cuda, nothing, rule), all);
  EXPECT_THAT(taken(Device::cuda, untimed, rule), others);
  EXPECT_THAT(taken(Device::cuda, untimed, ranking), others);
  EXPECT_THAT(taken(Device::cuda, untimed, kNewPoints), all) << "no rule asks for its time";
  EXPECT_THAT(taken(Device::cuda, too_slow, rule), all);
  EXPECT_THAT(taken(Device::cuda, hopeless, rule), all) << "beyond twice the limit still";
  EXPECT_THAT(taken(Device::cuda, hopeless, higher_limit), others) << "one call decides no points";
  EXPECT_THAT(taken(Device::cuda, hopeless, ranking), others) << "nor a rank";
  EXPECT_THAT(taken(Device::cuda, hopeless, kNewPoints), all) << "no rule asks for its time";
  // Of fifteen calls, of which a time far behind its class has three.
  const auto far = [](StageReport& s) {
    for (CallReport& call : s.cases[1].calls) call.op_time = summarize({4.5, 4.5, 4.5});
  };
  const auto ranked_rule = [&](Config& c) { ranking(c), rule(c); };
  const auto ranked_higher = [&](Config& c) { ranking(c), higher_limit(c); };
  EXPECT_THAT(taken(Device::cuda, far, ranking, 15), all) << "enough for a rank";
  EXPECT_THAT(taken(Device::cuda, far, ranked_rule, 15), all) << "no points left";
  EXPECT_THAT(taken(Device::cuda, far, ranked_higher, 15), others) << "points by three";
  EXPECT_THAT(taken(Device::cuda, not_credible, kNewPoints), others);
  EXPECT_THAT(taken(Device::emulated, untimed, rule), all) << "which has no Op Time";
}

// Points and what takes them are of the earlier rules.
TEST(TakenStage, IsNotScoredYet) {
  EarlierRun earlier{config_of(kTwoStages), all_passed(Device::cuda)};
  StageReport& before = earlier.grade.stages[1];
  before.points = {{.name = "a rule", .points = 3, .max_points = 3}};
  for (CaseReport& c : before.cases) {
    c.points = {{.name = "right outputs", .max_points = 1}};
    c.broken_rule = BrokenRule{why::ConstructForbidden{}};
  }
  const auto stage = taken_stage(earlier, earlier.config, earlier.config.stages[1], Device::cuda);
  ASSERT_TRUE(stage);
  EXPECT_TRUE(stage->points.empty());
  for (const CaseReport& c : stage->cases) {
    EXPECT_TRUE(c.points.empty()) << c.id;
    EXPECT_FALSE(c.broken_rule) << c.id;
  }
}

TEST(TakenStage, HasOnlyPassedCasesWhereOthersRunAgain) {
  const auto wrong = [](StageReport& s) { s.cases[0].outcome = Outcome::wrong_output; };
  EXPECT_THAT(taken(Device::cuda, wrong, kNewPoints),
              ElementsAre("gpu/random", "gpu/high/100", "gpu/low/100"));
  EXPECT_THAT(taken(Device::cuda, wrong, [](Config& c) { c.stages[1].cases[1].accuracy = 0.5; }),
              ElementsAre("gpu/high/100"));
}

TEST(TakenStage, OfTheEmulatedDeviceHasAllCasesOfNetworksOrNone) {
  const auto more_shapes = [](Config& c) { c.stages[1].random_shapes.count = 2; };
  EXPECT_THAT(taken(
                  Device::emulated, [](StageReport&) {}, more_shapes),
              ElementsAre("gpu/high/100", "gpu/low/100"));
  const auto crashed = [](StageReport& s) { s.cases[1].outcome = Outcome::crashed; };
  EXPECT_THAT(taken(Device::cuda, crashed, more_shapes), ElementsAre("gpu/low/100"));
  EXPECT_THAT(taken(Device::emulated, crashed, more_shapes), IsEmpty())
      << "the case that runs first is watched";
}

/// Counts what runs by the lines of the log.
class EarlierRuns : public testing::Test {
 protected:
  void SetUp() override {
    const auto support = SandboxSupport::detect();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
    ::chmod(folder.path().c_str(), 0755);
    hand_in("good");
  }

  void hand_in(const std::string& name) {
    fs::copy_file(
        fs::path(OPGRADE_SOURCE_DIR) / "tests/corpus/submissions" / name / "cpu-new-forward.cc",
        folder.path() / "cpu-new-forward.cc", fs::copy_options::overwrite_existing);
  }

  /// Random and fixed shapes of the CPU: they need no network and no data.
  static Config shapes() {
    Config config = config_of(kTwoStages);
    config.stages.pop_back();
    config.stages[0].cases.clear();
    config.models.clear();
    return config;
  }

  Grade grade(const Config& config, const std::optional<EarlierRun>& earlier = std::nullopt,
              std::uint64_t seed = 7, const std::optional<Grade>& finished = std::nullopt) {
    ran.clear();
    builds = 0;
    GraderOptions options;
    options.config_argument = "earlier";
    options.seed = seed;
    options.for_class = true;
    options.keep_finished = keep_finished;
    options.listen = [&](const Event& event) {
      if (const auto* started = std::get_if<events::CaseStarted>(&event))
        ran.push_back(started->id);
      builds += std::holds_alternative<events::BuildStarted>(event);
    };
    return Grader(config, options).grade(folder.path(), "one", earlier, finished);
  }

  /// Grades until `cases` are finished; gives what an interrupt would leave.
  std::optional<Grade> interrupted_after(const Config& config, std::size_t cases) {
    std::optional<Grade> left;
    keep_finished = [&](const Grade& finished) {
      if (finished.stages.back().cases.size() == cases) left = stored(config, finished).grade;
    };
    grade(config);
    keep_finished = nullptr;
    return left;
  }

  /// As it comes out of a course's results.
  static EarlierRun stored(const Config& config, const Grade& made) {
    const report::Exporter& json = report::exporter("json");
    return {config, report::grade_from_json(json.write(made, {json.audience}))};
  }

  TempDir folder{"opgrade-test-"};
  std::vector<std::string> ran;
  int builds = 0;
  std::function<void(const Grade&)> keep_finished;
};

TEST_F(EarlierRuns, AnInterruptedRunGoesOnAtItsNextCase) {
  for (const char* submission : {"good", "wrong_constant"}) {
    SCOPED_TRACE(submission);
    hand_in(submission);
    const Config config = shapes();
    const Grade whole = grade(config);
    const auto left = interrupted_after(config, 1);
    ASSERT_TRUE(left);
    const Grade after = grade(config, std::nullopt, 7, left);
    EXPECT_THAT(ran, ElementsAre("cpu/fixed"));
    EXPECT_EQ(after.points, whole.points);
    EXPECT_EQ(after.outcome, whole.outcome);
    ASSERT_EQ(after.stages[0].cases.size(), 2U);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(after.stages[0].cases[i].outcome, whole.stages[0].cases[i].outcome);
      EXPECT_EQ(after.stages[0].cases[i].reason, whole.stages[0].cases[i].reason);
    }
    grade(config, std::nullopt, 7, interrupted_after(config, 2));
    EXPECT_THAT(ran, IsEmpty()) << "it was interrupted after its last case";
  }
}

TEST_F(EarlierRuns, AnInterruptedRunOfAnotherKindBeginsAnew) {
  Config config = shapes();
  const auto left = interrupted_after(config, 1);
  ASSERT_TRUE(left);
  grade(config, std::nullopt, 8, left);
  EXPECT_THAT(ran, ElementsAre("cpu/random", "cpu/fixed")) << "other random inputs";
  hand_in("wrong_constant");
  grade(config, std::nullopt, 7, left);
  EXPECT_THAT(ran, ElementsAre("cpu/random", "cpu/fixed")) << "other files";
  hand_in("good");
  config.stages[0].random_shapes.points = 5;
  grade(config, std::nullopt, 7, left);
  EXPECT_THAT(ran, ElementsAre("cpu/random", "cpu/fixed")) << "another config";
}

TEST_F(EarlierRuns, NewPointsAloneRunNothing) {
  for (const char* submission : {"good", "wrong_constant", "not_compiling"}) {
    SCOPED_TRACE(submission);
    hand_in(submission);
    Config config = shapes();
    const Grade before = grade(config);
    if (submission == std::string("good")) {
      EXPECT_THAT(ran, ElementsAre("cpu/random", "cpu/fixed"));
    }
    const EarlierRun earlier = stored(config, before);
    config.stages[0].fixed_shapes.points = 40;
    const Grade after = grade(config, earlier);
    EXPECT_THAT(ran, IsEmpty());
    EXPECT_EQ(builds, 0);
    EXPECT_EQ(after.max_points, 41);
    EXPECT_EQ(after.points, before.points == 2 ? 41 : 0);
    EXPECT_EQ(after.outcome, before.outcome);
    EXPECT_EQ(after.config_sha256, Grader(config, {}).config_sha256());
    ASSERT_EQ(after.stages[0].cases.size(), 2U);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(after.stages[0].cases[i].id, before.stages[0].cases[i].id);
      EXPECT_EQ(after.stages[0].cases[i].reason, before.stages[0].cases[i].reason);
      EXPECT_EQ(after.stages[0].cases[i].points.size(), 1U);
    }
    EXPECT_THAT(after.notes, testing::Contains(testing::ResultOf(
                                 [](const Note& note) { return report::sentence_of(note); },
                                 testing::HasSubstr("2 of 2 cases were not run"))));
  }
}

TEST_F(EarlierRuns, OnlyTheCaseThatChangedRuns) {
  Config config = shapes();
  EarlierRun earlier = stored(config, grade(config));
  config.stages[0].fixed_shapes.shapes[0] = {{"B", 2}, {"M", 2}, {"C", 1},
                                             {"H", 8}, {"W", 8}, {"K", 3}};
  Grade after = grade(config, earlier);
  EXPECT_THAT(ran, ElementsAre("cpu/fixed"));
  EXPECT_EQ(builds, 1);
  EXPECT_EQ(after.points, 2);
  ASSERT_EQ(after.stages[0].cases.size(), 2U);
  EXPECT_EQ(after.stages[0].cases[0].id, "cpu/random");
  EXPECT_EQ(after.stages[0].cases[1].id, "cpu/fixed");
  // What crashed may be the work of a neighbour.
  earlier.grade.stages[0].cases[0].outcome = Outcome::crashed;
  after = grade(config, earlier);
  EXPECT_THAT(ran, ElementsAre("cpu/random", "cpu/fixed"));
  EXPECT_EQ(after.points, 2);
}

TEST_F(EarlierRuns, InDoubtEverythingRuns) {
  Config config = shapes();
  const EarlierRun before = stored(config, grade(config));
  config.stages[0].random_shapes.points = 5;
  const std::vector<std::function<void(Grade&)>> doubts{
      [](Grade& g) { g.machine.opgrade_version += "x"; },
      [](Grade& g) { g.machine.host_cpu = "other"; },
      [](Grade& g) { g.machine.compiler = "other"; },
      [](Grade& g) { g.machine.sandbox = "other"; },
      [](Grade& g) { g.submission_sha256[0] ^= 1; },
      [](Grade& g) { g.submission_sha256.clear(); },
      [](Grade& g) { *g.seed += 1; },
      [](Grade& g) { g.stages[0].device = Device::emulated; }};
  for (const auto& doubt : doubts) {
    EarlierRun earlier = before;
    doubt(earlier.grade);
    const Grade after = grade(config, earlier);
    EXPECT_THAT(ran, ElementsAre("cpu/random", "cpu/fixed"));
    EXPECT_EQ(after.points, 6);
  }
  EarlierRun fault = before;
  fault.grade.stages[0].cases[1].outcome = Outcome::grader_fault;
  grade(config, fault);
  EXPECT_THAT(ran, ElementsAre("cpu/fixed"));
}

}  // namespace
}  // namespace opgrade
