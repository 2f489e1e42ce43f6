#include "grader/report/fields/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/base/core/error.hpp"
#include "grader/base/core/json_reader.hpp"
#include "grader/report/fields/fields.hpp"
#include "grader/report/words/note_words.hpp"
#include "grader/report/words/reason_words.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;

MATCHER_P(SameNumber, want, "") { return arg == want || (std::isnan(arg) && std::isnan(want)); }

void expect_same(const TimeSummary& got, const TimeSummary& want) {
  ASSERT_EQ(got.samples_ms.size(), want.samples_ms.size());
  for (std::size_t i = 0; i < want.samples_ms.size(); ++i) {
    EXPECT_THAT(got.samples_ms[i], SameNumber(want.samples_ms[i]));
  }
  EXPECT_EQ(got.median_ms, want.median_ms);
  EXPECT_EQ(got.lower_quartile_ms, want.lower_quartile_ms);
  EXPECT_EQ(got.upper_quartile_ms, want.upper_quartile_ms);
  EXPECT_EQ(got.minimum_ms, want.minimum_ms);
  EXPECT_EQ(got.maximum_ms, want.maximum_ms);
}

TEST(Json, ReadsBackTheStateOfTheDevice) {
  Grade want = test::full_grade();
  CallReport& call = want.stages.at(0).cases.at(0).calls.at(0);
  call.device_state = DeviceState{1980, 61, 2, {"power cap"}};
  const std::string text = json_report(want, Audience::staff);
  const Grade got = grade_from_json(text);
  const auto& state = got.stages.at(0).cases.at(0).calls.at(0).device_state;
  ASSERT_TRUE(state);
  EXPECT_EQ(state->sm_clock_mhz, 1980);
  EXPECT_EQ(state->temperature_c, 61);
  EXPECT_EQ(state->throttled_calls, 2);
  EXPECT_EQ(state->throttle_reasons, std::vector<std::string>{"power cap"});
  EXPECT_EQ(json_report(got, Audience::staff), text);
}

TEST(Json, ReadsBackAdvice) {
  Grade want = test::full_grade();
  EXPECT_FALSE(grade_from_json(json_report(want, Audience::staff)).stages[0].cases[0].advice);
  want.stages[0].cases[0].advice = true;
  EXPECT_TRUE(grade_from_json(json_report(want, Audience::staff)).stages[0].cases[0].advice);
}

TEST(Json, ReadsBackWhoGraded) {
  Grade want = test::full_grade();
  EXPECT_FALSE(grade_from_json(json_report(want, Audience::staff)).by_author);
  want.by_author = true;
  EXPECT_TRUE(grade_from_json(json_report(want, Audience::staff)).by_author);
}

// Its texts are those of every text.
TEST(Json, TheCommandIsReadFromItsFields) {
  json report = json::parse(json_report(test::full_grade(), Audience::staff));
  json& c = report["stages"][0]["cases"][0];
  EXPECT_THAT(c["repeat_command"].get<std::string>(), HasSubstr(" --device emulated --seed 172"));
  c["repeat_command"] = "rm -rf .";
  EXPECT_EQ(grade_from_json(report.dump()).stages[0].cases[0].repeat,
            test::full_grade().stages[0].cases[0].repeat);
  c.erase("repeat");
  EXPECT_FALSE(grade_from_json(report.dump()).stages[0].cases[0].repeat) << "an earlier version's";
}

TEST(Json, EachReasonHasASentenceAndIsReadBackAsItsValue) {
  for (const Reason& reason : test::full_reasons()) {
    Grade want = test::full_grade();
    want.reason = want.stages[0].build.reason = reason;
    want.stages[0].cases[0].reason = want.stages[0].cases[0].points[0].reason = reason;
    const std::string text = json_report(want, Audience::staff);
    const Grade got = grade_from_json(text);
    const json report = json::parse(text);
    EXPECT_EQ(report["reason"], sentence_of(reason));
    EXPECT_NE(sentence_of(reason), "");
    EXPECT_EQ(report["stages"][0]["build"]["hint"], hint_of(reason));
    if (reason.is<why::Sentence>()) continue;
    const std::string id = report["why"]["kind"];
    EXPECT_EQ(got.reason, reason) << id;
    EXPECT_EQ(got.stages[0].build.reason, reason) << id;
    EXPECT_EQ(got.stages[0].cases[0].reason, reason) << id;
    EXPECT_EQ(got.stages[0].cases[0].points[0].reason, reason) << id;
    EXPECT_EQ(json_report(got, Audience::staff), text) << id;
  }
}

TEST(Json, EachNoteHasASentenceAndIsReadBackAsItsValue) {
  for (const Note& note : test::full_notes()) {
    Grade want = test::full_grade();
    want.notes = {note, notes::SanitizerNeedsGpu{}};
    const std::string text = json_report(want, Audience::staff);
    const Grade got = grade_from_json(text);
    const json report = json::parse(text);
    EXPECT_EQ(report["notes"][0], sentence_of(note));
    EXPECT_NE(sentence_of(note), "");
    EXPECT_EQ(got.notes, want.notes) << report["note_values"][0];
    EXPECT_EQ(json_report(got, Audience::staff), text) << report["note_values"][0];
  }
}

TEST(Json, AnEarlierReportHasTheSentencesOfItsNotesAlone) {
  Grade want = test::full_grade();
  want.notes = {notes::WeakSandbox{"landlock"}, notes::EmulatedInstead{}};
  json report = json::parse(json_report(want, Audience::staff));
  report.erase("note_values");
  const Grade got = grade_from_json(report.dump());
  EXPECT_EQ(got.notes, (std::vector<Note>{notes::EarlierNote{sentence_of(want.notes[0])},
                                          notes::EarlierNote{sentence_of(want.notes[1])}}));
  EXPECT_EQ(json::parse(json_report(got, Audience::staff)), report);
}

// The file was written by opgrade 0.2.0: two of each kind, with the sentence and the hint.
TEST(Json, ReasonsOfEarlierReportsSayWhatTheySaid) {
  std::ifstream file(OPGRADE_SOURCE_DIR "/tests/unit/report/reasons_of_0.2.0.json");
  for (const json& one : json::parse(file)) {
    const auto reason = record_from_json<Reason>(one["why"].dump(), "a reason", "");
    EXPECT_EQ(sentence_of(reason), one["reason"].get<std::string>()) << one["why"];
    EXPECT_EQ(hint_of(reason), one["hint"].get<std::string>()) << one["why"];
  }
}

TEST(Json, AnEarlierReportHasTheSentencesAlone) {
  Grade want = test::full_grade();
  want.stages[0].cases[0].reason = test::full_reason<why::Crashed>();
  json report = json::parse(json_report(want, Audience::staff));
  json& c = report["stages"][0]["cases"][0];
  c.erase("why");
  EXPECT_EQ(grade_from_json(report.dump()).stages[0].cases[0].reason,
            text_reason(c["reason"].get<std::string>(), c["hint"].get<std::string>()));
}

TEST(Json, ASeedIsAWholeNumber) {
  json report = json::parse(json_report(test::full_grade(), Audience::staff));
  report["seed"] = "12x";
  EXPECT_THROW(grade_from_json(report.dump()), Error);
}

TEST(Json, ReadsBackEveryField) {
  Grade want = test::full_grade();
  Grade got = grade_from_json(json_report(want, Audience::staff));

  std::vector<std::string> got_texts, want_texts;
  test::for_each_text(got, [&](std::string& text) { got_texts.push_back(text); });
  test::for_each_text(want, [&](std::string& text) { want_texts.push_back(text); });
  EXPECT_EQ(got_texts, want_texts);

  EXPECT_EQ(got.machine.cpus, 76);
  EXPECT_EQ(got.seed, 0xFEDCBA9876543210);
  EXPECT_EQ(got.outcome, Outcome::wrong_output);
  EXPECT_EQ(got.points, 77.5);
  EXPECT_EQ(got.max_points, 78.5);
  EXPECT_EQ(got.open_points, 79.5);
  EXPECT_EQ(got.pass_mark, 80.5);
  EXPECT_TRUE(got.passed);
  EXPECT_EQ(got.elapsed_s, 81.5);
  ASSERT_EQ(got.stages.size(), 1u);
  const auto& stage = got.stages[0];
  EXPECT_EQ(stage.device, Device::cuda);
  EXPECT_EQ(stage.build.outcome, Outcome::passed);
  EXPECT_EQ(stage.build.elapsed_s, 73.5);
  EXPECT_EQ(stage.points.at(0).points, 74.5);
  EXPECT_EQ(stage.points.at(0).max_points, 75.5);
  EXPECT_FALSE(stage.points.at(0).open);
  ASSERT_EQ(stage.cases.size(), 1u);
  const auto& c = stage.cases[0];
  EXPECT_EQ(c.batch, 50);
  EXPECT_FALSE(c.hidden);
  EXPECT_EQ(c.outcome, Outcome::wrong_output);
  EXPECT_EQ(c.accuracy, 0.8714);
  EXPECT_EQ(c.required_accuracy, 0.886);
  EXPECT_TRUE(c.points.at(0).open);
  EXPECT_EQ(c.findings.at(0).line, 70);
  EXPECT_EQ(c.profile, want.stages[0].cases[0].profile);
  EXPECT_EQ(c.usage.elapsed_s, 60.5);
  EXPECT_EQ(c.usage.user_s, 61.5);
  EXPECT_EQ(c.usage.system_s, 62.5);
  EXPECT_EQ(c.usage.peak_memory_bytes, 63);
  EXPECT_EQ(c.usage.stdout_bytes, 64);
  EXPECT_EQ(c.usage.stderr_bytes, 65);
  EXPECT_EQ(c.usage.exit_code, 66);
  EXPECT_EQ(c.usage.signal, 67);
  EXPECT_EQ(c.usage.voluntary_switches, 68);
  EXPECT_EQ(c.usage.involuntary_switches, 69);
  EXPECT_TRUE(c.usage.out_of_memory_kill);
  ASSERT_EQ(c.calls.size(), 1u);
  const auto& call = c.calls[0];
  const auto& want_conv = want.stages[0].cases[0].calls[0];
  EXPECT_EQ(call.shape, want_conv.shape) << "in their order";
  EXPECT_TRUE(call.timed);
  expect_same(call.op_time, want_conv.op_time);
  expect_same(call.layer_time, want_conv.layer_time);
  expect_same(call.process_time, want_conv.process_time);
  EXPECT_EQ(call.kernel_time_ms, 56.5);
  EXPECT_EQ(call.measurement, want_conv.measurement);
  EXPECT_EQ(call.check.checked, std::int64_t{1} << 40);
  EXPECT_EQ(call.check.mismatches, 1042);
  EXPECT_TRUE(std::isnan(call.check.worst_error));
  EXPECT_EQ(call.check.tolerance, 1e-3);
  EXPECT_EQ(call.check.first, 1043);
  EXPECT_EQ(text_of(call.check.place), "b=44 m=45 h=46 w=47");
  EXPECT_TRUE(std::isinf(call.check.got));
  EXPECT_EQ(call.check.want, 0.1);
}

TEST(Json, ReadsBackEveryOutcomeAndAMissingAccuracy) {
  for (const auto& words : kOutcomes) {
    Grade grade = test::grade_with(words.outcome);
    grade.stages[0].cases[0].accuracy.reset();
    const Grade back = grade_from_json(json_report(grade, Audience::staff));
    EXPECT_EQ(back.outcome, words.outcome);
    EXPECT_EQ(back.stages[0].cases[0].outcome, words.outcome);
    EXPECT_FALSE(back.stages[0].cases[0].accuracy);
  }
}

TEST(Json, NonFiniteNumbersAreTexts) {
  const auto report = json::parse(json_report(test::full_grade(), Audience::staff));
  const auto& call = report["stages"][0]["cases"][0]["convs"][0];
  EXPECT_EQ(call["check"]["worst_error"], "NaN");
  EXPECT_EQ(call["check"]["got"], "Infinity");
  EXPECT_EQ(call["process_time"]["minimum_ms"], "-Infinity");
  EXPECT_EQ(report["schema"], "opgrade-report-1");
}

TEST(Json, StudentsReportHasNothingOfAHiddenCase) {
  Grade grade = test::full_grade();
  grade.stages[0].cases[0].hidden = true;
  const auto report = json::parse(json_report(grade, Audience::student));
  EXPECT_EQ(report["audience"], "student");
  const auto& c = report["stages"][0]["cases"][0];
  EXPECT_EQ(c["outcome"], "wrong_output");
  EXPECT_EQ(c["points"][0]["points"], 71.5);
  EXPECT_TRUE(c["convs"].empty());
  EXPECT_TRUE(c["accuracy"].is_null());
}

/// The error of reading `report` after `change`.
template <class Change>
std::string error_after(Change change) {
  json report = json::parse(json_report(test::full_grade(), Audience::staff));
  change(report);
  try {
    grade_from_json(report.dump());
  } catch (const Error& error) {
    EXPECT_FALSE(error.hint.empty());
    return error.what();
  }
  return "no error";
}

TEST(Json, ErrorsNameTheField) {
  EXPECT_THAT(error_after([](json& r) { r["stages"][0]["cases"][0].erase("batch"); }),
              HasSubstr("stages[0].cases[0].batch is missing"));
  EXPECT_THAT(error_after([](json& r) { r["points"] = "many"; }),
              HasSubstr("points is not a number"));
  EXPECT_THAT(error_after([](json& r) { r["passed"] = 1; }),
              HasSubstr("passed is not true or false"));
  EXPECT_THAT(error_after([](json& r) { r["notes"] = "x"; }), HasSubstr("notes is not a list"));
  EXPECT_THAT(error_after([](json& r) { r["notes"][0] = 3; }), HasSubstr("notes[0] is not a text"));
  EXPECT_THAT(error_after([](json& r) { r["machine"] = nullptr; }),
              HasSubstr("machine is not an object"));
  EXPECT_THAT(error_after([](json& r) { r["outcome"] = "great"; }),
              HasSubstr("outcome is not an outcome"));
  EXPECT_THAT(error_after([](json& r) { r["stages"][0]["device"] = "tpu"; }),
              HasSubstr("stages[0].device is not a device"));
  EXPECT_THAT(error_after([](json& r) { r["machine"]["cpus"] = 1e300; }),
              HasSubstr("machine.cpus is not a whole number"));
  EXPECT_THAT(error_after([](json& r) { r["machine"]["cpus"] = std::uint64_t{1} << 63; }),
              HasSubstr("machine.cpus is too large"));
  EXPECT_THAT(error_after([](json& r) { r["machine"]["cpus"] = std::int64_t{1} << 31; }),
              HasSubstr("machine.cpus is too large"));
  EXPECT_THAT(error_after([](json& r) { r["schema"] = "opgrade-report-2"; }), HasSubstr("schema"));
}

TEST(Json, UnknownFieldsAreLeftAlone) {
  EXPECT_EQ(error_after([](json& r) { r["later"] = 1; }), "no error");
}

TEST(Json, DamagedTextIsAnError) {
  const std::string whole = json_report(test::full_grade(), Audience::staff);
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[]"), std::string(100'000, '['),
        whole.substr(0, whole.size() / 2), whole + "x", std::string("\xff\xfe")}) {
    EXPECT_THROW(grade_from_json(text), Error) << text.substr(0, 20);
  }
}

}  // namespace
}  // namespace opgrade::report
