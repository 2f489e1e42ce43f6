// A GPU that others use by day: what waits for its hours, what does not, and who is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/service/queue/ranker.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/state/status.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

/// m1 needs a GPU, m2 does not. It is 08:00 UTC.
class GpuHoursTest : public testing::Test {
 protected:
  GpuHoursTest() {
    s.config_of = [](const course::Assignment& a) {
      return load_config(std::string(OPGRADE_SOURCE_DIR "/tests/configs/") +
                         (a.name == "m2" ? "cli.yaml" : "cli-gpu.yaml"))
          .config;
    };
    write_course("gpu: {hours: 18-08}\n");
  }
  void write_course(const std::string& more) {
    std::string text =
        "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
        "  - {name: m1, config: x, deadline: 2026-10-20 12:00, practice: x}\n"
        "  - {name: m2, config: x, deadline: 2026-10-20 12:00}\n";
    course::test::write_text(s.place.path() / course::kCourseFile, text + more);
  }
  std::int64_t hand_in(const std::string& login, const std::string& assignment) {
    const auto answer = s.post(
        login, "/api/submissions?assignment=" + assignment,
        course::pack(
            {{assignment == "m2" ? "cpu-new-forward.cc" : "new-forward.cu", "int " + login + ";"}}),
        {{"idempotency-key", "key00000" + login}});
    EXPECT_EQ(answer.status, 201) << answer.body;
    return json::parse(answer.body).at("id");
  }
  std::optional<std::int64_t> next(bool practice = false) {
    return choose_next(s.service.queue.in_work(), Ranker(s.service), s.now, practice);
  }
  void expect_page(const std::string& login, const std::string& page, const auto& holds) {
    EXPECT_THAT(s.get(login, page).body, holds) << page;
  }

  test::SampleService s;
};

TEST_F(GpuHoursTest, OnlyWhatNeedsNoGpuBeginsOutside) {
  const auto gpu = hand_in("ada", "m1");
  EXPECT_EQ(next(), std::nullopt);
  const auto cpu = hand_in("bob", "m2");
  EXPECT_EQ(next(), cpu);
  s.now = course::test::utc("2026-10-12T18:00:00Z");
  EXPECT_EQ(next(), gpu);
  s.now = course::test::utc("2026-10-13T07:59:59Z");
  EXPECT_EQ(next(), gpu);
  s.now = course::test::utc("2026-10-13T08:00:00Z");
  EXPECT_EQ(next(), cpu);
  write_course("");
  EXPECT_EQ(next(), gpu);
}

TEST_F(GpuHoursTest, APracticeRunAndAClusterDoNotWait) {
  const auto run = hand_in("ada", "practice.m1");
  EXPECT_EQ(next(true), run) << "on the emulated device";
  const auto gpu = hand_in("bob", "m1");
  EXPECT_EQ(next(), std::nullopt);
  write_course("gpu: {hours: 18-08}\nexecutor: slurm\nslurm: {shared: /tmp}\n");
  EXPECT_EQ(next(), gpu) << "the cluster has its own GPUs";
}

TEST_F(GpuHoursTest, StudentsAndStaffReadWhenTheyBegin) {
  const auto gpu = hand_in("ada", "m1");
  const auto cpu = hand_in("bob", "m2");
  const std::string hours = "18:00 to 08:00 (UTC), next from Mon 2026-10-12 18:00:00 UTC";
  const std::string place = place_text(place_of(s.service, gpu).value());
  EXPECT_EQ(place, "waits for the GPU's hours, " + hours + "; position 2 of 2");
  EXPECT_EQ(place_text(place_of(s.service, cpu).value()), "position 1 of 2");
  for (const auto& page : {fmt::format("/api/submissions/{}", gpu), std::string("/api/queue"),
                           fmt::format("/submissions/{}", gpu), std::string("/")})
    expect_page("ada", page, HasSubstr(place));
  expect_page("ada", "/assignments/m1", HasSubstr("Graded in the GPU's hours: " + hours));
  expect_page("ada", "/assignments/m2", Not(HasSubstr("hours:")));
  expect_page("sam", "/staff", AllOf(HasSubstr(place), HasSubstr("gpu: hours): " + hours)));
  s.now = course::test::utc("2026-10-12T18:00:00Z");
  expect_page("ada", "/", Not(HasSubstr("waits for")));
  expect_page("sam", "/staff",
              AllOf(Not(HasSubstr("waits for")), HasSubstr("18:00 to 08:00 (UTC), open now")));
}

TEST_F(GpuHoursTest, ARejudgeWaitsAndItsEndWithThemIsNoFault) {
  s.now = course::test::utc("2026-10-12T19:00:00Z");
  s.grade(hand_in("ada", "m1"), course::test::grade_of(80));
  ASSERT_EQ(s.post("sam", "/staff/rejudges", "assignment=m1&times=1&reason=x").status, 303);
  auto job = s.service.rejudges->next(s.service);
  ASSERT_TRUE(job);
  s.now = course::test::utc("2026-10-13T08:00:00Z");
  for (int i = 0; i < kMaxFaults; ++i) job->failed();
  EXPECT_FALSE(s.service.rejudges->next(s.service));
  EXPECT_THAT(s.service.rejudges->failed(), testing::IsEmpty());
  s.now = course::test::utc("2026-10-13T18:00:00Z");
  EXPECT_TRUE(s.service.rejudges->next(s.service));
}

/// The dispatcher's threads read the course anew: the clock stands.
TEST_F(GpuHoursTest, WhatWaitsHoldsUpNoOtherWork) {
  const std::filesystem::path begun = s.place.path() / "begun";
  s.grade(hand_in("eve", "m1"), course::test::grade_of(80));  // so the seconds of one are known
  const auto gpu = hand_in("ada", "m1");
  DispatchOptions options;
  options.worker = [&](const HandIn& h) {
    return Command{.program = "/bin/sh",
                   .arguments = {"-c", fmt::format("echo {} >{}", h.submission.id, begun.string())},
                   .working_folder = s.place.path()};
  };
  options.rank = [this] { return Ranker(s.service); };
  std::atomic<int> rejudges = 0;
  options.background = [&]() -> std::optional<BackgroundJob> {
    ++rejudges;
    return std::nullopt;
  };
  Dispatcher dispatcher(s.place.path(), s.store, std::move(options));
  EXPECT_TRUE(test::comes([&] { return rejudges > 0; })) << "a rejudge would begin";
  EXPECT_EQ(s.service.queue.find(gpu)->run, 0);
  s.service.attach(&dispatcher);
  EXPECT_EQ(place_of(s.service, gpu)->left, std::nullopt) << "no time is promised";
  write_course("");
  EXPECT_TRUE(test::comes([&] { return std::filesystem::exists(begun); }));
  EXPECT_EQ(s.service.queue.find(gpu)->run, 1);
  s.service.attach(nullptr);
}

}  // namespace
}  // namespace opgrade::service
