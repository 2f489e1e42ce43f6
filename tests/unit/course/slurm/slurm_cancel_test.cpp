// Arrays that are cancelled: for another config, with a rejudge, by an interrupt, and beside the
// collector that submits them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include "grader/base/core/error.hpp"
#include "grader/course/gradings/rejudge.hpp"
#include "tests/unit/course/slurm/slurm_fixture.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using test::FakeCluster;
using test::OnSlurm;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(OnSlurm, ArraysForAnotherConfigAreCancelled) {
  cluster.fate = [](const SlurmRun&, int) { return "PENDING"; };
  submit_and_die(test::wanted_grading(std::string(64, 'd')));
  cluster.fate = FakeCluster::grade_all;
  EXPECT_EQ(grade().graded, 10u);
  EXPECT_THAT(cluster.cancelled, ElementsAre("101"));
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
  CourseFolder on_cluster = folder;
  for (Assignment& a : on_cluster.course.assignments) a.slurm.shared = shared.path();
  const Assignment& assignment = *on_cluster.course.find("m2");
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
  const auto cancel = [&](const std::function<Slurm()>& by) {
    decide(on_cluster, store, begun[0], false, this_second(), "staff", by);
  };
  EXPECT_THROW(cancel(slurm), Error);
  EXPECT_THAT(runs(), SizeIs(2));
  cancel(slurm);
  EXPECT_THAT(cluster.cancelled, ElementsAre("102")) << "the array of the first rejudge";
  ASSERT_THAT(runs(), SizeIs(1));
  EXPECT_THAT(runs()[0].filename().string(), testing::StartsWith("m2.rejudge-2-"));
  EXPECT_THROW(cancel([]() -> Slurm { throw Error("a machine without Slurm has no tasks", ""); }),
               UsageError)
      << "it is decided";
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
    const std::string its = runs_purpose();
    cancel_runs(
        shared.path(), place.path().string(),
        [&](const std::string& purpose) { return purpose == its; }, [&] { return commands; });
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
  run_batch(run, 0, [](const auto&, const auto&, GradedAt) -> Grade {
    ADD_FAILURE() << "graded";
    return {};
  });
}

class WhatAKilledWorkerLeft : public OnSlurm {
 protected:
  void remove(const std::string& over) {
    remove_runs(
        shared.path(), place.path().string(),
        [&](const std::string& purpose) { return purpose == over; },
        [&] { return cluster.commands(); });
  }
  std::size_t folders() const { return SlurmRun::all(shared.path()).size(); }
};

TEST_F(WhatAKilledWorkerLeft, GoesWithItsLastTask) {
  cluster.fate = [](const SlurmRun&, int) { return "RUNNING"; };
  submit_and_die(test::wanted_grading());
  ASSERT_THAT(runs(), SizeIs(1));
  const SlurmRun run = SlurmRun::open(runs().front());
  remove("another");
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  remove(run.purpose());
  EXPECT_THAT(cluster.cancelled, ElementsAre("101"));
  EXPECT_THAT(runs(), IsEmpty());
  EXPECT_EQ(folders(), 1u) << "its tasks may still write";
  for (SlurmTask& task : cluster.known) task.state = "CANCELLED";
  remove("another");
  EXPECT_EQ(folders(), 1u);
  remove(run.purpose());
  EXPECT_EQ(folders(), 0u);
  EXPECT_NO_THROW(run.remove()) << "its own worker may come later";
  EXPECT_FALSE(fs::exists(run.folder()));
}

using OnSlurmDeathTest = OnSlurm;

TEST_F(OnSlurmDeathTest, AnInterruptAsksAndCancels) {
  EXPECT_EXIT(interrupted(true), testing::ExitedWithCode(0), "");
}

TEST_F(OnSlurmDeathTest, AnInterruptLeavesTheTasksWhereStaffWantsThem) {
  EXPECT_EXIT(interrupted(false), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace opgrade::course
