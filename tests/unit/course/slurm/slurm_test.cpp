// Grading by Slurm's job arrays, over a cluster that the test plays: every end that a task can
// have, and Slurm's silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "grader/base/core/error.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/slurm/slurm_fields.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/record_schema.hpp"
#include "tests/unit/course/slurm/slurm_fixture.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using test::FakeCluster;
using test::OnSlurm;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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

const fs::path kRunSchemaFile = OPGRADE_SOURCE_DIR "/grader/course/slurm/slurm-run.schema.json";

const fs::path kBatchSchemaFile = OPGRADE_SOURCE_DIR "/grader/course/slurm/slurm-batch.schema.json";

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

TEST_F(OnSlurm, WhatAJobLeavesBesidesItsResultComesBackBeforeItIsDone) {
  const auto link = place.path() / "course.db";
  cluster.fate = [&](const SlurmRun& run, int batch) {
    run_batch(run, batch, [&](const fs::path& file, const std::string& name, GradedAt at) {
      const fs::path left = run.files_of(file);
      fs::create_directories(left / "folder");
      opgrade::write_file(left / "profile.ncu-rep", text_of_file(file));
      fs::create_symlink(link, left / "link.ncu-rep");
      return test::grade_by_content(file, name, at);
    });
    return "COMPLETED";
  };
  std::vector<std::string> came;
  SlurmExecutor executor = executor_with(cluster.commands(), false, [&](const fs::path& file) {
    came.push_back(file.filename().string() + " " + text_of_file(file));
  });
  std::size_t with_files = 0;
  std::vector<GradingJob> jobs;
  for (const Submission& one : store.submissions())
    jobs.push_back(job_for(folder.path, one, test::wanted_grading().config_sha256,
                           test::wanted_grading().version, 1));
  executor.run(
      "m2", jobs, [](const GradingJob&) {},
      [&](const GradingJob& job) {
        with_files += std::ranges::count(came, "profile.ncu-rep " + text_of_file(job.file));
      });
  EXPECT_EQ(came.size(), 10u) << "no link and no folder";
  EXPECT_EQ(with_files, 10u) << "each before its job was done";
  EXPECT_TRUE(fs::is_empty(shared.path() / "runs"));
}

TEST_F(OnSlurm, AMissingArchiveIsAFaultOfItsSubmissionAlone) {
  fs::remove(place.path() / store.submissions()[3].file);
  const CourseRun run = grade();
  EXPECT_EQ(run.graded, 10u);
  EXPECT_EQ(run.faults, 1u);
  EXPECT_THAT(gradings(), SizeIs(9));
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

TEST_F(OnSlurm, WhileSlurmIsSilentItWaitsAndSaysSo) {
  cluster.silent = 5;
  EXPECT_EQ(grade().graded, 10u);
  EXPECT_THAT(cluster.submitted, SizeIs(1));
  expect_each_once();

  test::hand_in(folder, store, "m2", "bob", "2026-10-12T10:00:00Z", "20");
  cluster.silent = 2;
  cluster.fate = [](const SlurmRun&, int) { return "PENDING"; };
  submit_and_die(test::wanted_grading(std::string(64, 'd')));
  cluster.fate = FakeCluster::grade_all;
  cluster.silent = 2;
  EXPECT_EQ(grade().graded, 1u);
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
  full_disk.progress = [](const GradingProgress&) { throw Error("the disk is full", "free some"); };
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

TEST_F(OnSlurm, ACourseHasOneNameHoweverItsPathIsWritten) {
  const std::string name = course_name(place.path());
  EXPECT_EQ(name, place.path().string());
  EXPECT_EQ(course_name(place.path() / ""), name) << "with a slash at its end";
  EXPECT_EQ(course_name(place.path() / kSubmissions / ".."), name);
}

TEST_F(OnSlurm, AResultThatIsThereIsNotGradedAgain) {
  int graded = 0;
  cluster.fate = [&](const SlurmRun& run, int batch) {
    const auto count = [&](const auto& file, const auto& name, auto...) {
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

TEST_F(OnSlurm, ARunThatIsBeingRemovedIsNoRun) {
  std::atomic<bool> over = false;
  std::thread other([&] {  // another course, on the same shared folder
    for (int i = 0; i < 200; ++i)
      SlurmRun::create(shared.path(), {"other", "opgrade: 1", {}, {}, "true"}, "m2", {}).remove();
    over = true;
  });
  while (!over) EXPECT_NO_THROW(SlurmRun::unfinished(shared.path()));
  other.join();
}

// Its collector was killed.
TEST_F(OnSlurm, ARunThatWasNotRemovedToTheEndIsNoneAndGoesWithTheNext) {
  auto run = SlurmRun::create(shared.path(), {"other", "opgrade: 1", {}, {}, "true"}, "m2", {});
  const fs::path left = run.folder().string() + ".removed";
  fs::rename(run.folder(), left);
  EXPECT_TRUE(SlurmRun::unfinished(shared.path()).empty());
  grade();
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(OnSlurm, WhatAKilledCollectorDidNotFinishWritingIsRemovedADayLater) {
  const auto old = shared.path() / "runs/m2-1", young = shared.path() / "runs/m2-2";
  for (const auto& run : {old, young}) fs::create_directories(run / "submissions");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(25));
  grade();
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young)) << "it may be written at this moment";
}

}  // namespace
}  // namespace opgrade::course
