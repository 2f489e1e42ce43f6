// What a student may read of a hidden case, whatever rule of the config names it: outcome and
// points, and neither its name nor a number that tells its sizes. Every kind of rule, outcome and
// format.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "grader/grading/score/score.hpp"
#include "grader/grading/score/score_groups.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/report/fields/fields.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/report/words/note_words.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A visible and a hidden case, which have sizes, counts and times that occur nowhere else.
struct SampleCase {
  const char* name;
  std::int64_t n;
  double ms;
};
constexpr SampleCase kSeen{"apple", 40127, 13.0625}, kSecret{"zebra", 12347, 7.4375};

/// Texts that only the case can give: its name, its size, multiples of it that rules name, its
/// time.
std::vector<std::string> tells_of(const SampleCase& c) {
  return {c.name,
          std::to_string(c.n),
          fmt::format("{}", 6 * c.n),
          fmt::format("{:.4g}", 6.0 * static_cast<double>(c.n)),
          fmt::format("{:.4g}", 3.0 * static_cast<double>(c.n)),
          fmt::format("{:.4g}", c.ms)};
}

Config two_cases() {
  StageConfig stage{.name = "gpu", .title = "On a GPU", .device = Device::cuda};
  for (const SampleCase& one : {kSeen, kSecret}) {
    CaseConfig c;
    c.model = one.name;
    c.sizes = {{"n", one.n}};
    c.points = 10;
    c.hidden = one.name == kSecret.name;
    stage.cases.push_back(c);
  }
  Config config;
  config.name = "sample";
  config.pass_mark = 20;
  config.stages = {stage};
  return config;
}

CaseReport reported(const StageConfig& stage, const SampleCase& one, Outcome outcome,
                    const Reason& reason) {
  CaseReport c;
  describe_case(case_of(stage, fmt::format("gpu/{}", one.name)), c);
  c.outcome = outcome;
  c.reason = reason;
  c.reason.shape = fmt::format("n={}", one.n);
  CallReport call{.layer = one.name, .shape = {{"n", one.n}}, .timed = true};
  call.check.checked = one.n;
  call.op_time.median_ms = one.ms;
  call.op_time.samples_ms = {one.ms};
  c.calls = {call};
  ProfileCountRow row{.name = "kernel", .step = "conv", .layer = 0, .launches = 1};
  row.of_float.add = 3 * one.n;
  c.profile.emplace();
  c.profile->counted_layers = {{.layer = one.name, .shape = {{"n", one.n}}, .flops = 1}};
  c.profile->counts = {row};
  c.student_output = fmt::format("n is {}", one.n);
  c.findings = {{"data_race", "kernel", "a.cu", 3, fmt::format("of {} elements", one.n)}};
  c.repeat = Repeat{.path = "s", .config = "sample", .device = Device::cuda, .seed = 5};
  return c;
}

/// The grade that the config gives for these outcomes.
Grade graded_as(const Config& config, Outcome seen, Outcome secret, const Reason& seen_reason,
                const Reason& secret_reason) {
  const StageConfig& stage = config.stages[0];
  Grade grade;
  grade.submission = "s";
  StageReport report{.name = stage.name, .title = stage.title, .device = stage.device};
  report.build.outcome = Outcome::passed;
  report.cases = {reported(stage, kSeen, seen, seen_reason),
                  reported(stage, kSecret, secret, secret_reason)};
  score_stage(stage, report, config.accept_emulated,
              {[](const OpTimeRule&) { return std::nullopt; }});
  score_constructs(stage, {std::nullopt, Reason(why::ConstructMissing{.construct = "asm"})},
                   report);
  grade.stages = {report};
  score_groups(config, grade);
  grade.notes = {
      notes::EarlierNote{"something else had the device", fmt::format("gpu/{}", kSecret.name)},
      notes::EarlierNote{fmt::format("gpu/{} took a while", kSecret.name)}};
  finish_grade(grade, config.pass_mark, {});
  return grade;
}

struct RuleKind {
  const char* name;
  std::function<void(StageConfig&, const SampleCase&)> add;
};

/// A rule about the case, of each kind that a config may have.
const std::vector<RuleKind>& rules() {
  static const std::vector<RuleKind> all{
      {"none", [](StageConfig&, const SampleCase&) {}},
      {"counts at most, points of its own",
       [](StageConfig& stage, const SampleCase& c) {
         stage.counts.push_back(
             {.model = c.name, .count = "float_operations", .at_most = "6 * n", .points = 3});
       }},
      {"counts at least, not kept",
       [](StageConfig& stage, const SampleCase& c) {
         stage.counts.push_back(
             {.model = c.name, .count = "float_operations", .at_least = "6 * n", .points = 3});
       }},
      {"counts without points",
       [](StageConfig& stage, const SampleCase& c) {
         stage.counts.push_back(
             {.model = c.name, .count = "float_operations", .at_least = "6 * n"});
       }},
      {"op_times",
       [](StageConfig& stage, const SampleCase& c) {
         stage.op_times.push_back(
             {.model = c.name, .points = 3, .full = {c.ms}, .zero = {2 * c.ms}});
       }},
      {"op_times beside the reference",
       [](StageConfig& stage, const SampleCase& c) {
         stage.op_times.push_back({.model = c.name,
                                   .points = 3,
                                   .full = {1, TimeBound::Unit::reference},
                                   .zero = {2, TimeBound::Unit::reference}});
       }},
      {"constructs with points, and of a case",
       [](StageConfig& stage, const SampleCase& c) {
         stage.constructs = {{.required = "asm", .points = 2},
                             {.required = "asm", .case_name = c.name}};
       }},
      {"a group of all, which another one needs",
       [](StageConfig& stage, const SampleCase& c) {
         stage.groups = {{"first", CaseGroupConfig::Score::all, 5, ""},
                         {"second", CaseGroupConfig::Score::each, 0, "first"}};
         for (auto& one : stage.cases) one.group = one.model == c.name ? "first" : "second";
       }},
      {"a group by shares",
       [](StageConfig& stage, const SampleCase&) {
         stage.groups = {{"first", CaseGroupConfig::Score::fraction, 5, ""}};
         for (auto& one : stage.cases) one.group = "first";
       }},
  };
  return all;
}

std::string exported(const Grade& grade, const report::Exporter& to, report::Audience audience) {
  report::ExportOptions options;
  options.audience = audience;
  options.log_guard = std::string(40, 'g');
  return to.write(grade, options);
}

void expect_silent(const Grade& grade, const std::string& about) {
  for (const auto& to : report::exporters()) {
    const std::string text = exported(grade, to, report::Audience::student);
    for (const std::string& told : tells_of(kSecret))
      EXPECT_THAT(text, Not(HasSubstr(told))) << about << ", " << to.name;
  }
}

constexpr Outcome kEnds[] = {Outcome::passed,      Outcome::wrong_output,  Outcome::crashed,
                             Outcome::out_of_time, Outcome::mistake_found, Outcome::not_emulated,
                             Outcome::not_run,     Outcome::not_credible,  Outcome::grader_fault};

TEST(HiddenCase, NoRuleTellsItsNameOrSize) {
  for (const RuleKind& rule : rules()) {
    for (const Outcome end : kEnds) {
      for (const bool accepted : {true, false}) {
        Config config = two_cases();
        config.accept_emulated = accepted;
        rule.add(config.stages[0], kSecret);
        const Reason wrong = why::WrongElements{.layer = kSecret.name, .count = 6 * kSecret.n};
        const Grade grade = graded_as(config, Outcome::passed, end, why::Right(), wrong);
        expect_silent(grade, fmt::format("{}, {}", rule.name, words(end).text));
      }
    }
  }
}

/// Puts the name of a case into each text of a reason or a note.
class CaseNamer {
 public:
  void record(const char*, const char*) {}
  template <class T>
  void operator()(const char* key, T& value, const char* text) {
    rare(key, value, text);
  }
  template <class T>
  void rare(const char* key, T& value, const char*) {
    if constexpr (std::is_same_v<T, std::string>)
      value = key == std::string_view("limit") ? "" : "gpu/zebra";
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      value = {"gpu/zebra"};
  }
};

/// Calls `expect` with one of each alternative of a variant.
template <class Variant>
void each_of(const auto& expect) {
  const auto each = [&]<std::size_t... At>(std::index_sequence<At...>) {
    (expect(std::variant_alternative_t<At, Variant>()), ...);
  };
  each(std::make_index_sequence<std::variant_size_v<Variant>>());
}

TEST(HiddenCase, NoReasonOfAnotherCaseNamesIt) {
  const auto expect = [](auto why) {
    CaseNamer namer;
    fields(namer, why);
    const Grade grade =
        graded_as(two_cases(), Outcome::not_run, Outcome::out_of_time, why, why::StoppedAtLimit());
    expect_silent(grade, std::string(why.id));
  };
  each_of<why::Any>(expect);
}

/// Puts what only the case can give into each text and number, and `id` into the field that says
/// what a note is about.
class CaseTeller {
 public:
  CaseTeller(const SampleCase& told, std::string id) : told_(told), id_(std::move(id)) {}

  void record(const char*, const char*) {}
  void alternatives(const char*, auto& variant, const char*) {
    std::visit([&](auto& one) { fields(*this, one); }, variant);
  }
  template <class T>
  void operator()(const char* key, T& value, const char* text) {
    rare(key, value, text);
  }
  template <class T>
  void rare(const char* key, T& value, const char*) {
    if constexpr (std::is_same_v<T, std::string>)
      value = key == std::string_view("limit")   ? ""
              : key == std::string_view("about") ? id_
                                                 : text();
    else
      tell(value);
  }

 private:
  std::string text() const { return fmt::format("{} elements in {} ms", told_.n, told_.ms); }
  void tell(std::string& value) { value = text(); }
  void tell(bool&) {}
  template <class T>
  requires std::is_enum_v<T>
  void tell(T&) {}
  template <class T>
  requires std::is_arithmetic_v<T>
  void tell(T& value) {
    if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(told_.n);
    else
      value = told_.ms;
  }
  void tell(Reason& value) {
    value = why::WrongElements{.layer = told_.name, .count = told_.n, .of = 6 * told_.n};
  }
  template <class T>
  requires requires(CaseTeller& io, T& record) { fields(io, record); }
  void tell(T& value) { fields(*this, value); }
  template <class T>
  void tell(std::optional<T>& value) {
    tell(value.emplace());
  }
  template <class T>
  void tell(std::vector<T>& value) {
    tell(value.emplace_back());
  }

  const SampleCase& told_;
  std::string id_;
};

/// A grade whose only note is of this kind and about this case.
template <class Kind>
Grade noted(Kind kind, const Config& config, const SampleCase& about) {
  CaseTeller teller(about, fmt::format("gpu/{}", about.name));
  fields(teller, kind);
  Grade grade = graded_as(config, Outcome::passed, Outcome::passed, {}, {});
  grade.notes = {kind};
  return grade;
}

TEST(HiddenCase, NoNoteAboutItIsTold) {
  int about_cases = 0;
  each_of<NoteKind>([&]<class Kind>(Kind kind) {
    const Grade grade = noted(kind, two_cases(), kSecret);
    if (case_id_of(grade.notes.front()).empty()) return;
    ++about_cases;
    expect_silent(grade, std::string(Kind::id));
    const Grade of_other = noted(kind, two_cases(), kSeen);
    EXPECT_THAT(exported(of_other, report::exporter("text"), report::Audience::student),
                HasSubstr(report::sentence_of(of_other.notes.front()).substr(0, 20)))
        << "a visible case's " << Kind::id;
  });
  EXPECT_GE(about_cases, 15);
}

TEST(HiddenCase, NoOtherNoteNamesIt) {
  each_of<NoteKind>([]<class Kind>(Kind kind) {
    CaseNamer namer;
    fields(namer, kind);
    Grade grade = graded_as(two_cases(), Outcome::passed, Outcome::passed, {}, {});
    grade.notes = {kind};
    expect_silent(grade, std::string(Kind::id));
  });
}

TEST(HiddenCase, NoReasonOfItIsTold) {
  each_of<why::Any>([]<class Why>(Why why) {
    CaseTeller teller(kSecret, "");
    fields(teller, why);
    for (const Outcome end : {Outcome::wrong_output, Outcome::passed, Outcome::not_run})
      expect_silent(graded_as(two_cases(), Outcome::passed, end, {}, why), std::string(Why::id));
  });
}

TEST(HiddenCase, AStoredReportOfAnEarlierVersionTellsNothing) {
  Config config = two_cases();
  rules()[1].add(config.stages[0], kSecret);
  Grade grade = graded_as(config, Outcome::passed, Outcome::passed, {}, {});
  ASSERT_EQ(grade.stages[0].points.size(), 1U);
  grade.stages[0].points[0].case_id.clear();
  expect_silent(grade, "stored");
}

TEST(HiddenCase, StaffAndTheVisibleCasesSeeAllThatARuleSays) {
  Config config = two_cases();
  rules()[1].add(config.stages[0], kSecret);
  rules()[1].add(config.stages[0], kSeen);
  const Grade grade = graded_as(config, Outcome::passed, Outcome::passed, {}, {});
  const auto& text = report::exporter("text");
  const std::string bound = "at most 2.408e+05", hidden_bound = "at most 7.408e+04";
  EXPECT_THAT(exported(grade, report::exporter("json"), report::Audience::student),
              HasSubstr(bound));
  EXPECT_THAT(exported(grade, report::exporter("json"), report::Audience::staff),
              testing::AllOf(HasSubstr(bound), HasSubstr(hidden_bound)));
  EXPECT_THAT(exported(grade, text, report::Audience::student), HasSubstr("apple"));
  // The points stay, with the hidden case's outcome.
  const Grade view = report::view_for(grade, report::Audience::student);
  EXPECT_EQ(view.stages[0].points[0].name, "hidden case");
  EXPECT_EQ(view.stages[0].points[0].points, 3);
  EXPECT_EQ(view.stages[0].points[0].max_points, 3);
  EXPECT_EQ(view.stages[0].points[1].name, "float_operations at most 6 * n");
}

TEST(HiddenCase, OfANamedCaseARuleTellsItsNameAlone) {
  Config config = two_cases();
  config.stages[0].cases[1].hidden = false;
  config.stages[0].cases[1].visibility = Visibility::name;
  rules()[1].add(config.stages[0], kSecret);
  const Grade grade = graded_as(config, Outcome::passed, Outcome::wrong_output, {}, {});
  for (const auto& to : report::exporters()) {
    const std::string shown = exported(grade, to, report::Audience::student);
    for (const char* const told : {"12347", "74082", "7.408e+04"})
      EXPECT_THAT(shown, Not(HasSubstr(told))) << to.name;
  }
}

TEST(HiddenCase, OfANamedCaseNoNoteIsTold) {
  Config config = two_cases();
  config.stages[0].cases[1].hidden = false;
  config.stages[0].cases[1].visibility = Visibility::name;
  each_of<NoteKind>([&]<class Kind>(Kind kind) {
    const Grade grade = noted(kind, config, kSecret);
    if (case_id_of(grade.notes.front()).empty()) return;
    for (const auto& to : report::exporters())
      EXPECT_THAT(exported(grade, to, report::Audience::student), Not(HasSubstr("12347")))
          << Kind::id << ", " << to.name;
  });
}

}  // namespace
}  // namespace opgrade
