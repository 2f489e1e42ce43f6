// Practice runs in the queue: whose turn it is, the time that each has used, and what pages say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "grader/base/files/text_file.hpp"
#include "grader/course/slurm/slurm_executor.hpp"
#include "grader/service/pages/pages_practice.hpp"
#include "grader/service/queue/left_jobs.hpp"
#include "grader/service/queue/ranker.hpp"
#include "grader/service/state/status.hpp"
#include "grader/service/state/tool_files.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

class PracticeRuns : public testing::Test {
 protected:
  PracticeRuns() {
    course::test::write_text(s.place.path() / course::kCourseFile,
                             "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
                             "  - {name: m1, config: self-check, deadline: 2026-10-20 12:00, "
                             "practice: self-check}\n");
  }
  std::int64_t submit(const std::string& login, const std::string& assignment) {
    ++uploads;
    const auto answer = s.submit(login, assignment, fmt::format("key{:06}", uploads),
                                 fmt::format("int x{};", uploads));
    EXPECT_EQ(answer.status, 201) << answer.body;
    return json::parse(answer.body).at("id");
  }
  std::optional<std::int64_t> next() {
    return choose_next(s.service.queue.in_work(), Ranker(s.service), s.now, true);
  }
  HandIn claim(std::int64_t id) {
    return s.service.queue
        .claim("practice", s.now, [&](const std::vector<HandIn>&) { return std::optional(id); })
        .value();
  }
  /// A run of this length, which is interrupted.
  void use(std::int64_t id, std::chrono::seconds length) {
    const HandIn run = claim(id);
    s.now += length;
    EXPECT_TRUE(s.service.queue.give_back(id, run.run, s.now));
  }
  std::string place(std::int64_t id) { return place_text(place_of(s.service, id).value()); }

  test::SampleService s;
  int uploads = 0;
};

TEST_F(PracticeRuns, TheStudentWithTheLeastTimeComesFirst) {
  const auto ada = submit("ada", "practice.m1");
  use(ada, 100s);
  s.service.queue.cancel(ada, s.now);
  const auto again = submit("ada", "practice.m1");
  const auto bob = submit("bob", "practice.m1");
  EXPECT_EQ(next(), bob) << "ada's runs had 100 s";
  claim(bob);
  EXPECT_EQ(next(), again) << "one run of a student at a time, the others' go on";
}

TEST_F(PracticeRuns, WaitingMakesUpForUsedTime) {
  const auto ada = submit("ada", "practice.m1");
  use(ada, 100s);
  s.now += 100s;
  const auto bob = submit("bob", "practice.m1");
  EXPECT_EQ(next(), ada) << "an interrupted run has waited for long";
  s.now += kRememberedTime;
  claim(ada);
  EXPECT_EQ(next(), bob);
}

TEST_F(PracticeRuns, EachPartOfARunIsCountedOnce) {
  const auto id = submit("ada", "practice.m1");
  use(id, 7s);
  s.now += 50s;
  use(id, 5s);
  const HandIn run = claim(id);
  s.now += 3s;
  EXPECT_EQ(s.service.queue.worker_time(id, s.now), 15s) << "the running part counts";
  EXPECT_TRUE(s.service.queue.finish(id, run.run, {}, s.now));
  EXPECT_FALSE(s.service.queue.finish(id, run.run, {}, s.now + 9s));
  s.now += 1000s;
  EXPECT_EQ(s.service.queue.worker_time(id, s.now), 15s);
  const auto use = s.service.queue.practice_use(s.now - 1003s, s.now).at(0);
  EXPECT_EQ(use.all, 15s);
  EXPECT_EQ(use.since, 3s);
  EXPECT_EQ(use.runs, 1);
}

TEST_F(PracticeRuns, FinishedCasesStayUntilTheRunIsOver) {
  const auto id = submit("ada", "practice.m1");
  HandIn run = claim(id);
  s.service.queue.keep_cases(id, run.run + 1, 9, "of another run");
  EXPECT_EQ(s.service.queue.kept_cases(id), "");
  s.service.queue.keep_cases(id, run.run, 2, "two");
  s.service.queue.give_back(id, run.run, s.now);
  EXPECT_EQ(s.service.queue.kept_cases(id), "two");
  EXPECT_THAT(place(id), HasSubstr("2 cases are done, after which the run goes on"));
  run = claim(id);
  s.service.queue.fault(id, run.run, s.now, 0s);
  EXPECT_EQ(s.service.queue.kept_cases(id), "") << "they may be what the grader failed on";
}

TEST_F(PracticeRuns, APlaceSaysWhatItIsBehindAndWhyItMoved) {
  const auto run = submit("ada", "practice.m1");
  const Place before = place_of(s.service, run).value();
  EXPECT_THAT(place_text(before), Not(HasSubstr("behind")));
  submit("bob", "m1");
  submit("eve", "m1");
  const Place now = place_of(s.service, run).value();
  EXPECT_EQ(place_text(now), "position 3 of 3; behind 2 submissions that count");
  EXPECT_EQ(why_later(before, now), "later than before: 2 submissions that count came");
  EXPECT_EQ(why_later(now, before), "");
  EXPECT_THAT(s.get("ada", "/").body, HasSubstr("behind 2 submissions that count"));
}

TEST_F(PracticeRuns, ARunBecomesAHandInWithExactlyItsBytes) {
  const auto run = submit("ada", "practice.m1");
  const std::string address = fmt::format("/api/submissions/{}/hand-in", run);
  EXPECT_EQ(s.post("bob", address).status, 404) << "another student's run";
  const auto made = s.post("ada", address);
  ASSERT_EQ(made.status, 201) << made.body;
  const std::int64_t id = json::parse(made.body).at("id");
  const auto hand_in = s.service.queue.find(id).value();
  EXPECT_EQ(hand_in.submission.assignment, "m1");
  EXPECT_EQ(hand_in.submission.sha256, s.service.queue.find(run)->submission.sha256);
  const auto again = s.post("ada", address);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(json::parse(again.body).at("id"), id) << "a repeated request is the same hand-in";
  EXPECT_EQ(s.post("ada", fmt::format("/api/submissions/{}/hand-in", id)).status, 409);
  s.now = course::test::utc("2026-11-20T12:00:00Z");
  EXPECT_EQ(s.post("bob", fmt::format("/api/submissions/{}/hand-in", submit("bob", "practice.m1")))
                .status,
            403)
      << "it is closed as for every hand-in";
}

TEST_F(PracticeRuns, AHandInThatWasTakenBackIsNoAnswer) {
  const auto run = submit("ada", "practice.m1");
  const std::string address = fmt::format("/api/submissions/{}/hand-in", run);
  std::set<std::int64_t> ids;
  for (int i = 0; i < 3; ++i) {
    s.now += 1s;
    const auto made = s.post("ada", address);
    ASSERT_EQ(made.status, 201) << made.body;
    const std::int64_t id = json::parse(made.body).at("id");
    EXPECT_TRUE(ids.insert(id).second);
    const auto hand_in = s.service.queue.find(id).value().submission;
    EXPECT_EQ(hand_in.sha256, s.service.queue.find(run)->submission.sha256);
    EXPECT_TRUE(std::filesystem::exists(s.place.path() / hand_in.file));
    s.now += 1s;
    EXPECT_EQ(s.post("ada", address).status, 200) << "there is one that is not taken back";
    ASSERT_LT(s.post("ada", fmt::format("/api/submissions/{}/cancel", id)).status, 300);
  }
}

TEST_F(PracticeRuns, ATeamHandsARunInOnce) {
  course::test::write_text(s.place.path() / course::kCourseFile,
                           "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
                           "  - {name: m4, config: self-check, deadline: 2026-10-12 12:00, "
                           "teams: true, practice: self-check}\n");
  const auto run = submit("ada", "practice.m4");
  const std::string address = fmt::format("/api/submissions/{}/hand-in", run);
  const auto made = s.post("ada", address);
  ASSERT_EQ(made.status, 201) << made.body;
  s.now += 1s;
  for (const char* login : {"bob", "sam", "ada"}) {
    const auto again = s.post(login, address);
    EXPECT_EQ(again.status, 200) << login << ": " << again.body;
    EXPECT_EQ(json::parse(again.body).at("id"), json::parse(made.body).at("id")) << login;
  }
}

TEST_F(PracticeRuns, AToolIsOneThatTheCourseOffers) {
  const auto with_tool = [&](const std::string& assignment, const std::string& tool) {
    ++uploads;
    return s.post("ada", "/api/submissions?assignment=" + assignment + "&tool=" + tool,
                  s.archive(fmt::format("int x{};", uploads)),
                  {{"idempotency-key", fmt::format("key{:06}", uploads)}});
  };
  EXPECT_EQ(with_tool("practice.m1", "profile").status, 403) << "the course offers none";
  course::test::write_text(
      s.place.path() / course::kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
      "  - {name: m1, config: self-check, deadline: 2026-10-20 12:00, practice: {config: "
      "self-check, tools: [profile, sanitizer, ncu]}}\n");
  EXPECT_EQ(with_tool("m1", "profile").status, 403) << "a hand-in is timed without tools";
  EXPECT_EQ(with_tool("practice.m1", "gdb").status, 403);
  const auto run = with_tool("practice.m1", "profile");
  ASSERT_EQ(run.status, 201) << run.body;
  const std::int64_t id = json::parse(run.body).at("id");
  EXPECT_EQ(s.service.queue.find(id)->tool, "profile");
  EXPECT_EQ(json::parse(run.body).at("tool"), "profile");
  EXPECT_EQ(with_tool("practice.m1", "sanitizer").status, 201);
  EXPECT_EQ(with_tool("practice.m1", "ncu:conv").status, 201);
  for (const char* odd : {"ncu", "ncu:", "ncu:a%20b", "ncu:--mode", "sanitizer:conv"})
    EXPECT_EQ(with_tool("practice.m1", odd).status, 400) << odd;
  EXPECT_EQ(with_tool("practice.m1", "nsys").status, 403) << "not one of the course's";
  s.grade(id, course::test::grade_of(80));
  EXPECT_THAT(s.get("ada", fmt::format("/api/submissions/{}/report", id)).body,
              HasSubstr("never ranked"));
  const auto page = s.browse("ada", fmt::format("/submissions/{}", id)).body;
  EXPECT_THAT(page, AllOf(HasSubstr("Copy for your report"), HasSubstr("Hand in these files")));
}

TEST_F(PracticeRuns, WhatAToolWroteIsThereForItsDays) {
  course::test::write_text(
      s.place.path() / course::kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
      "  - {name: m1, config: self-check, deadline: 2026-10-20 12:00, practice: {config: "
      "self-check, tools: [ncu], keep_days: 3}}\n");
  const auto id = submit("ada", "practice.m1");
  const auto run = s.service.queue.find(id)->submission;
  const std::string address = fmt::format("/api/submissions/{}/tool-files/profile.ncu-rep", id);
  EXPECT_EQ(s.get("ada", address).status, 404) << "nothing was written yet";
  keep_tool_file(s.place.path(), run, {"profile.ncu-rep", "of an interrupted part"});
  keep_tool_file(s.place.path(), run, {"profile.ncu-rep", "NVR"});
  s.grade(id, course::test::grade_of(80));
  s.now = course::test::utc("2026-10-14T08:00:00Z");
  const auto folder = s.service.files.folder();
  const auto files = [&] { return tool_files_of(*folder, run, s.now); };
  // The file's own time is the machine's; the days count from it.
  const std::filesystem::path file = [&] {
    auto all = tool_files_of(*folder, run, course::Moment());
    return all.at(0).path;
  }();
  const auto written = [&](course::Moment at) {
    std::filesystem::last_write_time(file, std::chrono::file_clock::from_sys(at));
  };
  written(s.now - std::chrono::hours(71));
  ASSERT_EQ(files().size(), 1U);
  EXPECT_EQ(text_of_file(s.get("ada", address).file), "NVR") << "sent from the disk";
  EXPECT_EQ(s.get("bob", address).status, 404) << "another student's";
  EXPECT_EQ(s.get("sam", address).status, 200);
  EXPECT_EQ(s.get("ada", fmt::format("/api/submissions/{}/tool-files/report.json", id)).status,
            404);
  const auto state = json::parse(s.get("ada", fmt::format("/api/submissions/{}", id)).body);
  EXPECT_EQ(state.at("tool_files").at(0).at("name"), "profile.ncu-rep");
  EXPECT_THAT(s.browse("ada", fmt::format("/submissions/{}", id)).body,
              AllOf(HasSubstr(address), HasSubstr("ncu --import profile.ncu-rep")));
  remove_old_tool_files(*folder, s.now);
  EXPECT_EQ(files().size(), 1U);
  written(s.now - std::chrono::hours(73));
  EXPECT_EQ(files().size(), 0U);
  EXPECT_EQ(s.get("ada", address).status, 404);
  EXPECT_TRUE(std::filesystem::exists(file));
  remove_old_tool_files(*folder, s.now);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(PracticeRuns, FilesOfSeveralStagesStandBesideEachOther) {
  const auto id = submit("ada", "practice.m1");
  const auto run = s.service.queue.find(id)->submission;
  const std::vector<std::string> stages{"gpu", "fused"};
  const auto names = tool_file_names(*device_tool("ncu"), stages);
  for (std::size_t i = 0; i < stages.size(); ++i)
    keep_tool_file(s.place.path(), run, {names[i], stages[i]});
  s.grade(id, course::test::grade_of(80));
  for (const char* stage : {"gpu", "fused"}) {
    const auto answer =
        s.get("ada", fmt::format("/api/submissions/{}/tool-files/profile-{}.ncu-rep", id, stage));
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(text_of_file(answer.file), stage);
  }
}

TEST_F(PracticeRuns, AnUnknownToolOfTheFormIsRefusedWithTheList) {
  EXPECT_EQ(pages::chosen_tool("", "conv"), "");
  EXPECT_EQ(pages::chosen_tool("nsys", "conv"), "nsys");
  EXPECT_EQ(pages::chosen_tool("ncu", "conv"), "ncu:conv");
  EXPECT_EQ(pages::chosen_tool("gdb", "conv"), "gdb") << "not a run without a tool";
  course::test::write_text(
      s.place.path() / course::kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
      "  - {name: m1, config: self-check, deadline: 2026-10-20 12:00, practice: {config: "
      "self-check, tools: [profile, ncu]}}\n");
  const auto session = s.service.accounts.begin_session(s.tokens["ada"], s.now).value();
  const auto send = [&](const std::string& tool) {
    ++uploads;
    const auto part = [](const std::string& name, const std::string& value) {
      return "--XX\r\nContent-Disposition: form-data; name=" + name + "\r\n\r\n" + value + "\r\n";
    };
    return s.ask({.method = "POST",
                  .path = "/assignments/practice.m1",
                  .headers = {{"cookie", cookie_name(s.service, "session") + "=" + session.cookie},
                              {"content-type", "multipart/form-data; boundary=XX"}},
                  .body = part("\"form_key\"", session.form_key) +
                          part("\"key\"", fmt::format("browserkey{}", uploads)) +
                          part("\"tool\"", tool) + part("\"kernel\"", "conv") +
                          part("\"files\"; filename=\"cpu-new-forward.cc\"",
                               fmt::format("int x{};", uploads)) +
                          "--XX--\r\n"});
  };
  for (const char* tool : {"gdb", "NCU", "sanitizer", "profile "}) {
    const auto refused = send(tool);
    EXPECT_EQ(refused.status, 403) << tool;
    EXPECT_THAT(refused.body, HasSubstr("the tools of practice runs here are profile, ncu"));
  }
  EXPECT_EQ(s.service.queue.count(State::queued), 0);
  for (const char* tool : {"", "profile", "ncu"}) EXPECT_EQ(send(tool).status, 303) << tool;
  // Which of the runs has the tables is seen in the list of them.
  EXPECT_THAT(s.browse("ada", "/assignments/m1").body,
              AllOf(HasSubstr(">Tool</th>"), HasSubstr("the profiler</span>"),
                    HasSubstr("Nsight Compute, conv</span>"), Not(HasSubstr("ncu:conv"))));
  const auto runs = s.service.queue.of_owner("ada", "practice.m1");
  ASSERT_EQ(runs.size(), 3U);
  const std::string page = fmt::format("/submissions/{}", runs.back().submission.id);
  EXPECT_THAT(s.browse("ada", page).body, HasSubstr("to run under Nsight Compute, conv."));
  s.grade(runs.back().submission.id, course::test::grade_of(80));
  const std::string told = "it ran under a tool (ncu:conv), so its times are not those";
  const std::string body = s.browse("ada", page).body;
  const auto first = body.find(told);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(body.find(told, first + 1), std::string::npos) << "in the tables for a report, too";
}

TEST_F(PracticeRuns, AnEndedRunLeavesNoTaskOnTheCluster) {
  const TempDir shared{"opgrade-test-"};
  course::test::write_text(
      s.place.path() / course::kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nexecutor: slurm\nslurm: {shared: " +
          shared.path().string() +
          "}\nassignments:\n  - {name: m1, config: self-check, deadline: 2026-10-20 12:00, "
          "practice: {config: self-check, device: cuda}}\n");
  const auto ends = submit("ada", "practice.m1"), stays = submit("bob", "practice.m1");
  std::vector<course::SlurmTask> tasks;
  for (const auto id : {ends, stays}) {
    const auto run = course::SlurmRun::create(
        shared.path(), {course::course_name(s.place.path()), "opgrade: 1", {}, {}, "true"},
        purpose_of(*s.service.queue.find(id)), {});
    run.add({{{}, 0}});
    tasks.push_back({std::to_string(id), 0, "opgrade." + run.name() + ".0", "RUNNING", "n1", ""});
  }
  bool silent = false;
  std::vector<std::string> cancelled;
  s.slurm = [&] {
    return course::Slurm{{},
                         [&] { return silent ? std::nullopt : std::optional(tasks); },
                         [&](const std::vector<std::string>& arrays) {
                           cancelled.insert(cancelled.end(), arrays.begin(), arrays.end());
                           return true;
                         }};
  };
  claim(ends);
  EXPECT_TRUE(cancel_left_jobs(s.service));
  EXPECT_THAT(cancelled, testing::IsEmpty()) << "both are wanted";
  EXPECT_EQ(s.post("ada", fmt::format("/api/submissions/{}/cancel", ends)).status, 200);
  EXPECT_THAT(cancelled, testing::IsEmpty()) << "a page waits for no cluster";
  silent = true;
  EXPECT_FALSE(cancel_left_jobs(s.service));
  silent = false;
  EXPECT_TRUE(cancel_left_jobs(s.service));
  EXPECT_THAT(cancelled, testing::ElementsAre(std::to_string(ends)));
  EXPECT_TRUE(cancel_left_jobs(s.service));
  EXPECT_EQ(cancelled.size(), 1U) << "once";
  EXPECT_EQ(course::SlurmRun::all(shared.path()).size(), 2U) << "its task may still write";
  tasks.clear();
  EXPECT_TRUE(cancel_left_jobs(s.service));
  EXPECT_EQ(course::SlurmRun::all(shared.path()).size(), 1U) << "what it left is gone";
}

TEST_F(PracticeRuns, OpTimesOfRunsAreAPlot) {
  const auto run = [&](double ms, Outcome outcome = Outcome::passed) {
    const auto id = submit("ada", "practice.m1");
    Grade grade = course::test::grade_of(80);
    for (StageReport& stage : grade.stages)
      for (CaseReport& c : stage.cases) {
        c.outcome = outcome;
        c.take = Statistic::median;
        for (CallReport& call : c.calls) {
          call.timed = true;
          call.op_time.median_ms = call.op_time.minimum_ms = ms;
          call.op_time.samples_ms = {ms};
        }
      }
    s.grade(id, grade);
    return id;
  };
  const auto page = [&] { return s.browse("ada", "/assignments/m1").body; };
  const std::string title = "Op Time of your practice runs";
  const auto first = run(3);
  EXPECT_THAT(page(), Not(HasSubstr(title))) << "one run is no line";
  run(1, Outcome::wrong_output);
  EXPECT_THAT(page(), Not(HasSubstr(title))) << "a wrong run has no time";
  const auto second = run(2);
  EXPECT_THAT(page(), AllOf(HasSubstr(title), HasSubstr(fmt::format("run {}", first)),
                            HasSubstr(fmt::format("run {}", second))));
  EXPECT_THAT(s.browse("bob", "/assignments/m1").body, Not(HasSubstr(title)));
}

/// A milestone's run as a GPU would give it: three batches on both devices, the largest profiled.
Grade milestone_grade(bool profiled) {
  Grade grade = course::test::grade_of(80);
  const StageReport sample = grade.stages.front();
  grade.stages.clear();
  for (const Device device : {Device::cpu, Device::cuda}) {
    StageReport stage = sample;
    stage.device = device;
    stage.name = stage.title = device == Device::cpu ? "cpu" : "gpu";
    stage.cases.clear();
    for (const int batch : {100, 1000, 10'000}) {
      CaseReport c = sample.cases.front();
      const double ms = batch * (device == Device::cpu ? 4.0 : 0.005);
      c.id = fmt::format("{}/high/{}", stage.name, batch);
      c.model = "high";
      c.batch = batch;
      c.outcome = Outcome::passed;
      c.findings.clear();
      c.profile.reset();
      c.take = Statistic::median;
      c.usage.elapsed_s = batch * 0.003 + 0.4;
      CallReport& call = c.calls.front();
      call.check.mismatches = 0;
      call.op_time.median_ms = ms;
      call.op_time.samples_ms = {ms};
      call.layer_time.median_ms = 20 * ms;
      call.layer_time.samples_ms = {20 * ms};
      stage.cases.push_back(c);
    }
    grade.stages.push_back(stage);
  }
  if (!profiled) return grade;
  ProfileReport& profile = grade.stages.back().cases.back().profile.emplace();
  profile.timed = true;
  profile.source = "CUPTI";
  profile.kernels = {{"conv_forward_kernel(float*)", 2, 93'000'000, 1, 90'000'000, 0.93, true},
                     {"prefn_marker_kernel()", 1, 7'000'000, 7, 7, 0.07, false}};
  profile.calls = {{"cudaMemcpy", 8, 800'000'000, 1, 400'000'000, 0.801, true},
                   {"cudaMalloc", 6, 110'000'000, 1, 100'000'000, 0.11, true},
                   {"cudaFree", 6, 89'000'000, 1, 80'000'000, 0.089, false}};
  return grade;
}

// The questions of a milestone's report, in the order in which a student meets them.
TEST_F(PracticeRuns, ThePageOfARunAnswersAMilestonesReport) {
  course::test::write_text(
      s.place.path() / course::kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
      "  - {name: m1, config: self-check, deadline: 2026-10-20 12:00, practice: {config: "
      "self-check, tools: [profile]}}\n");
  const auto page_of = [&](bool profiled) {
    const auto id = submit("ada", "practice.m1");
    s.grade(id, milestone_grade(profiled));
    return s.browse("ada", fmt::format("/submissions/{}", id)).body;
  };
  const std::string page = page_of(true);
  // "All kernels that together take more than 90 % of the time", and "all CUDA API calls".
  EXPECT_THAT(page, HasSubstr("Kernels of gpu/high/10000</h"));
  EXPECT_THAT(page, HasSubstr("1 of 2 names together takes 93.0 % of the time"));
  EXPECT_THAT(page, HasSubstr("CUDA API calls of gpu/high/10000</h"));
  EXPECT_THAT(page, HasSubstr("2 of 3 names together take 91.1 % of the time"));
  // "Explain the difference between kernels and API calls."
  EXPECT_THAT(page, AllOf(HasSubstr("Kernels are the submission's functions that run on the GPU"),
                          HasSubstr("API calls are the functions of CUDA")));
  // "Op Times at three batches", "the time of the whole program", "accuracy".
  for (const char* batch : {"100", "1000", "10000"})
    EXPECT_THAT(page, HasSubstr(fmt::format("<td align=\"left\">gpu/high/{}</td>", batch)));
  EXPECT_THAT(page, HasSubstr("Real, user and sys of the submission's process</h"));
  EXPECT_THAT(page, HasSubstr("30.4 s"));
  // "Compare the CPU with the GPU."
  EXPECT_THAT(page, AllOf(HasSubstr("CPU against GPU</h"), HasSubstr("800 times")));
  // Where and when.
  EXPECT_THAT(page, HasSubstr("Machine and date</h"));
  const std::string lack = "This run has no tables of kernels and CUDA API calls.";
  EXPECT_THAT(page, Not(HasSubstr(lack)));
  EXPECT_THAT(page_of(false), AllOf(HasSubstr(lack), HasSubstr("--practice --profile")));
}

TEST_F(PracticeRuns, TheFormOffersTheCoursesTools) {
  const auto page = [&] { return s.browse("ada", "/assignments/m1").body; };
  EXPECT_THAT(page(), Not(HasSubstr("name=\"tool\"")));
  course::test::write_text(
      s.place.path() / course::kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
      "  - {name: m1, config: self-check, deadline: 2026-10-20 12:00, practice: {config: "
      "self-check, tools: [profile]}}\n");
  EXPECT_THAT(page(), AllOf(HasSubstr("name=\"tool\""), HasSubstr("the profiler"),
                            Not(HasSubstr("name=\"kernel\"")), Not(HasSubstr("Nsight"))));
}

TEST_F(PracticeRuns, WithoutAGpuARunOnOneIsRefusedBeforeItIsQueued) {
  course::test::write_text(
      s.place.path() / course::kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\ngpu: {hours: 18-08}\nassignments:\n"
      "  - {name: m1, config: x, deadline: 2026-10-20 12:00, practice: {config: x, device: "
      "cuda}}\n");
  s.config_of = [](const course::Assignment&) {
    return load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli-gpu.yaml").config;
  };
  const auto practise = [&](const std::string& key) {
    return s.post("ada", "/api/submissions?assignment=practice.m1",
                  course::pack({{"new-forward.cu", "int " + key + ";"}}),
                  {{"idempotency-key", key}});
  };
  const auto queued = practise("key00001");
  ASSERT_EQ(queued.status, 201) << queued.body;
  EXPECT_EQ(next(), std::nullopt) << "it keeps the GPU's hours, as a hand-in does";
  s.now = course::test::utc("2026-10-12T19:00:00Z");
  EXPECT_EQ(next(), json::parse(queued.body).at("id").get<std::int64_t>());
  s.has_gpu = false;
  s.now += 1h;
  s.config_of = [](const course::Assignment&) {
    Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli-gpu.yaml").config;
    config.title = "read anew";
    return config;
  };
  const auto refused = practise("key00002");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("need a GPU, and the server has none"));
}

TEST_F(PracticeRuns, StaffSeeTheTimeOfEachStudent) {
  use(submit("ada", "practice.m1"), 42s);
  EXPECT_THAT(s.get("sam", "/staff/practice").body,
              AllOf(HasSubstr("ada"), HasSubstr("42 s"), HasSubstr("m1")));
  EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("/staff/practice"));
  EXPECT_EQ(s.get("ada", "/staff/practice").status, 403);
}

}  // namespace
}  // namespace opgrade::service
