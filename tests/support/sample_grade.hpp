/// Grades for tests of what reads them.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/report/fields/fields.hpp"

namespace opgrade::test {

/// The sentence that a test's grade has in place of a reason.
inline why::Sentence& sentence_in(Reason& reason) { return std::get<why::Sentence>(reason.what); }
inline const why::Sentence& sentence_in(const Reason& reason) {
  return std::get<why::Sentence>(reason.what);
}

/// Calls `f` with every text of `grade`.
template <class F>
void for_each_text(Grade& grade, F&& f) {
  const auto points = [&](std::vector<PointItem>& items) {
    for (auto& item : items) f(item.name), f(sentence_in(item.reason).words);
  };
  f(grade.submission), f(grade.submission_sha256), f(grade.config_name), f(grade.config_title);
  f(grade.config_sha256), f(grade.submission_path), f(sentence_in(grade.reason).words);
  auto& m = grade.machine;
  f(m.opgrade_version), f(m.host_cpu), f(m.gpu), f(m.sandbox), f(m.compiler), f(m.started);
  for (auto& note : grade.notes) f(std::get<notes::EarlierNote>(note.what).words);
  for (auto& stage : grade.stages) {
    f(stage.name), f(stage.title), f(stage.folder);
    for (auto& file : stage.files) f(file);
    f(sentence_in(stage.build.reason).words), f(sentence_in(stage.build.reason).hint),
        f(stage.build.compiler_output);
    points(stage.points);
    for (auto& c : stage.cases) {
      f(c.id), f(c.model), f(sentence_in(c.reason).words), f(sentence_in(c.reason).hint),
          f(c.student_output);
      if (c.repeat) f(c.repeat->path), f(c.repeat->config);
      if (c.gpu) f(c.gpu->name), f(c.gpu->uuid);
      if (c.untimed) f(sentence_in(*c.untimed).words);
      if (c.broken_rule) f(sentence_in(c.broken_rule->reason).words);
      points(c.points);
      for (auto& call : c.calls) {
        f(call.layer), f(call.check.hint);
        if (call.device_state)
          for (auto& reason : call.device_state->throttle_reasons) f(reason);
        for (auto& adjustment : call.measurement.adjustments) f(adjustment.reason);
        f(call.measurement.whole_layer);
      }
      for (auto& finding : c.findings) {
        f(finding.kind), f(finding.kernel), f(finding.file), f(finding.message);
      }
      if (!c.profile) continue;
      f(c.profile->device), f(c.profile->source), f(c.profile->problem);
      for (auto& row : c.profile->kernels) f(row.name);
      for (auto& row : c.profile->calls) f(row.name);
      for (auto& row : c.profile->memory) f(row.name);
      for (auto& row : c.profile->launches) f(row.name), f(row.step), f(row.limited_by);
      for (auto& row : c.profile->layers) f(row.layer);
    }
  }
}

/// Gives every field of a reason or a note a value of its own.
class ReasonFiller {
 public:
  void record(const char*, const char*) {}
  void alternatives(const char*, auto&, const char*) {}

  template <class T>
  void rare(const char* key, T& value, const char*) {
    if constexpr (std::is_same_v<T, std::string>)
      value = key == std::string_view("limit")
                  ? text_of(Limit{Limit::Kind::memory, 4.0 * (1 << 30)})
                  : fmt::format("{} {}", key, ++number_);
    else
      fill(value);
  }
  template <class T>
  void operator()(const char* key, T& value, const char* text) {
    rare(key, value, text);
  }

 private:
  void fill(std::string& value) { value = fmt::format("text {}", ++number_); }
  void fill(bool& value) { value = true; }
  template <class T>
  requires std::is_enum_v<T>
  void fill(T& value) { value = static_cast<T>(enum_names(value).names.size() - 1); }
  void fill(Outcome& value) { value = Outcome::crashed; }
  void fill(Reason& value) { value = why::Crashed{.ending = {}, .signal = 11}; }
  template <class T>
  requires std::is_arithmetic_v<T>
  void fill(T& value) { value = static_cast<T>(++number_); }
  template <class T>
  requires requires(ReasonFiller& io, T& record) { fields(io, record); }
  void fill(T& value) { fields(*this, value); }
  template <class T>
  void fill(std::optional<T>& value) {
    fill(value.emplace());
  }
  template <class T>
  void fill(std::vector<T>& value) {
    value.resize(1);
    fill(value.front());
  }

  int number_ = 0;
};

template <class Why>
Reason full_reason() {
  ReasonFiller filler;
  Why what;
  fields(filler, what);
  Reason reason = what;
  fields(filler, reason);
  return reason;
}

/// One of each alternative, with every field set.
inline std::vector<Reason> full_reasons() {
  std::vector<Reason> all;
  const auto add = [&]<std::size_t... At>(std::index_sequence<At...>) {
    (all.push_back(full_reason<std::variant_alternative_t<At, why::Any>>()), ...);
  };
  add(std::make_index_sequence<std::variant_size_v<why::Any>>());
  return all;
}

/// One of each kind, with every field set.
inline std::vector<Note> full_notes() {
  std::vector<Note> all;
  const auto add = [&]<class Kind>(Kind kind) {
    ReasonFiller filler;
    fields(filler, kind);
    all.push_back(kind);
  };
  const auto each = [&]<std::size_t... At>(std::index_sequence<At...>) {
    (add(std::variant_alternative_t<At, NoteKind>()), ...);
  };
  each(std::make_index_sequence<std::variant_size_v<NoteKind>>());
  return all;
}

/// One of everything, every number different from every other and every text too ("text 1", ...).
/// The case fails in its conv layer, is visible, and holds numbers that are not finite.
inline Grade full_grade() {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  using std::chrono::nanoseconds;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TimeSummary op{{1.25, 1.5, 2.75}, 1.5, 1.375, 2.125, 1.25, 2.75};
  const TimeSummary layer{{3.25}, 3.26, 3.27, 3.28, 3.29, 3.31};
  const TimeSummary process{{4.25, kNaN}, 4.26, 4.27, 4.28, -kInfinity, kInfinity};
  CheckReport check{.checked = std::int64_t{1} << 40,
                    .mismatches = 1042,
                    .worst_error = kNaN,
                    .error_scale = ErrorScale::image,
                    .tolerance = 1e-3,
                    .first = 1043,
                    .place = {{"b", 44}, {"m", 45}, {"h", 46}, {"w", 47}},
                    .got = kInfinity,
                    .want = 0.1,
                    .hint = ""};
  CaseReport c;
  c.batch = 50;
  c.outcome = Outcome::wrong_output;
  c.calls = {{"",
              {{"B", 51}, {"M", 52}, {"C", 53}, {"H", 54}, {"W", 55}, {"K", 3}, {"S", 2}},
              check,
              op,
              layer,
              process,
              true,
              true,
              DeviceState{57, 58, 59, {""}},
              56.5,
              157,
              158,
              159,
              {{{CallUse::throttled, nanoseconds(160), nanoseconds(161), nanoseconds(162), 163,
                 nanoseconds(164), nanoseconds(165), nanoseconds(166), true, nanoseconds(-167),
                 nanoseconds(168)}},
               {{"", -169.5, 170.5, 171}},
               ""}}};
  c.take = Statistic::mean;
  c.accuracy = 0.8714;
  c.required_accuracy = 0.886;
  c.gpu = GpuId{"", ""};
  c.untimed = text_reason("");
  c.broken_rule = BrokenRule{text_reason(""), true};
  c.calls.front().check.hint_kind = Hint::Kind::guess;
  c.calls.front().check.picture = PicturePair{"cGljdHVyZTE=", "cGljdHVyZTI=", "cGljdHVyZTM="};
  c.calls.front().check.map = WrongMap{173, 2, {0.25, 0.75, 0, 1}};
  c.repeat = Repeat{"", "", Device::emulated, 172};
  c.usage = {60.5, 61.5, 62.5, 63, 64, 65, 66, 67, Limit{Limit::Kind::memory, 4.0 * (1 << 30)},
             68,   69,   true};
  c.findings = {{"", "", "", 70, ""}};
  c.profile = ProfileReport{
      .timed = true,
      .kernels = {{"", 82, 83, 84, 85, 0.86, true}},
      .calls = {{"", 87, 88, 89, 90, 0.91, false}},
      .memory = {{"", 92, 93, 94, 95, 96, 97, 98}},
      .launches =
          {{{"", {99, 100, 101}, {102, 103, 104}, 106, 107, 108, 109}, "", 105, 110, 0.5, ""}},
      .layers = {{"",
                  {{"B", 111}, {"M", 112}, {"C", 113}, {"H", 114}, {"W", 115}, {"K", 5}, {"S", 1}},
                  116,
                  117,
                  118,
                  119,
                  120.5,
                  121.5}},
      .counts = {{.name = "a kernel",
                  .step = "conv",
                  .launches = 1,
                  .of_float = {1, 2, 3, 4},
                  .threads = 256,
                  .arrays = {{128, 512, 64, 32}},
                  .accesses = {{.space = "global",
                                .use = "load",
                                .file = "a.cu",
                                .line = 7,
                                .array = 1,
                                .requests = 8,
                                .lanes = 256,
                                .bytes = 1024,
                                .sectors = 64,
                                .least_sectors = 32}}}},
      .advice = {{.rule = "uncoalesced",
                  .kernel = "a kernel",
                  .file = "a.cu",
                  .line = 7,
                  .counted = 8,
                  .least = 4,
                  .saving = 0.5}},
      .sources = {{.file = "a.cu", .text = "int x;"}},
      .ceilings = ProfileCeilings{122.5, 123.5}};
  c.points = {{"", 71.5, 72.5, {}, true}};
  StageReport stage;
  stage.device = Device::cuda;
  stage.files = {"", ""};
  stage.build = {Outcome::passed, {}, "", 73.5};
  stage.cases = {c};
  stage.points = {{"", 74.5, 75.5, {}, false}};
  Grade grade;
  grade.machine.cpus = 76;
  grade.outcome = Outcome::wrong_output;
  grade.stages = {stage};
  grade.points = 77.5;
  grade.max_points = 78.5;
  grade.open_points = 79.5;
  grade.pass_mark = 80.5;
  grade.passed = true;
  grade.elapsed_s = 81.5;
  grade.notes = {notes::EarlierNote{}};
  grade.seed = 0xFEDCBA9876543210;
  int number = 0;
  for_each_text(grade, [&](std::string& text) { text = "text " + std::to_string(++number) + "."; });
  grade.stages[0].points[0].case_id = grade.stages[0].cases[0].id;
  return grade;
}

/// A CPU stage with one case that passed at 5 of 5 points.
inline Grade passed_grade() {
  CaseReport c;
  c.id = "cpu/high/1000";
  c.model = "high";
  c.batch = 1000;
  c.outcome = Outcome::passed;
  c.reason = text_reason("everything is right");
  c.accuracy = c.required_accuracy = 0.886;
  const auto times = [](double ms) { return summarize({ms, ms, ms}); };
  CheckReport check;
  check.checked = 100;
  check.place = {{"b", 0}, {"m", 0}, {"h", 0}, {"w", 0}};
  const auto shape = [](int M, int C, int side) {
    return Coordinates{{"B", 1000}, {"M", M}, {"C", C}, {"H", side},
                       {"W", side}, {"K", 7}, {"S", 1}};
  };
  c.calls = {{"conv1", shape(4, 1, 86), check, times(12), times(14), times(12), true},
             {"conv2", shape(16, 4, 40), check, times(30), times(31), times(30), true}};
  c.usage = {1.3, 1.2, 0.05, 20480 * 1024, 0, 0, 0, 0, {}};
  c.points = {{"output", 5, 5, text_reason("every element is right"), false}};
  StageReport stage;
  stage.name = "cpu";
  stage.title = "CPU convolution";
  stage.build.outcome = Outcome::passed;
  stage.cases = {c};
  Grade grade;
  grade.submission = "ada";
  grade.config_name = "minidnn";
  grade.outcome = Outcome::passed;
  grade.reason = text_reason("everything is right");
  grade.stages = {stage};
  grade.points = grade.max_points = 5;
  grade.pass_mark = 3;
  grade.passed = true;
  return grade;
}

/// The same with the case, its points and the grade at `outcome`.
inline Grade grade_with(Outcome outcome) {
  Grade grade = passed_grade();
  auto& c = grade.stages[0].cases[0];
  c.outcome = grade.outcome = outcome;
  c.reason = grade.reason = text_reason("what happened");
  c.points[0].points = grade.points = 0;
  grade.passed = false;
  return grade;
}

}  // namespace opgrade::test
