// The queue: order, limits, keys, ends of a run, and what each answer promises.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <latch>
#include <nlohmann/json.hpp>
#include <thread>

#include "grader/base/files/checksum.hpp"
#include "grader/client/session.hpp"
#include "grader/course/gradebook/standing.hpp"
#include "grader/report/words/events.hpp"
#include "grader/service/queue/ranker.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/queue/worker.hpp"
#include "grader/service/state/status.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;

std::vector<std::int64_t> order_of(const std::vector<Waiting>& waiting,
                                   const std::map<std::string, int>& running = {}) {
  std::vector<std::int64_t> ids;
  for (const std::size_t i : fair_order(waiting, running)) ids.push_back(waiting[i].id);
  return ids;
}

TEST(FairOrder, TheOwnerWithTheLeastWorkComesFirst) {
  const std::vector<Waiting> waiting{{1, "ada"}, {2, "ada"}, {3, "ada"},
                                     {4, "bob"}, {5, "eve"}, {6, "bob"}};
  EXPECT_THAT(order_of(waiting), ElementsAre(1, 4, 5, 2, 6, 3));
  EXPECT_THAT(order_of(waiting, {{"ada", 1}}), ElementsAre(4, 5, 1, 6, 2, 3))
      << "what runs is work too";
}

TEST(FairOrder, StaffComeBeforeADeadlineAndThatBeforeTheRest) {
  EXPECT_THAT(order_of({{1, "ada"}, {2, "bob", kDeadlinePriority}, {3, "sam", kStaffPriority}}),
              ElementsAre(3, 2, 1));
}

TEST(FairOrder, TimesToTheEndCountWorkersAndWhatRuns) {
  const std::vector<Waiting> waiting{{1, "a", 0, 10s}, {2, "b", 0, 10s}, {3, "c", 0, 10s}};
  EXPECT_THAT(times_to_end(waiting, {4s}, 1), ElementsAre(14s, 24s, 34s));
  EXPECT_THAT(times_to_end(waiting, {4s}, 2), ElementsAre(10s, 14s, 20s));
  EXPECT_THAT(times_to_end(waiting, {}, 0), ElementsAre(std::nullopt, std::nullopt, std::nullopt));
}

TEST(ServiceLimits, SayWhatIsLeftAndWhenTheNextIsTaken) {
  const auto zone = course::TimeZone::find("America/Chicago").value();
  const auto now = course::test::utc("2026-10-12T04:59:00Z");  // 23:59 on the 11th there
  const Limits limits{2, 60s};
  EXPECT_EQ(allowance(zone, {}, limits, now).text(), "2 submissions left today");
  EXPECT_EQ(allowance(zone, {now - 20s}, limits, now).wait, 40s);
  const auto full = allowance(zone, {now - 1h, now - 2h}, limits, now);
  EXPECT_EQ(full.wait, 60s) << "the day ends at midnight of the course's clock";
  EXPECT_EQ(full.text(), "0 submissions left today; the next one in 1 min");
  EXPECT_EQ(full.refusal(), "the limit is 2 submissions a day; the next one in 1 min");
  EXPECT_EQ(allowance(zone, {now - 20s}, {0, 60s}, now).refusal(),
            "the limit is one submission every 1 min; the next one in 40 s");
  EXPECT_TRUE(allowance(zone, {now - 1h, now - 2h}, limits, now + 60s).allowed());
}

class QueueTest : public testing::Test {
 protected:
  test::SampleService s;

  std::int64_t id_of(const Response& response) { return json::parse(response.body).at("id"); }
  std::int64_t hand_in(const char* login, const std::string& key, const char* assignment = "m1") {
    const Response response = s.submit(login, assignment, key, "int " + key + ";");
    EXPECT_EQ(response.status, 201) << response.body;
    return id_of(response);
  }
  std::optional<HandIn> claim() {
    const Ranker rank(s.service);
    return s.service.queue.claim("worker 1", s.now, [&](const std::vector<HandIn>& all) {
      return choose_next(all, rank, s.now);
    });
  }
};

TEST_F(QueueTest, AnAnswerMeansThatFileAndRowAreThere) {
  const std::int64_t id = hand_in("ada", "key00001");
  const auto found = s.service.queue.find(id);
  ASSERT_TRUE(found);
  EXPECT_EQ(sha256_of_file(s.place.path() / found->submission.file), found->submission.sha256);
  EXPECT_EQ(s.store.submissions("m1").size(), 1u);
  EXPECT_EQ(report::event_name(s.service.queue.events(id, 0).front().event), "queued");
}

TEST_F(QueueTest, ACourseFolderThatWasMovedOrReplacedTakesNothing) {
  const fs::path place = s.place.path(), moved = place.string() + ".moved";
  fs::rename(place, moved);
  const auto refuses = [&](const std::string& key) {
    const Response refused = s.submit("ada", "m1", key);
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("the course folder was moved"));
    const Response health = s.get("", "/api/health");
    EXPECT_EQ(health.status, 503);
    EXPECT_THAT(health.body, HasSubstr("the course folder was moved"));
    for (const Response* said : {&refused, &health})
      EXPECT_THAT(said->body, Not(HasSubstr(place.string()))) << "a path of the server";
    EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("the course folder was moved"));
  };
  refuses("key00001");
  EXPECT_FALSE(fs::exists(place)) << "it is not made anew";
  fs::copy(moved, place, fs::copy_options::recursive);
  refuses("key00002");
  EXPECT_FALSE(fs::exists(place / "submissions/m1"));
  fs::remove_all(place);
  fs::rename(moved, place);
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 201);
  EXPECT_EQ(s.get("", "/api/health").status, 200);
}

TEST_F(QueueTest, AKeyMakesOneSubmissionHoweverOftenItIsSent) {
  const std::int64_t id = hand_in("ada", "key00001");
  s.now += 1h;
  const Response again = s.submit("ada", "m1", "key00001", "int key00001;");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(id_of(again), id);
  EXPECT_EQ(s.submit("ada", "m1", "key00001", "other").status, 409);
  EXPECT_EQ(s.submit("eve", "m1", "key00001", "other").status, 201) << "another's key is another";
  EXPECT_EQ(s.store.submissions("m1").size(), 2u);
}

TEST_F(QueueTest, UploadsAtOnceMakeOneSubmissionOfAKeyAndKeepTheLimit) {
  const auto answers_of = [&](const auto& upload) {
    std::vector<int> answers(4);  // as many as one person may send at once
    std::latch begin(4);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        begin.arrive_and_wait();
        answers[static_cast<std::size_t>(i)] = upload(i).status;
      });
    threads.clear();
    std::ranges::sort(answers);
    return answers;
  };
  EXPECT_THAT(answers_of([&](int) { return s.submit("eve", "m4", "key00001"); }),
              ElementsAre(200, 200, 200, 201));
  EXPECT_THAT(answers_of([&](int i) {
                return s.submit("ada", "m4", fmt::format("key1000{}", i),
                                fmt::format("int x{};", i));
              }),
              ElementsAre(201, 429, 429, 429))
      << "one a day";
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(s.place.path() / "submissions"))
    if (entry.is_regular_file()) ++files;
  EXPECT_EQ(files, s.store.submissions().size()) << "no file without a row";
}

TEST_F(QueueTest, ATeamHasOneRunningAtATime) {
  const std::int64_t ada = hand_in("ada", "key00001", "m4");
  EXPECT_EQ(s.submit("bob", "m4", "key00002", "int b;").status, 429) << "one a day and team";
  const std::int64_t first = hand_in("eve", "key00003", "m1");
  hand_in("eve", "key00004", "m1");
  EXPECT_EQ(claim()->submission.id, ada);
  EXPECT_EQ(claim()->submission.id, first);
  EXPECT_FALSE(claim()) << "the second one of eve waits for the first";
}

TEST_F(QueueTest, ACopyOfWhatIsBeingGradedWaitsForItsGrade) {
  const std::int64_t ada = id_of(s.submit("ada", "m1", "key00001", "int same;"));
  const std::int64_t eve = id_of(s.submit("eve", "m1", "key00002", "int same;"));
  const std::int64_t other = id_of(s.submit("bob", "m1", "key00003", "int other;"));
  EXPECT_EQ(claim()->submission.id, ada);
  EXPECT_EQ(claim()->submission.id, other);
  EXPECT_FALSE(claim());
  s.service.queue.finish(ada, 1, {Outcome::passed, 5, 5, 1}, s.now);
  EXPECT_EQ(claim()->submission.id, eve);
}

TEST_F(QueueTest, ALimitIsToldWithWhatIsLeft) {
  hand_in("ada", "key00001", "m4");
  const Response refused = s.submit("ada", "m4", "key00002", "int b;");
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body,
              HasSubstr("not taken: the limit is 1 submission a day; the next one in 16 h"));
  EXPECT_THAT(s.get("ada", "/api/me").body, HasSubstr("0 submissions left today"));
}

TEST_F(QueueTest, AFaultOfTheGraderCostsNoAttempt) {
  const std::int64_t id = hand_in("ada", "key00001", "m4");
  for (int run = 1; run <= kMaxFaults; ++run) {
    const auto claimed = claim();
    ASSERT_TRUE(claimed);
    EXPECT_EQ(claimed->run, run);
    EXPECT_TRUE(s.service.queue.fault(id, run, s.now, 30s));
    EXPECT_FALSE(claim()) << "not at once";
    s.now += 31s;
  }
  EXPECT_EQ(s.service.queue.find(id)->state, State::stuck);
  const std::int64_t next = hand_in("bob", "key00002", "m4");
  const auto& assignment = *s.folder.course.find("m4");
  const auto owner = s.folder.roster.owner_of(*s.folder.roster.find("ada"), assignment);
  const auto submissions = s.store.submissions("m4");
  std::vector<const course::Submission*> theirs;
  for (const auto& one : submissions) theirs.push_back(&one);
  const auto standings =
      course::standings(s.folder.course, assignment, due_of(owner, assignment), theirs);
  ASSERT_EQ(standings.back().submission.id, next);
  EXPECT_TRUE(standings.back().graded) << standings.back().why_not;
  EXPECT_EQ(s.post("sam", "/api/staff/submissions/" + std::to_string(id) + "/requeue").status, 200);
  EXPECT_EQ(s.service.queue.find(id)->state, State::queued);
}

TEST_F(QueueTest, AClockThatWasSetBackMakesNoRetryWait) {
  s.submit("ada", "m1", "key00001");
  const auto run = claim();
  ASSERT_TRUE(run);
  s.service.queue.fault(run->submission.id, run->run, s.now, std::chrono::seconds(30));
  EXPECT_FALSE(claim()) << "half a minute later";
  s.now -= std::chrono::days(2);
  EXPECT_TRUE(claim());
}

TEST_F(QueueTest, ALateWordOfAnEarlierRunChangesNothing) {
  const std::int64_t id = hand_in("ada", "key00001");
  const auto first = claim();
  EXPECT_TRUE(s.service.queue.give_back(id, first->run, s.now));
  const auto second = claim();
  ASSERT_TRUE(second);
  EXPECT_FALSE(s.service.queue.finish(id, first->run, {}, s.now));
  EXPECT_FALSE(s.service.queue.fault(id, first->run, s.now, 0s));
  EXPECT_TRUE(s.service.queue.finish(id, second->run, {}, s.now));
}

TEST_F(QueueTest, ACancelledOneIsNeitherGradedNorCounted) {
  const std::int64_t id = hand_in("ada", "key00001", "m4");
  const std::string address = "/api/submissions/" + std::to_string(id) + "/cancel";
  EXPECT_EQ(s.post("eve", address).status, 404);
  EXPECT_EQ(s.post("bob", address).status, 200) << "of the same team";
  EXPECT_EQ(s.post("bob", address).status, 409);
  EXPECT_FALSE(claim());
  EXPECT_TRUE(s.store.submissions("m4").front().withdrawn);
  hand_in("ada", "key00002", "m4");
}

TEST_F(QueueTest, AfterTheLastMomentOnlyStaffHandIn) {
  s.now = course::test::utc("2026-10-20T00:00:00Z");
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 403);
  EXPECT_EQ(s.post("sam", "/api/submissions?assignment=m1&for=ada", s.archive("x"),
                   {{"idempotency-key", "key00001"}})
                .status,
            201);
  EXPECT_THAT(s.get("sam", "/api/staff/audit").body, HasSubstr("\"who\":\"sam\""));
}

TEST_F(QueueTest, TheStreamGoesOnFromTheLastEventToTheEnd) {
  const std::int64_t id = hand_in("ada", "key00001");
  std::vector<std::string> kinds;
  std::string last;
  client::EventReader reader([&](const client::SentEvent& event) {
    kinds.push_back(event.kind.empty() ? json::parse(event.data).at("kind").get<std::string>()
                                       : event.kind);
    if (!event.id.empty()) last = event.id;
  });
  const auto listen = [&] {
    Request request{.method = "GET",
                    .path = "/api/submissions/" + std::to_string(id) + "/events",
                    .headers = s.headers("ada")};
    if (!last.empty()) request.headers["last-event-id"] = last;
    return s.ask(request).stream.value();
  };
  Stream stream = listen();
  EXPECT_TRUE(reader.read(stream.next().value()));
  EXPECT_THAT(kinds, ElementsAre("queued", "place"));
  kinds.clear();
  const auto run = claim();
  stream = listen();  // after a lost connection
  const std::string missed = stream.next().value();
  for (const char c : missed) EXPECT_TRUE(reader.read({&c, 1}));
  EXPECT_THAT(kinds, ElementsAre("started", "place"));
  kinds.clear();
  s.service.queue.finish(id, run->run, {}, s.now);
  reader.read(stream.next().value());
  EXPECT_THAT(kinds, ElementsAre("done", "end"));
  EXPECT_FALSE(stream.next());
}

TEST_F(QueueTest, TheLiveLogHasEachOutcomeButThoseOfHiddenCasesAndNothingForStaffAlone) {
  const std::int64_t id = hand_in("ada", "key00001");
  const Listener live = live_log(s.service.queue, id);
  live(events::BuildStarted{"cpu", {"a.cc"}});
  live(events::BuildFinished{"cpu", Outcome::passed});
  live(events::LockAwaited{"cpu/high/100", "process 7", "/run/lock/opgrade"});
  live(events::CaseStarted{"cpu/high/100"});
  live(events::CaseFinished{"cpu/high/100", false, Outcome::crashed, std::nullopt});
  live(events::CaseFinished{"cpu/zebra", true, Outcome::crashed, std::nullopt});
  std::vector<std::string> names;
  for (const StoredEvent& e : s.service.queue.events(id, 0))
    names.emplace_back(report::event_name(e.event));
  EXPECT_THAT(names, ElementsAre("queued", "build_started", "build_finished", "case_started",
                                 "case_finished"));
  const std::string page = s.get("ada", fmt::format("/submissions/{}", id)).body;
  EXPECT_THAT(page, HasSubstr("cpu: built"));
  EXPECT_THAT(page, HasSubstr("class=\"bad\" data-event"));
}

TEST_F(QueueTest, ASentenceThatAnEarlierVersionStoredIsShown) {
  const std::int64_t id = hand_in("ada", "key00001");
  s.store.work([&](SQLite::Database& database) {
    database.exec(fmt::format(
        "INSERT INTO event (submission, at, kind, text) VALUES ({}, 0, 'note', 'cpu: running')",
        id));
  });
  EXPECT_THAT(s.get("ada", fmt::format("/submissions/{}", id)).body, HasSubstr("cpu: running"));
}

TEST_F(QueueTest, TheStreamEndsWithItsTokenItsSessionAndItsPlaceInTheGroup) {
  const std::int64_t id = hand_in("ada", "key00001");
  const auto listen = [&](const std::map<std::string, std::string>& headers) {
    return s
        .ask({.method = "GET",
              .path = "/api/submissions/" + std::to_string(id) + "/events",
              .headers = headers})
        .stream.value();
  };
  const auto session = s.service.accounts.begin_session(s.tokens["ada"], s.now).value();
  const std::map<std::string, std::string> cookie{
      {"cookie", cookie_name(s.service, "session") + "=" + session.cookie}};
  Stream by_token = listen(s.headers("ada")), by_session = listen(cookie);
  Stream of_staff = listen(s.headers("sam"));
  for (Stream* const stream : {&by_token, &by_session, &of_staff})
    EXPECT_TRUE(stream->next()) << "while its secret is valid";
  s.service.accounts.revoke("ada", s.now);
  EXPECT_FALSE(by_token.next());
  EXPECT_FALSE(by_session.next());
  EXPECT_TRUE(of_staff.next()) << "another's goes on";
  s.service.accounts.make_token("sam", Role::student, s.now);
  EXPECT_FALSE(of_staff.next()) << "a replaced token is a revoked one";

  s.tokens["ada"] = s.service.accounts.make_token("ada", Role::student, s.now);
  Stream of_removed = listen(s.headers("ada"));
  EXPECT_TRUE(of_removed.next());
  const auto roster = s.place.path() / "roster.csv";
  std::string text = text_of_file(roster);
  const auto line = text.find("ada");
  ASSERT_NE(line, text.npos);
  text.replace(line, 3, "ida");
  std::ofstream(roster) << text;
  EXPECT_FALSE(of_removed.next()) << "no longer in the roster";
}

TEST_F(QueueTest, NoTimeIsPromisedBeforeOneIsKnown) {
  const std::int64_t id = hand_in("ada", "key00001");
  const auto places = queue_now(s.service);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_FALSE(places[0].left);
  s.grade(id, course::test::grade_of(80));
  EXPECT_THAT(queue_now(s.service), IsEmpty());
}

// opgrade course add on a served course: the same grade as by opgrade course grade.
TEST(AddedSubmissions, WaitInTurnAndHaveTheCoursesDailyLimit) {
  test::SampleService s;
  const auto add = [&](const std::string& time) {
    return course::test::hand_in(s.folder, s.store, "m4", "eve", time, "at " + time).id;
  };
  const auto first = add("2026-10-11T08:00:00Z"), second = add("2026-10-11T09:00:00Z");
  for (const auto id : {first, second}) {
    EXPECT_EQ(s.service.queue.find(id)->state, State::added);
    EXPECT_TRUE(s.service.queue.add_stored(id, s.now));
    EXPECT_FALSE(s.service.queue.add_stored(id, s.now)) << "it is there already";
    EXPECT_EQ(s.service.queue.find(id)->state, State::queued);
  }
  EXPECT_FALSE(s.service.queue.add_stored(999, s.now));
  const auto handed_in = nlohmann::json::parse(s.submit("ada", "m1", "key00001").body).at("id");
  const Ranker rank(s.service);
  EXPECT_EQ(rank(*s.service.queue.find(first)).priority,
            rank(*s.service.queue.find(handed_in)).priority)
      << "an export of a whole class is not before the students' own hand-ins";
  s.grade(first, course::test::grade_of(40));
  s.grade(second, course::test::grade_of(90));
  const auto& a = *s.folder.course.find("m4");
  const auto entry = entry_of(s.service, s.folder, *s.folder.roster.find("eve"), a, true);
  EXPECT_EQ(entry.points, 40) << "one a day";
  EXPECT_TRUE(allowance_of(s.service, a, "eve").allowed()) << "and no attempt in the service";
  // One that was taken back leaves the day's place to the next one.
  const auto taken_back = add("2026-10-12T06:00:00Z"), instead = add("2026-10-12T07:00:00Z");
  for (const auto id : {taken_back, instead}) EXPECT_TRUE(s.service.queue.add_stored(id, s.now));
  EXPECT_TRUE(s.service.queue.cancel(taken_back, s.now));
  s.grade(instead, course::test::grade_of(70));
  EXPECT_EQ(entry_of(s.service, s.folder, *s.folder.roster.find("eve"), a, true).points, 70);
}

}  // namespace
}  // namespace opgrade::service
