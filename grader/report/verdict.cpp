#include "grader/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "grader/core/finding_kind.hpp"
#include "grader/report/units.hpp"

namespace opgrade::report {
namespace {

constexpr std::size_t kFindings = 5;  ///< so many of a case are shown

Standing standing_of(const Grade& view) {
  if (view.outcome == Outcome::grader_fault) return Standing::fault;
  if (view.passed) return Standing::passed;
  // Without a mark no open point mends what is wrong.
  if (view.pass_mark <= 0 && is_submission_fault(view.outcome)) return Standing::failed;
  if (view.open_points > 0 && view.points + view.open_points >= view.pass_mark) {
    return Standing::undecided;
  }
  // Without points that could be open.
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

/// Without its message where `reason`, a line above, has it: then all but its last full stop.
std::string finding_line(const Finding& f, std::string_view reason) {
  std::string line = place_of(f);
  if (!line.empty()) line += ": ";
  line += f.kind;
  if (!f.kernel.empty()) line += " in " + f.kernel;
  if (is_note(f)) line += " (note)";
  std::string_view message = f.message;
  if (message.ends_with('.')) message.remove_suffix(1);
  if (!message.empty() && reason.find(message) == reason.npos) line += ": " + f.message;
  return line;
}

/// The findings to show. Beside one that explains the failure, untidiness only distracts: memory
/// that was not freed because the process ended.
std::vector<Finding> telling(const std::vector<Finding>& findings) {
  const auto explains = [](const Finding& f) { return weight_of(f.kind) < FindingWeight::untidy; };
  std::vector<Finding> shown = findings;
  if (std::ranges::any_of(findings, explains)) std::erase_if(shown, std::not_fn(explains));
  return shown;
}

Problem problem_of(const CaseReport& c) {
  Problem p;
  p.outcome = c.outcome;
  p.where = c.id;
  p.reason = c.reason;
  p.facts = facts_of(c);
  p.next = next_of(c);
  p.repeat_command = c.repeat_command;
  p.output_title = "what it printed";
  p.output = c.student_output;
  return p;
}

bool is_problem(Outcome o) { return o != Outcome::passed && o != Outcome::not_run; }

/// A sentence without its numbers and without the shape that a case stopped at.
std::string gist_of(std::string_view sentence) {
  std::string gist(sentence.substr(0, sentence.find("; shape: ")));
  std::erase_if(gist, [](char c) { return c >= '0' && c <= '9'; });
  return gist;
}

/// Its pattern of wrong elements, or where there is none, how the call ended.
std::string story_of(const CaseReport& c) {
  const auto wrong = std::ranges::find_if(c.convs, [](const ConvReport& conv) {
    return conv.check.checked > 0 && !conv.check.passed();
  });
  if (c.outcome == Outcome::wrong_output)
    return gist_of(wrong != c.convs.end() ? wrong->check.hint : c.hint);
  return gist_of(c.reason);
}

/// True if `told` covers `c`: the same findings, or more of them, and without findings the same
/// story. The redacted report of a hidden case says nothing.
bool says_all_of(const CaseReport& told, const CaseReport& c) {
  if (told.outcome != c.outcome) return false;
  if (c.hidden && c.convs.empty() && c.hint.empty() && c.findings.empty()) return true;
  const bool known = std::ranges::all_of(c.findings, [&](const Finding& f) {
    return std::ranges::any_of(told.findings, [&](const Finding& other) {
      return std::tie(f.kind, f.file, f.line) == std::tie(other.kind, other.file, other.line);
    });
  });
  return known && (!c.findings.empty() || story_of(told) == story_of(c));
}

/// The cases of a stage that are not right, those that say no more than another one under its
/// name.
void add_cases(std::vector<Problem>& problems, const StageReport& stage, bool advice) {
  const auto first = problems.size();
  std::vector<const CaseReport*> told;
  for (const auto& c : stage.cases) {
    if (c.advice != advice || !is_problem(c.outcome)) continue;
    const auto same =
        std::ranges::find_if(told, [&](const CaseReport* other) { return says_all_of(*other, c); });
    if (same != told.end()) {
      problems[first + static_cast<std::size_t>(same - told.begin())].also.push_back(c.id);
      continue;
    }
    // A hidden case's reason is not shown; it is still the build's.
    if (is_problem(stage.build.outcome) && c.outcome == stage.build.outcome) continue;
    problems.push_back(problem_of(c));
    told.push_back(&c);
  }
}

}  // namespace

std::string_view title_of(Standing standing) {
  switch (standing) {
    case Standing::passed:
      return "PASSED";
    case Standing::failed:
      return "FAILED";
    case Standing::undecided:
      return "INCOMPLETE";
    case Standing::not_run:
      return "NOT RUN";
    case Standing::fault:
      return "GRADER FAULT";
  }
  return "";
}

Verdict verdict_of(const Grade& view) {
  const Standing standing = standing_of(view);
  return {standing, std::string(title_of(standing)), score_of(view)};
}

std::vector<Problem> problems_of(const Grade& view) {
  std::vector<Problem> problems;
  for (const auto& stage : view.stages) {
    const auto& build = stage.build;
    const std::string name = stage.title.empty() ? stage.name : stage.title;
    if (is_problem(build.outcome)) {
      Problem& p = problems.emplace_back();
      p.outcome = build.outcome;
      p.where = "building " + name;
      p.reason = build.reason;
      p.next = build.hint.empty() ? std::string(default_next(build.outcome)) : build.hint;
      p.output_title = "compiler output";
      p.output = build.compiler_output;
      // The stage's cases fail with their build: all that they add is how to repeat it.
      const auto same = std::ranges::find(stage.cases, build.outcome, &CaseReport::outcome);
      if (same != stage.cases.end()) p.repeat_command = same->repeat_command;
    }
    add_cases(problems, stage, false);
  }
  if (problems.empty() && is_problem(view.outcome)) {
    Problem& p = problems.emplace_back();
    p.outcome = view.outcome;
    p.where = "the submission";
    p.reason = view.reason;
    p.next = default_next(view.outcome);
  }
  return problems;
}

bool tells_headline(const Grade& view, const std::vector<Problem>& problems) {
  return !problems.empty() && (view.reason == problems.front().reason ||
                               (!problems.front().reason.empty() &&
                                view.reason.ends_with(": " + problems.front().reason)));
}

std::string explain_command(const std::vector<Problem>& problems, std::size_t which) {
  const Outcome outcome = problems[which].outcome;
  for (std::size_t i = 0; i < which; ++i)
    if (problems[i].outcome == outcome) return {};
  return fmt::format("opgrade explain {}", words(outcome).id);
}

std::string_view heading_of(const std::vector<Problem>& problems) {
  const bool faults = std::ranges::any_of(problems, is_submission_fault, &Problem::outcome);
  return faults ? "Problems" : "Undecided cases";
}

std::vector<Problem> advice_of(const Grade& view) {
  std::vector<Problem> advice;
  for (const auto& stage : view.stages) add_cases(advice, stage, true);
  return advice;
}

std::string show_case_points(const CaseReport& c) {
  return c.advice ? "advice" : show_sum(sum_of(c.points));
}

bool points_need_a_table(const Grade& view) {
  return std::ranges::any_of(view.stages, [](const StageReport& stage) {
    return !stage.points.empty() || std::ranges::any_of(stage.cases, [](const CaseReport& c) {
      return c.points.size() > 1 || std::ranges::any_of(c.points, &PointItem::open);
    });
  });
}

std::vector<std::string> notes_of(const Grade& view) {
  std::vector<std::string> notes = view.notes;
  std::vector<std::string> told;  // places: the same finding in several cases is one note
  for (const auto& stage : view.stages) {
    for (const auto& c : stage.cases) {
      if (c.outcome != Outcome::passed) continue;
      for (const auto& f : c.findings) {
        const std::string place = f.kind + place_of(f);
        if (std::ranges::find(told, place) != told.end() || told.size() >= kFindings) continue;
        told.push_back(place);
        notes.push_back(fmt::format("{}: {}", c.id, finding_line(f, "")));
      }
    }
  }
  return notes;
}

std::vector<std::string> facts_of(const CaseReport& c) {
  std::vector<std::string> facts;
  for (const auto& conv : c.convs) {
    const auto& check = conv.check;
    if (check.passed() || (check.checked == 0 && check.mismatches == 0)) continue;
    if (check.first >= 0) {
      facts.push_back(fmt::format("{} at ({}): got {}, want {}", conv.layer,
                                  text_of(check.place, ", "), show_value(check.got),
                                  show_value(check.want)));
    }
    const bool counted = c.reason.find(fmt::format("{} of {} elements", check.mismatches,
                                                   check.checked)) != std::string::npos;
    std::string error = fmt::format("worst error {}, allowed {}", show_value(check.worst_error),
                                    show_value(check.tolerance));
    if (std::isnan(check.got)) {
      const bool old = check.hint.find("written") != check.hint.npos ||
                       check.hint.find("cleared") != check.hint.npos;
      error = old ? "the grader fills the output with NaN before each call" : "";
    }
    if (check.first < 0) {
      error.clear();  // all elements may be right: the reason says what is not
    } else if (!counted) {
      error = fmt::format("{} of {} elements of {} are wrong{}{}", check.mismatches, check.checked,
                          conv.layer, error.empty() ? "" : "; ", error);
    }
    if (!error.empty()) facts.push_back(error);
    facts.push_back(fmt::format("{}{}: {}", conv.layer.ends_with("shape") ? "" : "shape of ",
                                conv.layer, text_of(conv.shape)));
    // A wrong layer feeds the next one: only the first wrong layer says anything.
    break;
  }
  if (c.outcome == Outcome::wrong_accuracy && c.accuracy && c.required_accuracy) {
    facts.push_back(fmt::format("accuracy {}, required {}", show_accuracy(*c.accuracy),
                                show_accuracy(*c.required_accuracy)));
  }
  if (!c.usage.limit_hit.empty() && c.reason.find(c.usage.limit_hit) == std::string::npos)
    facts.push_back("limit reached: " + c.usage.limit_hit);
  // A process that reaches a limit is killed: the signal says nothing more.
  const auto says = [&](const char* word) { return c.reason.find(word) != std::string::npos; };
  const bool told =
      !c.usage.limit_hit.empty() || says("signal") || says("SIG") || says("exit code");
  if (!told && c.usage.signal != 0) {
    facts.push_back(fmt::format("ended by signal {}", c.usage.signal));
  } else if (!told && c.usage.exit_code > 0) {
    facts.push_back(fmt::format("exit code {}", c.usage.exit_code));
  }
  const auto findings = telling(c.findings);
  for (std::size_t i = 0; i < std::min(kFindings, findings.size()); ++i) {
    facts.push_back(finding_line(findings[i], c.reason));
  }
  if (findings.size() > kFindings) {
    facts.push_back(fmt::format("[{} more findings]", findings.size() - kFindings));
  }
  return facts;
}

std::string next_of(const CaseReport& c) {
  const auto findings = telling(c.findings);
  const std::size_t shown = std::min(kFindings, findings.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& f = findings[i];
    const std::string place = place_of(f);
    if (place.empty() || (c.hint != text_of(f) && !decides(f))) continue;
    // The facts have the sentence already; what the outputs look like stands nowhere else.
    std::string next = fmt::format("Fix {} first.", place);
    if (c.outcome == Outcome::mistake_found && !c.hint.empty()) return next + " " + c.hint;
    for (const auto& conv : c.convs) {
      if (conv.check.passed() || conv.check.hint.empty()) continue;
      return next + " The outputs: " + conv.check.hint;
    }
    return next;
  }
  if (!c.hint.empty()) return c.hint;
  for (const auto& conv : c.convs) {
    if (conv.check.passed() || conv.check.hint.empty()) continue;
    if (c.reason.find(conv.check.hint) == c.reason.npos) return conv.check.hint;
    return "Check every index that y is written with: one is negative or past the end.";
  }
  if (c.hidden && c.convs.empty() && is_submission_fault(c.outcome)) {
    return "Its details are for the staff. Try other batch sizes and shapes of your own.";
  }
  return std::string(default_next(c.outcome));
}

std::string_view default_next(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "";
    case Outcome::wrong_output:
      return "Compute the named element by hand and compare the indices your loop uses for it.";
    case Outcome::wrong_accuracy:
      return "Look for state that survives from one call to the next.";
    case Outcome::mistake_found:
      return "Go to the named line: another GPU, or another run, may give other values there.";
    case Outcome::not_credible:
      return "Do all the work inside the timed call, and wait for the device before it returns.";
    case Outcome::crashed:
      return "Check every index against the tensor's size; build with -fsanitize=address and "
             "rerun.";
    case Outcome::exited_early:
      return "Return from the function; never call exit() or abort().";
    case Outcome::out_of_time:
      return "Look for a loop that does not end, then for needless work.";
    case Outcome::out_of_memory:
      return "Free what each call allocates; allocate only what it needs.";
    case Outcome::over_limit:
      return "Remove printing, files and processes from the timed code.";
    case Outcome::build_failed:
      return "Fix the first error of the compiler; later ones often follow.";
    case Outcome::refused:
      return "Hand in exactly the files that the assignment names.";
    case Outcome::not_emulated:
      return "Grade it on a machine with a GPU and the CUDA toolkit; no points are lost until "
             "then.";
    case Outcome::not_run:
      return "";
    case Outcome::grader_fault:
      return "Nothing to do for the student; the staff should run `opgrade doctor` and grade "
             "again.";
  }
  return "";
}

bool is_submission_fault(Outcome outcome) {
  return outcome != Outcome::passed && !is_undecided(outcome);
}

bool is_not_run(const StageReport& stage) { return outcome_of(stage) == Outcome::not_run; }

std::string not_run_reason(const StageReport& stage) {
  for (const auto& c : stage.cases) {
    if (c.outcome == Outcome::not_run && !c.reason.empty() && !c.hidden) return c.reason;
  }
  return stage.build.outcome == Outcome::not_run ? stage.build.reason : std::string();
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
