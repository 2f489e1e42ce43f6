// Options of sbatch from a course's settings, and the lines of squeue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "grader/course/slurm/slurm_executor.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

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
