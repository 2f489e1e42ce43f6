/// A course of ten submissions that is graded on a cluster which the test plays.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/folder/course_folder.hpp"
#include "grader/course/slurm/slurm_executor.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/report/words/events.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course::test {

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
    run_batch(run, batch, grade_by_content);
    return "COMPLETED";
  }
  std::string submit(const std::vector<std::string>& arguments) {
    const std::string id = std::to_string(100 + number_of(arguments));
    const std::filesystem::path script = arguments[arguments.size() - 2];
    const int first = std::stoi(arguments.back());
    int count = 0;
    std::string name;
    for (const auto& a : arguments) {
      if (a.starts_with("--array=0-")) count = std::stoi(a.substr(10)) + 1;
      if (a.starts_with("--job-name=")) name = a.substr(11);
    }
    const SlurmRun run = SlurmRun::open(script.parent_path());
    for (int i = 0; i < count; ++i) {
      const std::string state = fate(run, first + i);
      const std::scoped_lock lock(guard);
      known.push_back({id, i, name, state, "n1", "None"});
    }
    return id;
  }
  Slurm commands() {
    return {[this](const auto& arguments) -> std::optional<std::string> {
              if (one_of(deaf)) return std::nullopt;
              std::string id = submit(arguments);
              if (one_of(mute)) return std::nullopt;
              return id;
            },
            [this]() -> std::optional<std::vector<SlurmTask>> {
              if (one_of(silent)) return std::nullopt;
              const std::scoped_lock lock(guard);
              return known;
            },
            [this](const auto& arrays) {
              const std::scoped_lock lock(guard);
              cancelled.insert(cancelled.end(), arrays.begin(), arrays.end());
              return true;
            }};
  }

 private:
  // A collector and who cancels beside it are ordered by locked files, which no sanitizer sees.
  std::mutex guard;

  std::size_t number_of(const std::vector<std::string>& arguments) {
    const std::scoped_lock lock(guard);
    submitted.push_back(arguments);
    return submitted.size();
  }
  bool one_of(int& times) {
    const std::scoped_lock lock(guard);
    return times-- > 0;
  }
};

class OnSlurm : public testing::Test {
 protected:
  OnSlurm() {
    cluster.fate = FakeCluster::grade_all;
    for (int i = 10; i < 20; ++i)  // m2 grades all submissions
      hand_in(folder, store, "m2", "ada", "2026-10-12T10:00:" + std::to_string(i) + "Z",
              std::to_string(i));
  }
  CourseRun grade(bool resume_only = false) {
    SlurmExecutor executor = executor_with(cluster.commands(), resume_only);
    return grade_assignment(folder, store, *folder.course.find("m2"), wanted_grading(), executor);
  }
  SlurmExecutor executor_with(const Slurm& commands, bool resume_only = false,
                              std::function<void(const std::filesystem::path&)> take_file = {}) {
    SlurmSettings settings;
    settings.shared = shared.path();
    settings.batch = 4;
    settings.poll = std::chrono::milliseconds(1);
    SlurmOptions options{
        settings, {place.path().string(), "opgrade: 1", {}, {}, "true"}, resume_only};
    options.listen = [this](const Event& event) {
      log.push_back(report::event_text(event, report::Audience::staff));
    };
    if (take_file) options.take_file = std::move(take_file);
    return {commands, options};
  }
  /// The collector ends after it submitted its arrays, as a kill would end it.
  void submit_and_die(const Rules& grading) {
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
    EXPECT_THAT(gradings(), testing::SizeIs(10));
    for (const auto& [submission, count] : gradings()) EXPECT_EQ(count, 1) << submission;
    EXPECT_THAT(verify(folder, store), testing::IsEmpty());
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
      grade_assignment(folder, store, *folder.course.find("m2"), wanted_grading(), executor);
    } catch (const interrupt::Interrupted&) {
      const bool told =
          cluster.cancelled == (yes ? std::vector<std::string>{"101"} : std::vector<std::string>{});
      ::_exit(asked == 3 && told && runs().size() == (yes ? 0u : 1u) ? 0 : 1);
    }
    ::_exit(2);
  }
  std::vector<std::filesystem::path> runs() const {
    std::vector<std::filesystem::path> all;
    for (const auto& run : SlurmRun::unfinished(shared.path())) all.push_back(run.folder());
    return all;
  }

  const TempDir place{"opgrade-test-"}, shared{"opgrade-test-"};
  const CourseFolder folder = make_course(place.path());
  Store store = Store::create(place.path());
  FakeCluster cluster;
  std::vector<std::string> log;
};

}  // namespace opgrade::course::test
