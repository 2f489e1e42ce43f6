// Grading by Slurm's job arrays, over a cluster that the test plays: every end that a task can
// have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "grader/core/error.hpp"
#include "grader/course/rejudge.hpp"
#include "grader/course/slurm_executor.hpp"
#include "grader/course/slurm_fields.hpp"
#include "grader/course/verify.hpp"
#include "grader/process/interrupt.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/record_schema.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Each task ends as `fate` says when it is asked for, at once.
struct FakeCluster {
  std::function<std::string(const SlurmRun& run, int batch)> fate;
  std::vector<std::vector<std::string>> submitted;
  std::vector<SlurmTask> known;
  std::vector<std::string> cancelled;
  int silent = 0;  ///< that many questions get no answer
  int deaf = 0;    ///< that many arrays are not taken, without an answer
  int mute = 0;    ///< that many arrays are taken, without an answer

  static std::string grade_all(const SlurmRun& run, int batch) {
    run_batch(run, batch, test::grade_by_content);
    return "COMPLETED";
  }
  std::string submit(const std::vector<std::string>& arguments) {
    submitted.push_back(arguments);
    const std::string id = std::to_string(100 + submitted.size());
    const fs::path script = arguments[arguments.size() - 2];
    const int first = std::stoi(arguments.back());
    int count = 0;
    std::string name;
    for (const auto& a : arguments) {
      if (a.starts_with("--array=0-")) count = std::stoi(a.substr(10)) + 1;
      if (a.starts_with("--job-name=")) name = a.substr(11);
    }
    const SlurmRun run = SlurmRun::open(script.parent_path());
    for (int i = 0; i < count; ++i)
      known.push_back({id, i, name, fate(run, first + i), "n1", "None"});
    return id;
  }
  Slurm commands() {
    return {[this](const auto& arguments) -> std::optional<std::string> {
              if (deaf-- > 0) return std::nullopt;
              std::string id = submit(arguments);
              if (mute-- > 0) return std::nullopt;
              return id;
            },
            [this]() -> std::optional<std::vector<SlurmTask>> {
              if (silent-- > 0) return std::nullopt;
              return known;
            },
            [this](const auto& arrays) {
              cancelled.insert(cancelled.end(), arrays.begin(), arrays.end());
              return true;
            }};
  }
};

class OnSlurm : public testing::Test {
 protected:
  OnSlurm() {
    cluster.fate = FakeCluster::grade_all;
    for (int i = 10; i < 20; ++i)  // m2 grades all submissions
      test::hand_in(folder, store, "m2", "ada", "2026-10-12T10:00:" + std::to_string(i) + "Z",
                    std::to_string(i));
  }
  CourseRun grade(bool resume_only = false) {
    SlurmExecutor executor = executor_with(cluster.commands(), resume_only);
    return grade_assignment(folder, store, *folder.course.find("m2"), test::wanted_grading(),
                            executor);
  }
  SlurmExecutor executor_with(const Slurm& commands, bool resume_only = false) {
    SlurmSettings settings;
    settings.shared = shared.path();
    settings.batch = 4;
    settings.poll = std::chrono::milliseconds(1);
    SlurmOptions options{
        settings, {place.path().string(), "opgrade: 1", {}, {}, "true"}, resume_only};
    options.log = [this](const auto& line) { log.push_back(line); };
    return {commands, options};
  }
  /// The collector ends after it submitted its arrays, as a kill would end it.
  void submit_and_die(const CourseGrading& grading) {
    struct Killed {};
    Slurm commands = cluster.commands();
    commands.tasks = []() -> std::optional<std::vector<SlurmTask>> { throw Killed{}; };
    SlurmExecutor executor = executor_with(commands);
    EXPECT_THROW(grade_assignment(folder, store, *folder.course.find("m2"), grading, executor),
                 Killed);
  }
  /// Each running task does its work.
  void end_all() {
    for (const auto& path : runs()) {
      const SlurmRun run = SlurmRun::open(path);
      for (std::size_t batch = 0; batch < run.batches().size(); ++batch)
        FakeCluster::grade_all(run, static_cast<int>(batch));
    }
    for (SlurmTask& task : cluster.known) task.state = "COMPLETED";
  }
  /// Number of gradings of each submission.
  std::map<std::int64_t, int> gradings() const {
    std::map<std::int64_t, int> count;
    for (const auto& a : store.attempts())
      if (a.outcome != Outcome::grader_fault) ++count[a.submission];
    return count;
  }
  void expect_each_once() const {
    EXPECT_THAT(gradings(), SizeIs(10));
    for (const auto& [submission, count] : gradings()) EXPECT_EQ(count, 1) << submission;
    EXPECT_THAT(verify(folder, store), IsEmpty());
  }
  /// In a process of its own, because an interrupt is for ever. Its exit code is 0 where all went
  /// as told.
  [[noreturn]] void interrupted(bool yes) {
    interrupt::install();
    cluster.fate = [](const SlurmRun& run, int batch) {
      if (batch == 0) FakeCluster::grade_all(run, batch);
      return "RUNNING";
    };
    Slurm commands = cluster.commands();
    const auto submit = commands.submit;
    commands.submit = [&](const auto& arguments) {
      const auto id = submit(arguments);
      ::raise(SIGTERM);
      return id;
    };
    SlurmSettings settings;
    settings.shared = shared.path();
    settings.batch = 4;
    std::size_t asked = 0;
    SlurmExecutor executor(commands, {settings,
                                      {place.path().string(), "opgrade: 1", {}, {}, "true"},
                                      false,
                                      [&](std::size_t tasks) {
                                        asked = tasks;
                                        return yes;
                                      }});
    try {
      grade_assignment(folder, store, *folder.course.find("m2"), test::wanted_grading(), executor);
    } catch (const interrupt::Interrupted&) {
      const bool told =
          cluster.cancelled == (yes ? std::vector<std::string>{"101"} : std::vector<std::string>{});
      ::_exit(asked == 3 && told && runs().size() == (yes ? 0u : 1u) ? 0 : 1);
    }
    ::_exit(2);
  }
  std::vector<fs::path> runs() const {
    std::vector<fs::path> all;
    for (const auto& run : SlurmRun::unfinished(shared.path())) all.push_back(run.folder());
    return all;
  }

  const TempDir place{"opgrade-test-"}, shared{"opgrade-test-"};
  const CourseFolder folder = test::make_course(place.path());
  Store store = Store::create(place.path());
  FakeCluster cluster;
  std::vector<std::string> log;
};

TEST_F(OnSlurm, GradesInBatchesAndLeavesNothingInTheSharedFolder) {
  const CourseRun run = grade();
  EXPECT_EQ(run.graded, 10u);
  EXPECT_THAT(run.undone, IsEmpty());
  ASSERT_THAT(cluster.submitted, SizeIs(1));
  EXPECT_THAT(cluster.submitted[0], Contains("--array=0-2"));
  EXPECT_THAT(cluster.submitted[0], Contains("--export=NONE"));
  expect_each_once();
  EXPECT_TRUE(fs::is_empty(shared.path() / "runs"));
  EXPECT_EQ(grade().graded, 0u);
}

const fs::path kRunSchemaFile = OPGRADE_SOURCE_DIR "/grader/course/slurm-run.schema.json";
const fs::path kBatchSchemaFile = OPGRADE_SOURCE_DIR "/grader/course/slurm-batch.schema.json";

TEST(SlurmSchema, IsThatOfTheFields) {
  using opgrade::test::expect_golden;
  using opgrade::test::record_schema;
  expect_golden(kRunSchemaFile, record_schema<RunFile>(kRunSchema));
  expect_golden(kBatchSchemaFile, record_schema<BatchFile>(kBatchSchema));
}

TEST_F(OnSlurm, TheFilesOfARunFitTheirSchemas) {
  cluster.fate = [](const SlurmRun& run, int batch) {
    const auto expect_fit = [](const fs::path& file, const fs::path& schema, const char* version) {
      const auto json = nlohmann::json::parse(opgrade::test::read_text(file));
      EXPECT_EQ(json["schema"], version);
      opgrade::test::SchemaValidator validator(
          nlohmann::json::parse(opgrade::test::read_text(schema)));
      EXPECT_EQ(validator.check(json), std::vector<std::string>{}) << file;
    };
    expect_fit(run.folder() / "run.json", kRunSchemaFile, kRunSchema);
    expect_fit(run.folder() / "batches/000000.json", kBatchSchemaFile, kBatchSchema);
    return FakeCluster::grade_all(run, batch);
  };
  EXPECT_EQ(grade().graded, 10u);
}

TEST_F(OnSlurm, AFailedNodeIsTriedAgain) {
  int failures = 0;
  cluster.fate = [&](const SlurmRun& run, int batch) {
    if (batch > 2) return FakeCluster::grade_all(run, batch);
    // It had graded one submission, and was in the middle of the next.
    const std::size_t first = run.batches()[static_cast<std::size_t>(batch)].jobs[0];
    run_job(run.jobs()[first], test::grade_by_content);
    run.mark_begun(batch, first + 1);
    return std::string(++failures % 2 == 0 ? "NODE_FAIL" : "PREEMPTED");
  };
  const CourseRun run = grade();
  EXPECT_EQ(failures, 3);
  EXPECT_EQ(run.graded, 10u);
  EXPECT_EQ(run.faults, 0u);
  expect_each_once();
}

TEST_F(OnSlurm, AMachineThatAlwaysFailsEndsAfterTheRetries) {
  cluster.fate = [](const SlurmRun&, int) { return "BOOT_FAIL"; };
  const CourseRun run = grade();
  EXPECT_EQ(run.graded, 0u);
  ASSERT_THAT(run.undone, SizeIs(10));
  EXPECT_THAT(run.undone[0].why, HasSubstr("BOOT_FAIL, after 3 tries"));
  EXPECT_THAT(cluster.submitted, SizeIs(3));
  cluster.fate = FakeCluster::grade_all;
  EXPECT_EQ(grade().graded, 10u) << "the next call grades them";
  expect_each_once();
}

TEST_F(OnSlurm, ATasksOwnEndIsAFaultOfTheSubmissionInWorkAlone) {
  bool first = true;
  cluster.fate = [&](const SlurmRun& run, int batch) {
    if (!first) return FakeCluster::grade_all(run, batch);
    first = false;
    run.mark_begun(batch, run.batches()[static_cast<std::size_t>(batch)].jobs[0]);
    return std::string("OUT_OF_MEMORY");
  };
  CourseRun run = grade();
  EXPECT_EQ(run.graded, 10u);
  EXPECT_EQ(run.faults, 1u);
  EXPECT_THAT(run.undone, IsEmpty());
  EXPECT_THAT(gradings(), SizeIs(9)) << "the batch's other submissions were graded";
  run = grade();
  EXPECT_EQ(run.graded, 1u);
  EXPECT_EQ(run.faults, 0u);
  expect_each_once();
}

TEST_F(OnSlurm, ATaskThatBeganNothingTellsItsLog) {
  cluster.fate = [&](const SlurmRun& run, int) {
    test::write_text(run.log_of("101", 0), "opgrade: no sandbox here");
    return "FAILED";
  };
  const CourseRun run = grade();
  ASSERT_THAT(run.undone, SizeIs(10));
  EXPECT_THAT(run.undone[0].why, HasSubstr("no sandbox here"));
}

TEST_F(OnSlurm, ACancelledTaskIsTold) {
  cluster.fate = [&](const SlurmRun& run, int batch) {
    return batch == 1 ? "CANCELLED" : FakeCluster::grade_all(run, batch);
  };
  const CourseRun run = grade();
  EXPECT_EQ(run.graded, 6u);
  ASSERT_THAT(run.undone, SizeIs(4));
  EXPECT_THAT(run.undone[0].why, HasSubstr("101_1 on n1: CANCELLED"));
}

/// The collector ends after some results, as a kill would end it.
TEST_F(OnSlurm, ALaterCallCollectsWhatAnEarlierOneSubmitted) {
  struct Killed {};
  Slurm commands = cluster.commands();
  const auto submit = commands.submit;
  commands.submit = [&](const auto& arguments) -> std::optional<std::string> {
    submit(arguments);
    throw Killed{};
  };
  SlurmSettings settings;
  settings.shared = shared.path();
  settings.batch = 4;
  SlurmExecutor executor(commands,
                         {settings, {place.path().string(), "opgrade: 1", {}, {}, "true"}});
  EXPECT_THROW(
      grade_assignment(folder, store, *folder.course.find("m2"), test::wanted_grading(), executor),
      Killed);
  EXPECT_THAT(runs(), SizeIs(1));
  const CourseRun run = grade(true);
  EXPECT_EQ(run.graded, 10u);
  EXPECT_THAT(cluster.submitted, SizeIs(1)) << "nothing was submitted again";
  expect_each_once();
  EXPECT_THAT(runs(), IsEmpty());
}

TEST_F(OnSlurm, ResumeAloneSubmitsNothing) {
  const CourseRun run = grade(true);
  EXPECT_THAT(cluster.submitted, IsEmpty());
  EXPECT_THAT(run.undone, SizeIs(10));
}

TEST_F(OnSlurm, ArraysForAnotherConfigAreCancelled) {
  cluster.fate = [](const SlurmRun&, int) { return "PENDING"; };
  submit_and_die(test::wanted_grading(std::string(64, 'd')));
  cluster.fate = FakeCluster::grade_all;
  EXPECT_EQ(grade().graded, 10u);
  EXPECT_THAT(cluster.cancelled, ElementsAre("101"));
  expect_each_once();
}

TEST_F(OnSlurm, WhileSlurmIsSilentItWaitsAndSaysSo) {
  cluster.silent = 5;
  EXPECT_EQ(grade().graded, 10u);
  EXPECT_THAT(cluster.submitted, SizeIs(1));
  expect_each_once();

  cluster.silent = 2;
  cluster.fate = [](const SlurmRun&, int) { return "PENDING"; };
  submit_and_die(test::wanted_grading(std::string(64, 'd')));
  cluster.silent = 2;
  EXPECT_EQ(grade().graded, 0u);
  EXPECT_THAT(cluster.cancelled, ElementsAre("102")) << "asked until it answered";
  EXPECT_THAT(runs(), IsEmpty());
  EXPECT_THAT(log, Contains(HasSubstr("squeue does not answer")));
  EXPECT_THAT(log, Contains(HasSubstr("answers again")));
}

TEST_F(OnSlurm, AnArrayThatSlurmDidNotConfirmIsSubmittedOnce) {
  cluster.deaf = 3;
  EXPECT_EQ(grade().graded, 10u);
  EXPECT_THAT(cluster.submitted, SizeIs(1));
  expect_each_once();
  for (int i = 20; i < 30; ++i)
    test::hand_in(folder, store, "m2", "bob", "2026-10-12T10:00:" + std::to_string(i) + "Z",
                  std::to_string(i));
  cluster.mute = 1;
  EXPECT_EQ(grade().graded, 10u);
  EXPECT_THAT(cluster.submitted, SizeIs(2)) << "squeue shows it: sbatch's answer alone was lost";
}

TEST_F(OnSlurm, AnErrorDuringSlurmsSilenceLeavesTheTasksToTheNextCall) {
  cluster.fate = [](const SlurmRun& run, int batch) {
    if (batch == 0) FakeCluster::grade_all(run, batch);
    return "RUNNING";
  };
  cluster.silent = 1000;
  CourseOptions full_disk;
  full_disk.progress = [](const CourseProgress&) { throw Error("the disk is full", "free some"); };
  SlurmExecutor executor = executor_with(cluster.commands());
  EXPECT_THROW(grade_assignment(folder, store, *folder.course.find("m2"), test::wanted_grading(),
                                executor, full_disk),
               Error);
  EXPECT_THAT(runs(), SizeIs(1)) << "its tasks go on";
  EXPECT_THAT(log, Contains(HasSubstr("Slurm's tasks go on; repeat the command")));
  cluster.silent = 0;
  end_all();
  EXPECT_EQ(grade().graded, 9u) << "the first was recorded";
  EXPECT_THAT(cluster.submitted, SizeIs(1)) << "nothing was submitted again";
  expect_each_once();
}

TEST_F(OnSlurm, RejudgesOfOneAssignmentLeaveEachOtherAlone) {
  grade();
  const auto begin = [&] {
    return begin_rejudge(folder, store, *folder.course.find("m2"), test::wanted_grading(),
                         {{}, "self-check", 1, "staff", "a new driver"});
  };
  const Rejudge first = begin(), second = begin();
  cluster.fate = [](const SlurmRun&, int) { return "RUNNING"; };
  Slurm commands = cluster.commands();
  struct Killed {};
  commands.tasks = []() -> std::optional<std::vector<SlurmTask>> { throw Killed{}; };
  SlurmExecutor killed = executor_with(commands);
  EXPECT_THROW(run_rejudge(folder, store, first, test::wanted_grading(), killed), Killed);
  cluster.fate = FakeCluster::grade_all;
  SlurmExecutor executor = executor_with(cluster.commands());
  EXPECT_EQ(run_rejudge(folder, store, second, test::wanted_grading(), executor).graded, 10u);
  EXPECT_EQ(grade().graded, 0u);
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  EXPECT_THAT(runs(), SizeIs(1)) << "the first one's tasks run";
  end_all();
  EXPECT_EQ(run_rejudge(folder, store, first, test::wanted_grading(), executor).graded, 10u);
  EXPECT_THAT(cluster.submitted, SizeIs(3));
}

TEST_F(OnSlurm, ACancelledRejudgeEndsItsTasksAlone) {
  grade();
  Assignment assignment = *folder.course.find("m2");
  assignment.slurm.shared = shared.path();
  struct Killed {};
  cluster.fate = [](const SlurmRun&, int) { return "RUNNING"; };
  Slurm commands = cluster.commands();
  commands.tasks = []() -> std::optional<std::vector<SlurmTask>> { throw Killed{}; };
  SlurmExecutor killed = executor_with(commands);
  std::vector<Rejudge> begun;
  for (const char* reason : {"first", "second"}) {
    begun.push_back(begin_rejudge(folder, store, assignment, test::wanted_grading(),
                                  {{}, "self-check", 1, "staff", reason}));
    EXPECT_THROW(run_rejudge(folder, store, begun.back(), test::wanted_grading(), killed), Killed);
  }
  ASSERT_THAT(runs(), SizeIs(2));
  const auto slurm = [&] { return cluster.commands(); };
  cluster.silent = 1;
  EXPECT_THROW(cancel_tasks(folder, assignment, begun[0], slurm), Error);
  EXPECT_THAT(runs(), SizeIs(2));
  cancel_tasks(folder, assignment, begun[0], slurm);
  EXPECT_THAT(cluster.cancelled, ElementsAre("102")) << "the array of the first rejudge";
  ASSERT_THAT(runs(), SizeIs(1));
  EXPECT_THAT(runs()[0].filename().string(), testing::StartsWith("m2.rejudge-2-"));
  cancel_tasks(folder, assignment, begun[0],
               []() -> Slurm { throw Error("a machine without Slurm has no tasks", ""); });
}

/// Cancels what the collector of the test grades, as another process would.
class CancelledBesideTheCollector : public OnSlurm {
 protected:
  /// `asked`: whether Slurm was asked for its tasks.
  void cancel(std::atomic<bool>* asked = nullptr) {
    Slurm commands = cluster.commands();
    const auto tasks = commands.tasks;
    commands.tasks = [=] {
      if (asked != nullptr) *asked = true;
      return tasks();
    };
    cancel_runs(shared.path(), place.path().string(), runs_purpose(), [&] { return commands; });
  }
  std::string runs_purpose() const {
    const auto all = SlurmRun::unfinished(shared.path());
    return all.empty() ? "" : all.front().purpose();
  }
  CourseRun grade_with(const Slurm& commands) {
    SlurmExecutor executor = executor_with(commands);
    return grade_assignment(folder, store, *folder.course.find("m2"), test::wanted_grading(),
                            executor);
  }
};

/// True where a process waits for a lock that another one has.
bool is_waiting_for_a_lock() {
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);)
    if (line.find("-> FLOCK") != line.npos && line.find(std::to_string(::getpid())) != line.npos)
      return true;
  return false;
}

TEST_F(CancelledBesideTheCollector, AnArrayThatIsBeingSubmittedIsCancelledToo) {
  cluster.fate = [](const SlurmRun&, int) { return "RUNNING"; };
  std::atomic<bool> asked = false;
  std::future<void> cancelling;
  Slurm commands = cluster.commands();
  const auto submit = commands.submit;
  commands.submit = [&](const auto& arguments) {
    cancelling = std::async(std::launch::async, [&] { cancel(&asked); });
    // sbatch is on its way: either the other waits for it, or has asked Slurm too early.
    while (!asked && !is_waiting_for_a_lock()) std::this_thread::yield();
    return submit(arguments);
  };
  commands.tasks = [&] {
    cancelling.wait();
    for (SlurmTask& task : cluster.known)
      if (std::ranges::count(cluster.cancelled, task.array) > 0) task.state = "CANCELLED";
    // Else the collector would wait for them for ever.
    if (cluster.cancelled.empty()) end_all();
    return std::optional(cluster.known);
  };
  grade_with(commands);
  cancelling.get();
  EXPECT_THAT(cluster.cancelled, ElementsAre("101"));
  EXPECT_THAT(gradings(), IsEmpty());
}

TEST_F(CancelledBesideTheCollector, NothingIsSubmittedAfterwards) {
  cluster.fate = [](const SlurmRun&, int) { return "NODE_FAIL"; };
  Slurm commands = cluster.commands();
  const auto tasks = commands.tasks;
  commands.tasks = [&] {
    if (cluster.submitted.size() == 1 && !runs().empty()) cancel();
    cluster.fate = FakeCluster::grade_all;
    return tasks();
  };
  const CourseRun run = grade_with(commands);
  EXPECT_THAT(cluster.submitted, SizeIs(1));
  ASSERT_THAT(run.undone, SizeIs(10));
  EXPECT_THAT(run.undone.front().why, HasSubstr("cancelled"));
  EXPECT_EQ(grade().graded, 10u);
  expect_each_once();
}

// sbatch may outlive a killed collector, and Slurm may take an array without an answer.
TEST_F(CancelledBesideTheCollector, ATaskThatBeginsAfterwardsGradesNothing) {
  submit_and_die(test::wanted_grading());
  ASSERT_THAT(runs(), SizeIs(1));
  const SlurmRun run = SlurmRun::open(runs().front());
  fs::remove_all(run.folder() / "results");
  cancel();
  run_batch(run, 0, [](const auto&, const auto&) -> Grade {
    ADD_FAILURE() << "graded";
    return {};
  });
}

TEST_F(OnSlurm, ACourseHasOneNameHoweverItsPathIsWritten) {
  const std::string name = course_name(place.path());
  EXPECT_EQ(name, place.path().string());
  EXPECT_EQ(course_name(place.path() / ""), name) << "with a slash at its end";
  EXPECT_EQ(course_name(place.path() / kSubmissions / ".."), name);
}

TEST_F(OnSlurm, AnInterruptAsksAndCancels) {
  EXPECT_EXIT(interrupted(true), testing::ExitedWithCode(0), "");
}

TEST_F(OnSlurm, AnInterruptLeavesTheTasksWhereStaffWantsThem) {
  EXPECT_EXIT(interrupted(false), testing::ExitedWithCode(0), "");
}

TEST_F(OnSlurm, AResultThatIsThereIsNotGradedAgain) {
  int graded = 0;
  cluster.fate = [&](const SlurmRun& run, int batch) {
    const auto count = [&](const auto& file, const auto& name) {
      ++graded;
      return test::grade_by_content(file, name);
    };
    run_batch(run, batch, count);
    run_batch(run, batch, count);  // as Slurm's own requeue starts it again
    return "COMPLETED";
  };
  grade();
  EXPECT_EQ(graded, 10);
}

TEST(SlurmSettings, BecomeOptionsOfSbatch) {
  const auto loaded = parse_course(R"(opgrade_course: 1
title: T
time_zone: UTC
executor: slurm
slurm: {shared: /nfs/gpu, partition: gpuA40x4, account: ece, gpus: a40:1, constraint: projects, time: 90 min, at_once: 20}
assignments:
  - {name: m1, config: c, deadline: 2026-10-12 12:00}
  - {name: m2, config: c, deadline: 2026-10-12 12:00, slurm: {exclusive: true, gpus: h200:1, constraint: ''}}
  - {name: m3, config: c, deadline: 2026-10-12 12:00, executor: local}
)",
                                   "course.yaml");
  EXPECT_EQ(to_text(loaded.problems), "");
  const auto& all = loaded.course.assignments;
  EXPECT_THAT(sbatch_options(all[0].slurm),
              ElementsAre("--partition=gpuA40x4", "--account=ece", "--constraint=projects",
                          "--gpus-per-node=a40:1", "--time=1:30:00"));
  EXPECT_THAT(sbatch_options(all[1].slurm),
              ElementsAre("--partition=gpuA40x4", "--account=ece", "--gpus-per-node=h200:1",
                          "--exclusive", "--time=1:30:00", "--mem=0"));
  EXPECT_TRUE(all[1].on_slurm);
  EXPECT_FALSE(all[2].on_slurm);
}

TEST(SlurmSettings, ProblemsAreNamed) {
  const auto loaded = parse_course(R"(opgrade_course: 1
title: T
time_zone: UTC
slurm: {shared: nfs, time: soon, batsh: 2}
assignments:
  - {name: m1, config: c, deadline: 2026-10-12 12:00, executor: pbs}
)",
                                   "course.yaml");
  const std::string text = to_text(loaded.problems);
  EXPECT_THAT(text, HasSubstr("'shared' must be a path from /"));
  EXPECT_THAT(text, HasSubstr("'time' must be a time with its unit"));
  EXPECT_THAT(text, HasSubstr("batsh"));
  EXPECT_THAT(text, HasSubstr("'executor' must be local or slurm, not 'pbs'"));
}

TEST(Sbatch, SilenceIsNoRefusal) {
  EXPECT_TRUE(
      is_silence("sbatch: error: Batch job submission failed: Unable to contact slurm "
                 "controller (connect failure)\n"));
  EXPECT_TRUE(
      is_silence("sbatch: error: Batch job submission failed: Socket timed out on "
                 "send/recv operation\n"));
  EXPECT_FALSE(is_silence("sbatch: error: invalid partition specified: gpu\n"));
}

TEST(Squeue, LinesAreReadAndOthersLeftOut) {
  const auto tasks = parse_squeue(
      "17|0|opgrade.m1-00ff.8|RUNNING|n1|None\nslurm_load_jobs error\n18|N/A|shell|RUNNING|n1|x\n"
      "19|12|opgrade.m1-00ff.0|PENDING||Resources\n");
  ASSERT_THAT(tasks, SizeIs(2));
  EXPECT_EQ(tasks[0].name, "opgrade.m1-00ff.8");
  EXPECT_EQ(tasks[1].index, 12);
  EXPECT_EQ(tasks[1].reason, "Resources");
  EXPECT_EQ(task_end("COMPLETING"), TaskEnd::alive);
  EXPECT_EQ(task_end("NODE_FAIL"), TaskEnd::machine);
  EXPECT_EQ(task_end("OUT_OF_MEMORY"), TaskEnd::ended);
}

}  // namespace
}  // namespace opgrade::course
