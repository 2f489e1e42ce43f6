// Events: their JSON in both directions, and what each audience reads.
#include "grader/report/words/events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace opgrade::report {
namespace {

using namespace events;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// One of each, no member at its default.
const std::vector<Event> kEach{DataSetPrepared{"/srv/data/fmnist-86.h5"},
                               ReferenceTimed{"high/100", "zebra", true},
                               ReferenceGraded{Outcome::crashed},
                               BuildStarted{"cpu", {"a.cc", "b.cc"}},
                               BuildFinished{"cpu", Outcome::build_failed},
                               TurnAwaited{"cpu/zebra", true},
                               LockAwaited{"cpu/zebra", "process 7", "/run/lock/opgrade"},
                               CaseStarted{"cpu/zebra", true},
                               CaseFinished{"cpu/zebra", true, Outcome::crashed, 1.5},
                               SanitizerStarted{"gpu"},
                               CheckStepStarted{"sample", 2, 12, {Device::cuda}, "one_block"},
                               Queued{},
                               Started{"worker 1"},
                               Done{Outcome::passed, 12.5, 20, 3},
                               QueuedAgain{QueuedAgain::Why::staff},
                               Stuck{},
                               Cancelled{},
                               ArraySubmitted{"101", 8},
                               ArraysFound{4},
                               TaskFailed{"101", 2, "node7", "NODE_FAIL", true},
                               ControllerChanged{true},
                               TasksLeft{"squeue"},
                               Remark{"cpu: running"}};

TEST(Events, EachIsReadBackFromItsJson) {
  ASSERT_EQ(kEach.size(), std::variant_size_v<Event>);
  for (std::size_t i = 0; i < kEach.size(); ++i) {
    ASSERT_EQ(kEach[i].index(), i) << "none is left out";
    const std::string text = event_json(kEach[i]);
    const Event read = event_from_json(text);
    EXPECT_EQ(read.index(), i) << text;
    EXPECT_EQ(event_json(read), text);
    EXPECT_EQ(event_text(read, Audience::staff), event_text(kEach[i], Audience::staff)) << text;
    EXPECT_FALSE(event_text(read, Audience::staff).empty()) << text;
    EXPECT_EQ(text.find('\n'), text.npos) << "one line";
  }
}

TEST(Events, JsonNamesEachMember) {
  EXPECT_EQ(event_json(kEach[8]),
            "{\"event\":\"case_finished\",\"id\":\"cpu/zebra\",\"hidden\":"
            "true,\"outcome\":\"crashed\",\"op_time_ms\":1.5}");
  EXPECT_EQ(event_json(kEach[19]),
            "{\"event\":\"task_failed\",\"array\":\"101\",\"index\":2,\"node\":\"node7\","
            "\"state\":\"NODE_FAIL\",\"again\":true}");
  EXPECT_EQ(event_json(Done{}),
            "{\"event\":\"done\",\"outcome\":null,\"points\":0.0,"
            "\"max_points\":0.0,\"gradings\":1}");
}

TEST(Events, AStudentReadsNoHiddenNameAndNothingOfTheMachine) {
  for (const Event& event : kEach)
    EXPECT_THAT(event_text(event, Audience::student),
                AllOf(Not(HasSubstr("zebra")), Not(HasSubstr("process 7")), Not(HasSubstr("/srv")),
                      Not(HasSubstr("/run")), Not(HasSubstr("101")), Not(HasSubstr("node7"))));
  EXPECT_EQ(event_text(kEach[7], Audience::student), "a hidden case: running");
  EXPECT_EQ(event_text(kEach[7], Audience::staff), "cpu/zebra: running");
  EXPECT_EQ(event_text(CaseStarted{"cpu/high/100"}, Audience::student), "cpu/high/100: running");
}

TEST(Events, ASentenceOfAnEarlierVersionIsARemark) {
  for (const char* text : {"worker 1", "", "{", "[]", "7"})
    EXPECT_EQ(event_text(event_from_json(text), Audience::student), text);
}

TEST(Events, AnUnknownEventHasNoWords) {
  for (const char* text : {"{}", "{\"event\":7}", "{\"event\":\"of_tomorrow\",\"id\":\"zebra\"}",
                           "{\"event\":\"started\"}", "{\"event\":\"case_started\",\"id\":[]}"})
    EXPECT_EQ(event_text(event_from_json(text), Audience::staff), "") << text;
}

}  // namespace
}  // namespace opgrade::report
