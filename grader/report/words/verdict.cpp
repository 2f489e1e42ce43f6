#include "grader/report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "grader/base/core/finding_kind.hpp"
#include "grader/report/words/case_facts.hpp"
#include "grader/report/words/note_words.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/repeat.hpp"

namespace opgrade::report {
namespace {

/// By the rule of README.md, "exit code", open points never make up for a wrong case.
Standing standing_of(const Grade& view) {
  if (view.outcome == Outcome::grader_fault) return Standing::fault;
  if (view.passed) return Standing::passed;
  // A right case without a credible time counts as right; its points for speed are open.
  if (is_submission_fault(view.outcome) && view.outcome != Outcome::not_credible)
    return Standing::failed;
  if (view.open_points > 0 && view.points + view.open_points >= view.pass_mark - 1e-9)
    return Standing::undecided;
  // A grade without points has none that could be open.
  if (view.outcome == Outcome::not_emulated && view.pass_mark <= 0) return Standing::undecided;
  return view.outcome == Outcome::not_run ? Standing::not_run : Standing::failed;
}

std::string score_of(const Grade& view) {
  std::string score =
      fmt::format("{} of {} points", show_points(view.points), show_points(view.max_points));
  if (view.pass_mark > 0) score += fmt::format(" ({} to pass)", show_points(view.pass_mark));
  if (view.open_points > 0) {
    score += fmt::format("; {} more are open", show_points(view.open_points));
  }
  if (view.outcome == Outcome::grader_fault) score += "; not held against the submission";
  return score;
}

/// The place of the finding that decided, else of the likely cause, else of the first finding with
/// a place.
CodePlace code_place_of(const StageReport& stage, const CaseReport& c) {
  const Finding* const explanation = c.reason.explanation ? &*c.reason.explanation : nullptr;
  for (const Finding* const finding : {finding_of(c.reason), explanation})
    if (finding != nullptr)
      if (CodePlace place = place_in(stage, *finding); place.line > 0) return place;
  for (const Finding& finding : c.findings)
    if (CodePlace place = place_in(stage, finding); place.line > 0) return place;
  return {};
}

Problem problem_of(const StageReport& stage, const CaseReport& c) {
  Problem p;
  p.outcome = c.outcome;
  p.state = state_of(c);
  const Finding* const warning = warning_of(c);
  const Finding* const decided =
      c.outcome == Outcome::mistake_found ? finding_of(c.reason) : nullptr;
  p.explain = warning != nullptr   ? warning->kind
              : decided != nullptr ? decided->kind
                                   : words(c.outcome).id;
  p.where = c.id;
  p.reason = sentence_of(c.reason);
  p.facts = facts_of(c);
  p.place = code_place_of(stage, c);
  p.next = next_of(c);
  p.repeat_command = repeat_command(c);
  p.output_title = "what it printed";
  p.output = c.student_output;
  return p;
}

bool is_problem(Outcome o) { return o != Outcome::passed && o != Outcome::not_run; }

std::string without_numbers(std::string sentence) {
  std::erase_if(sentence, [](char c) { return c >= '0' && c <= '9'; });
  return sentence;
}

/// The pattern of wrong elements or, without one, how the call ended.
std::string story_of(const CaseReport& c) {
  const auto wrong = std::ranges::find_if(c.calls, [](const CallReport& call) {
    return call.check.checked > 0 && !call.check.passed();
  });
  if (c.outcome == Outcome::wrong_output)
    return without_numbers(wrong != c.calls.end() ? wrong->check.hint : hint_of(c.reason));
  Reason reason = c.reason;
  reason.shape.clear();
  return without_numbers(sentence_of(reason));
}

/// True for a case that was not run because of how another case ended. Reports of 0.1.0 have no
/// kind of reason.
bool was_skipped(const CaseReport& c) {
  const Reason& r = c.reason;
  return r.is<why::AfterTimeOut>() || r.is<why::SmallerTimedOut>() ||
         r.is<why::SimilarTimedOut>() || r.is<why::SmallerFailed>() ||
         (r.is<why::Sentence>() && c.calls.empty() && c.usage.elapsed_s == 0);
}

/// True if `told` covers `c`: it has all of its findings and, if none of these explains the
/// failure, the same story. The redacted report of a hidden case contains nothing to cover.
bool says_all_of(const CaseReport& told, const CaseReport& c) {
  if (told.outcome != c.outcome) return false;
  if (c.hidden && c.calls.empty() && hint_of(c.reason).empty() && c.findings.empty()) return true;
  if (c.outcome == Outcome::out_of_time && was_skipped(c)) return true;
  const bool known = std::ranges::all_of(c.findings, [&](const Finding& f) {
    return std::ranges::any_of(told.findings, [&](const Finding& other) {
      return std::tie(f.kind, f.file, f.line) == std::tie(other.kind, other.file, other.line);
    });
  });
  const bool explained = std::ranges::any_of(
      c.findings, [](const Finding& f) { return weight_of(f.kind) < FindingWeight::untidy; });
  return known && (explained || story_of(told) == story_of(c));
}

/// Adds the stage's cases with problems. A case that adds nothing to an earlier one is listed under
/// that one.
void add_cases(std::vector<Problem>& problems, const StageReport& stage, bool advice) {
  const auto first = problems.size();
  std::vector<const CaseReport*> told;
  for (const auto& c : stage.cases) {
    if (c.advice != advice || !has_problem(c) || c.outcome == Outcome::not_run) continue;
    const auto same =
        std::ranges::find_if(told, [&](const CaseReport* other) { return says_all_of(*other, c); });
    if (same != told.end()) {
      problems[first + static_cast<std::size_t>(same - told.begin())].also.push_back(c.id);
      continue;
    }
    // The reason of a hidden case is not shown, but it is the build's, too.
    if (is_problem(stage.build.outcome) && c.outcome == stage.build.outcome) continue;
    problems.push_back(problem_of(stage, c));
    told.push_back(&c);
  }
}

}  // namespace

std::string_view title_of(Standing standing) {
  constexpr std::array<std::string_view, kStandings.size()> kTitles{
      "PASSED", "FAILED", "INCOMPLETE", "NOT RUN", "GRADER FAULT"};
  return kTitles.at(static_cast<std::size_t>(standing));
}

Verdict grade_verdict(const Grade& view) {
  const Standing standing = standing_of(view);
  return {standing, std::string(title_of(standing)), score_of(view)};
}

std::string_view state_of(const CaseReport& c) {
  return warning_of(c) != nullptr ? "passed, with a warning" : words(c.outcome).text;
}

bool has_problem(const CaseReport& c) {
  return c.outcome != Outcome::passed || warning_of(c) != nullptr;
}

std::vector<Problem> problems_of(const Grade& view) {
  std::vector<Problem> problems;
  for (const auto& stage : view.stages) {
    const auto& build = stage.build;
    const std::string name = stage.title.empty() ? stage.name : stage.title;
    if (is_problem(build.outcome)) {
      Problem& p = problems.emplace_back();
      p.outcome = build.outcome;
      p.state = words(p.outcome).text;
      p.explain = words(p.outcome).id;
      p.where = "building " + name;
      p.reason = sentence_of(build.reason);
      p.next = hint_of(build.reason);
      if (p.next.empty()) p.next = default_next(build.outcome);
      p.place = first_compiler_error(stage);
      p.output_title = "compiler output";
      p.output = build.compiler_output;
      // The stage's cases fail with their build, and only add the command that repeats it.
      const auto same = std::ranges::find(stage.cases, build.outcome, &CaseReport::outcome);
      if (same != stage.cases.end()) p.repeat_command = repeat_command(*same);
    }
    add_cases(problems, stage, false);
  }
  if (problems.empty() && is_problem(view.outcome)) {
    Problem& p = problems.emplace_back();
    p.outcome = view.outcome;
    p.state = words(p.outcome).text;
    p.explain = words(p.outcome).id;
    p.where = "the submission";
    p.reason = sentence_of(view.reason);
    p.next = default_next(view.outcome);
  }
  return problems;
}

bool tells_headline(const Grade& view, const std::vector<Problem>& problems) {
  const std::string headline = sentence_of(view.reason);
  return !problems.empty() &&
         (headline == problems.front().reason ||
          (!problems.front().reason.empty() && headline.ends_with(": " + problems.front().reason)));
}

std::string explain_command(const std::vector<Problem>& problems, std::size_t which) {
  const std::string& topic = problems[which].explain;
  for (std::size_t i = 0; i < which; ++i)
    if (problems[i].explain == topic) return {};
  return fmt::format("opgrade explain {}", topic);
}

std::string_view heading_of(const std::vector<Problem>& problems) {
  const bool undecided = std::ranges::all_of(problems, is_undecided, &Problem::outcome);
  return undecided ? "Undecided cases" : "Problems";
}

std::vector<Problem> advice_of(const Grade& view) {
  std::vector<Problem> advice;
  for (const auto& stage : view.stages) add_cases(advice, stage, true);
  return advice;
}

std::string show_case_points(const CaseReport& c) {
  return c.advice ? "advice" : show_sum(sum_of(c.points));
}

Mark mark_of(Outcome outcome) {
  if (outcome == Outcome::passed) return Mark::good;
  return is_submission_fault(outcome) ? Mark::bad : Mark::open;
}

Mark mark_of(const CaseReport& c) {
  const bool warned = c.outcome == Outcome::passed && has_problem(c);
  return warned || (c.advice && c.outcome != Outcome::passed) ? Mark::open : mark_of(c.outcome);
}

Mark mark_of(Standing standing) {
  if (standing == Standing::passed) return Mark::good;
  return standing == Standing::failed ? Mark::bad : Mark::open;
}

std::array<std::string, 6> case_cells(const CaseReport& c, Device device, const Glyphs& glyphs) {
  const auto op = op_time_of(c, device), layer = layer_time_of(c, device);
  return {c.id,
          std::string(state_of(c)),
          show_accuracy(c, glyphs),
          op ? show_time(*op, glyphs) + show_kernels(kernel_time_of(c), glyphs) : "",
          layer ? show_ms(layer->ms, glyphs) : "",
          show_case_points(c)};
}

std::vector<PointRow> point_rows(const Grade& view, const Glyphs& glyphs) {
  std::vector<PointRow> rows;
  const auto add = [&](const std::string& owner, const PointItem& item) {
    const std::string reason = sentence_of(item);
    rows.push_back(
        {(item.open ? glyphs.dash : show_points(item.points)) + "/" + show_points(item.max_points),
         item.open                        ? Mark::open
         : item.points >= item.max_points ? Mark::good
                                          : Mark::bad,
         owner + ": " + item.name,
         !item.open            ? reason
         : item.reason.empty() ? "open"
                               : "open: " + reason});
  };
  for (const auto& stage : view.stages) {
    for (const auto& c : stage.cases)
      for (const auto& item : c.points) add(c.id, item);
    for (const auto& item : stage.points) add(stage.name, item);
  }
  return rows;
}

bool points_need_a_table(const Grade& view) {
  return std::ranges::any_of(view.stages, [](const StageReport& stage) {
    return !stage.points.empty() || std::ranges::any_of(stage.cases, [](const CaseReport& c) {
      // A right case that lost points has a reason that no problem shows.
      return c.points.size() > 1 || std::ranges::any_of(c.points, [&](const PointItem& item) {
               return item.open || (c.outcome == Outcome::passed && item.points < item.max_points);
             });
    });
  });
}

namespace {

/// Adds what a stage that passed did not check, with the command that checks it.
void add_unchecked(std::vector<std::string>& notes, const Grade& view, const StageReport& stage) {
  if (stage.device == Device::cpu || outcome_of(stage) != Outcome::passed) return;
  const auto& repeat = stage.cases.front().repeat;
  const auto says = [&](const char* how) {
    return repeat ? ": " + check_command(*repeat, how) : "";
  };
  if (stage.device == Device::emulated) {
    const int batch = std::ranges::max(stage.cases, {}, &CaseReport::batch).batch;
    notes.push_back(
        fmt::format("{}: the emulated device checks no times and no {}. On a machine with a GPU{}",
                    stage.name, batch > 0 ? fmt::format("batch above {}", batch) : "larger grid",
                    says("--device cuda --sanitize")));
  } else if (std::ranges::none_of(view.notes, is_of_sanitizer)) {
    notes.push_back(
        fmt::format("{}: races and bad accesses that did no harm here were not looked "
                    "for. The emulated device does{}",
                    stage.name, says("--device emulated")));
  }
}

}  // namespace

std::vector<std::string> notes_of(const Grade& view) {
  std::vector<std::string> notes;
  for (const Note& note : view.notes) notes.push_back(sentence_of(note));
  std::vector<std::string> told;  // places, so that a finding in several cases is one note
  for (const auto& stage : view.stages) {
    for (const auto& c : stage.cases) {
      const bool passed = c.outcome == Outcome::passed;
      for (const auto& f : passed ? c.findings : untold_of(c)) {
        if (passed && warning_of(c) != nullptr && weight_of(f.kind) < FindingWeight::untidy)
          continue;
        const std::string place = f.kind + place_of(f);
        if (std::ranges::find(told, place) != told.end() || told.size() >= kMostFindings) continue;
        told.push_back(place);
        notes.push_back(fmt::format("{}: {}", c.id, finding_line(f, "")));
      }
      const std::string failed(failed_call_of(c.reason));
      // The emulated device's finding already names the line.
      const bool is_found =
          std::ranges::any_of(c.findings, [](const Finding& f) { return f.kind == "failed_call"; });
      if (!passed || is_found || failed.empty() || std::ranges::find(told, failed) != told.end())
        continue;
      told.push_back(failed);
      notes.push_back(
          fmt::format("{}: a CUDA call returned an error: {}. The outputs are right all "
                      "the same; check every CUDA call's result.",
                      c.id, failed));
    }
    if (standing_of(view) == Standing::passed && !stage.cases.empty())
      add_unchecked(notes, view, stage);
  }
  return notes;
}

bool is_not_run(const StageReport& stage) { return outcome_of(stage) == Outcome::not_run; }

std::string not_run_reason(const StageReport& stage) {
  for (const auto& c : stage.cases) {
    if (c.outcome == Outcome::not_run && !c.reason.empty() && !c.hidden)
      return sentence_of(c.reason);
  }
  return stage.build.outcome == Outcome::not_run ? sentence_of(stage.build.reason) : "";
}

std::string ran_on(const StageReport& stage) {
  std::vector<std::pair<GpuId, std::string>> cases_of;
  for (const auto& c : stage.cases) {
    if (!c.gpu) continue;
    const auto found = std::ranges::find(cases_of, *c.gpu, &std::pair<GpuId, std::string>::first);
    if (found == cases_of.end()) {
      cases_of.emplace_back(*c.gpu, c.id);
    } else {
      found->second += ", " + c.id;
    }
  }
  std::string text;
  for (const auto& [gpu, cases] : cases_of) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", gpu.name, gpu.uuid);
    if (cases_of.size() > 1) text += ": " + cases;
  }
  return text;
}

Outcome outcome_of(const StageReport& stage) {
  if (is_problem(stage.build.outcome)) return stage.build.outcome;
  Outcome worst = Outcome::not_run;
  for (const auto& c : stage.cases) {
    if (is_problem(c.outcome) && !c.advice) return c.outcome;
    if (c.outcome == Outcome::passed) worst = Outcome::passed;
  }
  return worst;
}

}  // namespace opgrade::report
