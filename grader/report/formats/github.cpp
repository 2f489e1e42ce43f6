#include "grader/report/formats/github.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/report/formats/text.hpp"
#include "grader/report/words/diagnostics.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

std::string escape(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

struct Annotation {
  std::string level, file, title, message;
  int line = 0;

  std::string str() const {
    std::string properties;
    if (!file.empty()) properties += "file=" + escape(file, true) + ",";
    if (!file.empty() && line > 0) properties += fmt::format("line={},", line);
    properties += "title=" + escape(title, true);
    return fmt::format("::{} {}::{}\n", level, properties, escape(message, false));
  }
};

std::vector<Annotation> errors_of(const Grade& view) {
  std::vector<Annotation> out;
  for (const auto& d : diagnostics_of(view, kMaxAnnotations)) {
    const std::string title = d.case_id.empty() ? "does not build" : d.case_id + ": " + d.rule;
    const char* level = d.severity == Severity::error     ? "error"
                        : d.severity == Severity::warning ? "warning"
                                                          : "notice";
    out.push_back({level, d.path, title, d.message, d.line});
  }
  const auto add = [&](const Problem& p, const char* level) {
    std::string message = p.reason;
    for (const auto& fact : p.facts) message += (message.empty() ? "" : "\n") + fact;
    if (!p.next.empty()) message += "\nnext: " + p.next;
    out.push_back({level, "", fmt::format("{}: {}", p.where, p.state), message});
  };
  for (const auto& p : problems_of(view))
    add(p, is_submission_fault(p.outcome) ? "error" : "warning");
  for (const auto& p : advice_of(view)) add(p, "notice");
  return out;
}

std::string summary(const Grade& view, bool outputs) {
  const Verdict verdict = grade_verdict(view);
  std::string out = fmt::format("## {}: {}\n\n**{}**\n\n", markdown_text(view.submission),
                                verdict.title, markdown_text(verdict.score));
  const auto add = [&](const Problem& p) {
    out +=
        fmt::format("- **{}: {}** {}\n", markdown_text(p.where), p.state, markdown_text(p.reason));
    for (const auto& fact : p.facts) out += fmt::format("  - {}\n", markdown_text(fact));
    if (!p.also.empty()) {
      out += fmt::format("  - the same in: {}\n",
                         markdown_text(fmt::format("{}", fmt::join(p.also, ", "))));
    }
    if (!p.next.empty()) out += fmt::format("  - next: {}\n", markdown_text(p.next));
    if (outputs && !p.output.empty()) {
      out += fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n\n", p.output_title,
                         markdown_block(first_lines(p.output.substr(0, 16384), 60)));
    }
  };
  for (const auto& p : problems_of(view)) add(p);
  if (const auto advice = advice_of(view); !advice.empty()) {
    out += fmt::format("\n### {}\n\n{}\n\n", kAdviceTitle, kAdvice);
    for (const auto& p : advice) add(p);
  }
  for (const auto& stage : view.stages) {
    const std::string name = stage.title.empty() ? stage.name : stage.title;
    out +=
        fmt::format("\n### {}{}\n\n", markdown_text(name), is_not_run(stage) ? " (not run)" : "");
    if (stage.cases.empty()) continue;
    out += "| case | outcome | accuracy | Op Time | Layer Time | points |\n";
    out += "|:--|:--|--:|--:|--:|--:|\n";
    for (const auto& c : stage.cases) {
      auto cells = case_cells(c, stage.device);
      cells[0] = markdown_text(cells[0]);
      out += fmt::format("| {} |\n", fmt::join(cells, " | "));
    }
  }
  for (const auto& note : notes_of(view)) out += "\n> " + markdown_text(note) + "\n";
  return out;
}

}  // namespace

std::string github_annotations(const Grade& grade, Audience audience) {
  const Grade view = view_for(grade, audience);
  const auto errors = errors_of(view);
  std::string out;
  int shown_errors = 0, shown_warnings = 0;
  for (const auto& annotation : errors) {
    int& shown = annotation.level == "error" ? shown_errors : shown_warnings;
    if (shown++ < kMaxAnnotations) out += annotation.str();
  }
  const Verdict verdict = grade_verdict(view);
  return out + Annotation{"notice", "", "opgrade: " + verdict.title, verdict.score}.str();
}

std::string github_log(const Grade& grade, Audience audience, const std::string& token) {
  return github_guarded(text_report(grade, audience, {.width = 100}), token) +
         github_annotations(grade, audience);
}

std::string github_guarded(std::string_view log, std::string_view token) {
  const bool letters = std::all_of(token.begin(), token.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  if (token.size() < 16 || !letters || log.find(token) != log.npos) {
    throw Error("github: this token cannot guard the log",
                "Draw a fresh random one of at least 16 letters and digits.");
  }
  const char* end = log.empty() || log.back() == '\n' ? "" : "\n";
  return fmt::format("::stop-commands::{}\n{}{}::{}::\n", token, log, end, token);
}

std::string github_summary(const Grade& grade, Audience audience) {
  constexpr std::size_t kLimit = 1024 * 1024;
  const Grade view = view_for(grade, audience);
  std::string text = summary(view, true);
  if (text.size() >= kLimit) text = summary(view, false);
  if (text.size() >= kLimit) {
    const Verdict verdict = grade_verdict(view);
    text = fmt::format("## {}\n\n{}\n\nThe report is too long for a summary.\n", verdict.title,
                       markdown_text(verdict.score));
  }
  return text;
}

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(code) != 0 || code >= 0x80 || c == ' ' || c == '.' ||
                       c == ',' || c == ';' || c == '(' || c == ')' || c == '/' || c == '=' ||
                       c == '%';
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
    } else {
      out += plain ? std::string(1, c) : fmt::format("&#{};", code);
    }
  }
  return out;
}

std::string markdown_block(std::string_view text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const char* end = text.empty() || text.back() == '\n' ? "" : "\n";
  return fmt::format("{}text\n{}{}{}\n", fence, text, end, fence);
}

}  // namespace opgrade::report
