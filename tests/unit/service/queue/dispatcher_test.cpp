// Workers and rejudges as processes: what a submission interrupts, and what staff stop.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "grader/service/queue/ranker.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using test::comes;
using testing::HasSubstr;
using testing::Not;

class DispatcherTest : public testing::Test {
 protected:
  test::SampleService s;
  const std::filesystem::path said = s.place.path() / "said";
  std::atomic<int> failures = 0;

  /// A program that says a word, then runs `then`.
  Command saying(const std::string& word, const std::string& then) const {
    return {.program = "/bin/sh",
            .arguments = {"-c", "echo " + word + " >>" + said.string() + "; " + then},
            .working_folder = s.place.path()};
  }
  DispatchOptions options(const std::string& worker_then, const std::string& background_then) {
    DispatchOptions made;
    made.again_after = 3600s;
    made.worker = [=, this](const HandIn&) { return saying("worker", worker_then); };
    made.rank = [this] { return Ranker(s.service); };
    made.background = [=, this]() -> std::optional<BackgroundJob> {
      if (background_then.empty()) return std::nullopt;
      return BackgroundJob{saying("background", background_then), [this] { ++failures; }};
    };
    return made;
  }
  int times(const std::string& word) const {
    std::ifstream file(said);
    int count = 0;
    for (std::string line; std::getline(file, line);) count += line == word ? 1 : 0;
    return count;
  }
  std::int64_t hand_in(const std::string& key, const std::string& text = "int x;") {
    return json::parse(s.submit("ada", "m1", key, text).body).at("id");
  }
  State state_of(std::int64_t id) { return s.service.queue.find(id)->state; }
};

TEST_F(DispatcherTest, AWorkerThatCannotReadTheCourseIsNoFault) {
  const auto roster = s.place.path() / course::kRosterFile;
  const std::string good = text_of_file(roster);
  auto made = options("printf '\"no closing quote' >> " + roster.string() + "; exit 2", "");
  made.again_after = 0s;
  Dispatcher dispatcher(s.place.path(), s.store, std::move(made));
  s.service.attach(&dispatcher);
  const std::int64_t id = hand_in("key00001");
  ASSERT_TRUE(comes([&] { return times("worker") == 1 && state_of(id) == State::queued; }));
  EXPECT_EQ(s.service.queue.find(id)->faults, 0);
  course::test::write_text(roster, good);
  EXPECT_TRUE(comes([&] { return times("worker") == 2; })) << "without a click of staff";
  s.service.attach(nullptr);
}

TEST_F(DispatcherTest, ASubmissionInterruptsARejudge) {
  Dispatcher dispatcher(s.place.path(), s.store, options("exit 0", "exec sleep 1000"));
  s.service.attach(&dispatcher);
  ASSERT_TRUE(comes([&] { return times("background") == 1; }));
  const std::int64_t id = hand_in("key00001");
  ASSERT_TRUE(comes([&] { return times("worker") == 1; })) << "it does not wait for the rejudge";
  ASSERT_TRUE(comes([&] { return s.service.queue.find(id)->faults == 1; }));
  EXPECT_TRUE(comes([&] { return times("background") == 2; })) << "then the rejudge goes on";
  EXPECT_EQ(failures, 0) << "an interrupted one has not failed";
  s.service.attach(nullptr);
}

TEST_F(DispatcherTest, APracticeRunGivesWayToWhatCounts) {
  course::test::write_text(s.place.path() / course::kCourseFile,
                           "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
                           "  - {name: m1, config: self-check, deadline: 2026-10-12 12:00, "
                           "practice: self-check}\n");
  auto made = options("exit 0", "");
  made.worker = [this](const HandIn& h) {
    return h.is_practice() ? saying("practice", "exec sleep 1000") : saying("worker", "exit 0");
  };
  Dispatcher dispatcher(s.place.path(), s.store, std::move(made));
  s.service.attach(&dispatcher);
  const std::int64_t run = json::parse(s.submit("ada", "practice.m1", "key00001").body).at("id");
  ASSERT_TRUE(comes([&] { return times("practice") == 1; }));
  hand_in("key00002");
  ASSERT_TRUE(comes([&] { return times("worker") == 1; })) << "of the same student, one worker";
  EXPECT_TRUE(comes([&] { return times("practice") == 2; })) << "then the run is repeated";
  EXPECT_EQ(s.service.queue.find(run)->faults, 0);
  s.service.attach(nullptr);
}

/// m1 has practice runs: they last for ever, and what counts ends at once.
class PracticeDispatch : public DispatcherTest {
 protected:
  PracticeDispatch() {
    course::test::write_text(s.place.path() / course::kCourseFile,
                             "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
                             "  - {name: m1, config: self-check, deadline: 2026-10-12 12:00, "
                             "practice: self-check}\n");
  }
  DispatchOptions practice_options(int workers) {
    auto made = options("exit 0", "");
    made.workers = workers;
    made.worker = [this](const HandIn& h) {
      return h.is_practice() ? saying("practice", "exec sleep 1000") : saying("worker", "exit 0");
    };
    return made;
  }
  std::int64_t practise() {
    return json::parse(s.submit("ada", "practice.m1", "key00001").body).at("id");
  }
};

TEST_F(PracticeDispatch, AClusterIsAskedForWhatAnEndedRunLeft) {
  auto made = practice_options(1);
  std::atomic<int> asked = 0;
  made.leaves_job = [](const HandIn&) { return true; };
  made.cancel_left_jobs = [&] { return ++asked > 0; };
  Dispatcher dispatcher(s.place.path(), s.store, std::move(made));
  s.service.attach(&dispatcher);
  ASSERT_TRUE(comes([&] { return asked == 1; })) << "a server before this one may have left some";
  const std::int64_t run = practise();
  ASSERT_TRUE(comes([&] { return times("practice") == 1; }));
  EXPECT_EQ(s.post("ada", fmt::format("/api/submissions/{}/cancel", run)).status, 200);
  EXPECT_TRUE(comes([&] { return asked >= 2; }));
  s.service.attach(nullptr);
}

TEST_F(PracticeDispatch, NoRunIsInterruptedWhileAWorkerIsFree) {
  Dispatcher dispatcher(s.place.path(), s.store, practice_options(2));
  s.service.attach(&dispatcher);
  const std::int64_t run = practise();
  ASSERT_TRUE(comes([&] { return times("practice") == 1; }));
  hand_in("key00002");
  ASSERT_TRUE(comes([&] { return times("worker") == 1; }));
  EXPECT_EQ(s.service.queue.find(run)->run, 1);
  EXPECT_EQ(state_of(run), State::running);
  s.service.attach(nullptr);
}

TEST_F(PracticeDispatch, ARunThatGetsNowhereIsNotInterruptedForEver) {
  auto made = practice_options(1);
  made.longest_practice = [](const HandIn&) { return 1000s; };
  Dispatcher dispatcher(s.place.path(), s.store, std::move(made));
  s.service.attach(&dispatcher);
  const std::int64_t run = practise();
  for (int i = 1; i <= kPatience; ++i) {
    ASSERT_TRUE(comes([&] { return times("practice") == i && state_of(run) == State::running; }));
    hand_in(fmt::format("key0001{}", i), fmt::format("int x{};", i));
    ASSERT_TRUE(comes([&] { return times("worker") == i; }));
  }
  ASSERT_TRUE(comes([&] { return times("practice") == kPatience + 1; }));
  const std::int64_t waits = hand_in("key00020", "int last;");
  ASSERT_TRUE(comes([&] { return state_of(run) == State::running; }));
  EXPECT_EQ(state_of(waits), State::queued) << "until the run has finished a case";
  s.service.queue.keep_cases(run, kPatience + 1, 1, "{}");
  EXPECT_TRUE(comes([&] { return times("worker") == kPatience + 1; }));
  s.service.attach(nullptr);
}

TEST_F(PracticeDispatch, AStudentAndStaffEndARun) {
  Dispatcher dispatcher(s.place.path(), s.store, practice_options(1));
  s.service.attach(&dispatcher);
  for (const char* who : {"ada", "sam"}) {
    const std::int64_t run =
        json::parse(s.submit("ada", "practice.m1", fmt::format("key0000{}", who), who).body)["id"];
    ASSERT_TRUE(comes([&] { return state_of(run) == State::running; }));
    EXPECT_EQ(s.post(who, fmt::format("/api/submissions/{}/cancel", run)).status, 200);
    EXPECT_EQ(state_of(run), State::cancelled);
    EXPECT_THAT(s.get("ada", fmt::format("/submissions/{}", run)).body,
                HasSubstr("ended this run"));
  }
  const std::int64_t other = json::parse(s.submit("bob", "practice.m1", "key00003").body)["id"];
  EXPECT_TRUE(comes([&] { return state_of(other) == State::running; })) << "the worker is free";
  EXPECT_EQ(s.post("ada", fmt::format("/api/submissions/{}/cancel", other)).status, 404);
  s.service.attach(nullptr);
}

TEST_F(PracticeDispatch, ARunEndsAtItsLimitOfTime) {
  auto made = practice_options(1);
  made.longest_practice = [](const HandIn&) { return 0s; };
  Dispatcher dispatcher(s.place.path(), s.store, std::move(made));
  s.service.attach(&dispatcher);
  const std::int64_t run = practise();
  EXPECT_TRUE(comes([&] { return state_of(run) == State::cancelled; }));
  EXPECT_EQ(s.service.queue.find(run)->faults, 0);
  s.service.attach(nullptr);
}

TEST_F(DispatcherTest, OnlyAClustersJobHasNoTemporaryFolderOfItsWorker) {
  auto made = options("exit 0", "");
  made.again_after = 0s;
  std::atomic<bool> on_cluster = false;
  made.leaves_job = [&](const HandIn&) { return on_cluster.load(); };
  made.worker = [this](const HandIn&) {
    return saying(
        "worker",
        "case $TMPDIR in *opgrade-worker-*) echo place;; *) echo none;; esac >>" + said.string());
  };
  Dispatcher dispatcher(s.place.path(), s.store, std::move(made));
  s.service.attach(&dispatcher);
  hand_in("key00001");
  ASSERT_TRUE(comes([&] { return times("place") == kMaxFaults; }));
  on_cluster = true;  // course.yaml has changed since
  hand_in("key00002", "int y;");
  EXPECT_TRUE(comes([&] { return times("none") == kMaxFaults; }));
  EXPECT_EQ(times("place"), kMaxFaults);
  s.service.attach(nullptr);
}

TEST_F(DispatcherTest, ARejudgeThatRunsNothingWaitsForNothing) {
  auto made = options("exec sleep 1000", "");
  std::atomic<int> succeeded = 0;
  made.rescoring = [&]() -> std::optional<BackgroundJob> {
    if (times("worker") == 0 || succeeded > 0) return std::nullopt;
    return BackgroundJob{.command = saying("rescoring", "exit 0"),
                         .failed = [this] { ++failures; },
                         .succeeded = [&] { ++succeeded; }};
  };
  Dispatcher dispatcher(s.place.path(), s.store, std::move(made));
  s.service.attach(&dispatcher);
  hand_in("key00001");
  EXPECT_TRUE(comes([&] { return succeeded == 1; })) << "the only worker grades a submission";
  EXPECT_EQ(times("rescoring"), 1);
  EXPECT_EQ(failures, 0);
  s.service.attach(nullptr);
}

TEST_F(DispatcherTest, NothingRunsInACourseFolderThatWasMoved) {
  const std::filesystem::path moved = s.place.path().string() + ".moved";
  const std::int64_t id = hand_in("key00001");
  std::filesystem::rename(s.place.path(), moved);
  {
    Dispatcher dispatcher(moved, s.store, options("exit 0", ""));
    EXPECT_TRUE(comes([&] { return !dispatcher.blocked().empty(); }));
    EXPECT_THAT(dispatcher.blocked(), HasSubstr("moved or replaced"));
  }
  EXPECT_FALSE(std::filesystem::exists(s.place.path()));
  EXPECT_EQ(s.service.queue.find(id)->faults, 0);
  std::filesystem::rename(moved, s.place.path());
}

TEST_F(DispatcherTest, ARejudgeThatFailsIsToldOf) {
  Dispatcher dispatcher(s.place.path(), s.store, options("exit 0", "exit 3"));
  EXPECT_TRUE(comes([&] { return failures > 0; }));
}

TEST_F(DispatcherTest, ACancelledRejudgeIsGradedNoFurther) {
  s.grade(hand_in("key00001"), course::test::grade_of(80));
  ASSERT_EQ(s.post("sam", "/staff/rejudges", "assignment=m1&times=1&reason=x").status, 303);
  const auto pid_file = s.place.path() / "pid";
  auto made = options("exit 0", "echo $$ >" + pid_file.string() + "; exec sleep 1000");
  made.background = [this, job = made.background]() -> std::optional<BackgroundJob> {
    if (s.store.rejudges().at(0).state != course::Rejudge::State::open) return std::nullopt;
    return job();
  };
  Dispatcher dispatcher(s.place.path(), s.store, std::move(made));
  s.service.attach(&dispatcher);
  int pid = 0;
  ASSERT_TRUE(comes([&] { return static_cast<bool>(std::ifstream(pid_file) >> pid); }));
  EXPECT_EQ(s.post("sam", "/staff/rejudges/1/cancel").status, 303);
  EXPECT_TRUE(comes([&] { return ::kill(pid, 0) != 0; })) << "it still grades";
  EXPECT_EQ(times("background"), 1);
  EXPECT_EQ(failures, 0);
  s.service.attach(nullptr);
}

TEST_F(DispatcherTest, StaffStopWhatRunsAtNoCost) {
  Dispatcher dispatcher(s.place.path(), s.store, options("exec sleep 1000", ""));
  s.service.attach(&dispatcher);
  const std::int64_t id = hand_in("key00001");
  ASSERT_TRUE(comes([&] { return times("worker") == 1; }));
  EXPECT_EQ(s.post("sam", "/api/staff/stop").status, 200);
  ASSERT_TRUE(comes([&] { return state_of(id) == State::queued; }));
  EXPECT_EQ(s.service.queue.find(id)->faults, 0);
  EXPECT_TRUE(dispatcher.draining());
  EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("stopped by staff"));
  EXPECT_EQ(times("worker"), 1);
  EXPECT_EQ(s.post("sam", "/api/staff/start").status, 200);
  EXPECT_TRUE(comes([&] { return times("worker") == 2; }));
  s.service.attach(nullptr);
}

TEST_F(DispatcherTest, ARejudgeIsBegunBesideWhatRuns) {
  Dispatcher dispatcher(s.place.path(), s.store, options("exec sleep 1000", ""));
  s.service.attach(&dispatcher);
  hand_in("key00001");
  ASSERT_TRUE(comes([&] { return times("worker") == 1; }));
  bool called = false;
  EXPECT_TRUE(dispatcher.with_results([&] { called = true; }));
  EXPECT_TRUE(called);
  s.service.attach(nullptr);
}

/// Between a submission's claim and the start of its worker the end finds no child to stop.
TEST_F(DispatcherTest, AWorkerThatStartsWhileTheServerEndsIsStopped) {
  auto made = options("exec sleep 1000", "");
  made.workers = 2;
  made.longest = 20s;  // for a worker that nobody stops
  std::atomic<std::int64_t> running = 0, late = 0;
  made.worker = [&, worker = made.worker](const HandIn& h) {
    if (std::int64_t none = 0; !running.compare_exchange_strong(none, h.submission.id)) {
      late = h.submission.id;
      // Queued again: the end has stopped what ran.
      EXPECT_TRUE(comes([&] { return state_of(running) == State::queued; }));
    }
    return worker(h);
  };
  auto dispatcher = std::make_unique<Dispatcher>(s.place.path(), s.store, std::move(made));
  hand_in("key00001");
  dispatcher->poke();
  ASSERT_TRUE(comes([&] { return times("worker") == 1; }));
  s.submit("bob", "m1", "key00002", "int y;");  // no copy, which would wait for the first
  dispatcher->poke();
  ASSERT_TRUE(comes([&] { return late != 0; }));
  dispatcher.reset();
  EXPECT_EQ(state_of(late), State::queued);
  EXPECT_EQ(s.service.queue.find(late)->faults, 0) << "it ran to its limit of time";
}

TEST_F(DispatcherTest, WhatStaffStoppedBeginsNothingMore) {
  auto made = options("exec sleep 1000", "");
  made.longest = 20s;
  std::atomic<bool> asked = false, stopped = false;
  made.rank = [&, rank = made.rank] {
    asked = true;
    EXPECT_TRUE(comes([&] { return stopped.load(); }));
    return rank();
  };
  auto dispatcher = std::make_unique<Dispatcher>(s.place.path(), s.store, std::move(made));
  const std::int64_t id = hand_in("key00001");
  dispatcher->poke();
  ASSERT_TRUE(comes([&] { return asked.load(); }));
  dispatcher->stop_running();
  stopped = true;
  dispatcher.reset();
  EXPECT_EQ(s.service.queue.find(id)->run, 0) << "it was begun after the stop";
}

TEST_F(DispatcherTest, NoRejudgeIsBegunWhileAnotherProgramGrades) {
  Dispatcher dispatcher(s.place.path(), s.store, options("exit 0", ""));
  const ResultsLock other(s.place.path());
  EXPECT_FALSE(dispatcher.with_results([] { ADD_FAILURE() << "both would grade"; }));
}

}  // namespace
}  // namespace opgrade::service
