#include "grader/report/formats/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/report/words/advice_words.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/text_layout.hpp"
#include "grader/report/words/units.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

constexpr int kOutputLines = 20;
constexpr std::size_t kOutputColumns = 160;  // bytes; the other reports show more

Colour colour_of(Mark mark) {
  constexpr std::array kColours{Colour::green, Colour::red, Colour::yellow};
  return kColours[static_cast<std::size_t>(mark)];
}

/// Writes one report; `text_` grows from top to bottom.
class Writer {
 public:
  Writer(const Grade& view, const TextStyle& style)
      : view_(view), style_(style), glyphs_(style.unicode ? unicode_glyphs() : ascii_glyphs()) {
    style_.width = std::max(style_.width, 40);
  }

  std::string write() {
    const auto problems = problems_of(view_);
    add_verdict(problems);
    if (!problems.empty()) heading(heading_of(problems));
    add_all(problems);
    if (const auto advice = advice_of(view_); !advice.empty()) {
      heading(kAdviceTitle);
      paragraph(kAdvice, "  ", "  ");
      add_all(advice);
    }
    for (const auto& stage : view_.stages) add_stage(stage);
    if (timed_) {
      text_ += '\n';
      paragraph(times_are(view_) + "; " + glyphs_.plus_minus +
                    " is the interquartile range over the median.",
                "", "");
    }
    add_points();
    add_notes();
    add_machine();
    return std::move(text_);
  }

 private:
  std::string show(std::string_view text) const {
    return style_.unicode ? std::string(text) : to_ascii(text);
  }

  void paragraph(std::string_view text, std::string_view first, std::string_view indent) {
    text_ += wrap(show(text), style_.width, first, indent);
  }

  void heading(std::string_view title) {
    text_ += '\n';
    std::string lines = wrap(show(title), style_.width, "", "");
    lines.pop_back();
    text_ += paint(lines, Colour::bold, style_.colour) + "\n";
  }

  void add_verdict(const std::vector<Problem>& problems);
  void add_all(const std::vector<Problem>& problems) {
    for (std::size_t i = 0; i < problems.size(); ++i)
      add_problem(problems[i], explain_command(problems, i));
  }
  void add_problem(const Problem& problem, const std::string& explain);
  void add_output(const std::string& title, const std::string& output);
  void add_stage(const StageReport& stage);
  void add_points();
  void add_notes();
  void add_machine();

  const Grade& view_;
  TextStyle style_;
  const Glyphs& glyphs_;
  std::string text_;
  bool timed_ = false;  ///< a table has times
};

void Writer::add_verdict(const std::vector<Problem>& problems) {
  const Verdict verdict = grade_verdict(view_);
  paragraph(view_.submission + " " + glyphs_.dot + " " +
                (view_.config_title.empty() ? view_.config_name : view_.config_title),
            "", "");
  std::string lines = wrap(verdict.title + "  " + verdict.score, style_.width, "", "  ");
  lines.replace(0, verdict.title.size(),
                paint(verdict.title, colour_of(mark_of(verdict.standing)), style_.colour));
  text_ += lines;
  if (!tells_headline(view_, problems) && !view_.reason.empty())
    paragraph(sentence_of(view_.reason), "", "");
}

void Writer::add_problem(const Problem& problem, const std::string& explain) {
  paragraph(fmt::format("{}: {}", problem.where, problem.state), "  ", "    ");
  if (!problem.reason.empty()) paragraph(problem.reason, "    ", "    ");
  for (const auto& fact : problem.facts) paragraph(fact, "    ", "      ");
  if (!problem.also.empty()) {
    paragraph(fmt::format("{}", fmt::join(problem.also, ", ")), "    the same in: ", "      ");
  }
  add_output(problem.output_title, problem.output);
  if (!problem.next.empty()) paragraph(problem.next, "    next:  ", "           ");
  if (!problem.repeat_command.empty()) {
    // A command stays on one line, however long it is, so that it can be pasted.
    text_ += "    again: " + show(problem.repeat_command) + "\n";
  }
  if (!explain.empty()) text_ += "    more:  " + explain + "\n";
}

void Writer::add_output(const std::string& title, const std::string& output) {
  if (output.empty()) return;
  text_ += "    " + title + ":\n";
  const std::string lines = first_lines(output, kOutputLines);
  for (std::size_t start = 0; start <= lines.size();) {
    const auto end = std::min(lines.find('\n', start), lines.size());
    const auto length = std::min(end - start, kOutputColumns);
    std::string line = lines.substr(start, length);
    // A cut inside a character would leave a part of the character behind.
    while (length < end - start && !line.empty() && (lines[start + line.size()] & 0xC0) == 0x80) {
      line.pop_back();
    }
    if (length < end - start) line += "...";
    paragraph(line, "    | ", "    | ");
    start = end + 1;
  }
}

void Writer::add_stage(const StageReport& stage) {
  const auto& build = stage.build;
  const bool not_run = is_not_run(stage);
  std::string title = stage.title.empty() ? stage.name : stage.title;
  if (not_run) {
    const std::string why = not_run_reason(stage);
    title += " " + glyphs_.dash + " not run" + (why.empty() ? "" : ": " + why);
  } else if (build.outcome == Outcome::passed) {
    title += " " + glyphs_.dot + " built in " + show_s(build.elapsed_s, glyphs_);
  } else {
    title += " " + glyphs_.dash + " " + std::string(words(build.outcome).text);
  }
  if (stage.device == Device::emulated && !not_run && build.outcome == Outcome::passed)
    title += ", emulated (no times)";
  heading(title);
  if (stage.cases.empty()) return;

  Table table({{"case"},
               {"outcome"},
               {"accuracy", true},
               {"Op Time", true},
               {"Layer Time", true, true},
               {"points", true}});
  for (const auto& c : stage.cases) {
    const auto [id, outcome, accuracy, op_time, layer_time, points] =
        case_cells(c, stage.device, glyphs_);
    table.add({{show(id)},
               {outcome, colour_of(mark_of(c))},
               {accuracy},
               {op_time},
               {layer_time},
               {points}});
  }
  text_ += table.str(style_.width, "  ", style_.colour);
  if (const auto gpu = ran_on(stage); !gpu.empty()) paragraph("on " + gpu, "  ", "    ");
  for (const auto& c : stage.cases)
    if (c.outcome == Outcome::passed && c.profile && !c.profile->advice.empty())
      paragraph(advice_line(c.profile->advice), "  ", "    ");
  timed_ = timed_ || std::any_of(stage.cases.begin(), stage.cases.end(), [&](const CaseReport& c) {
             return op_time_of(c, stage.device).has_value();
           });
}

void Writer::add_points() {
  if (!points_need_a_table(view_)) return;
  Table table({{"points", true}, {"for"}, {"because"}});
  for (const auto& [points, mark, item, reason] : point_rows(view_, glyphs_))
    table.add({{points, colour_of(mark)}, {show(item)}, {show(reason)}});
  heading("Points");
  text_ += table.str(style_.width, "  ", style_.colour);
}

void Writer::add_notes() {
  const auto notes = notes_of(view_);
  if (notes.empty()) return;
  heading("Notes");
  for (const auto& note : notes) paragraph(note, "  - ", "    ");
}

void Writer::add_machine() {
  const auto& m = view_.machine;
  std::vector<std::string> parts;
  if (!m.opgrade_version.empty()) parts.push_back("opgrade " + m.opgrade_version);
  if (!m.host_cpu.empty()) parts.push_back(fmt::format("{} ({} CPUs)", m.host_cpu, m.cpus));
  parts.push_back(m.gpu.empty() ? "no GPU" : m.gpu);
  if (!m.sandbox.empty()) parts.push_back("sandbox: " + m.sandbox);
  if (!m.compiler.empty()) parts.push_back(m.compiler);
  if (!m.started.empty()) parts.push_back(m.started);
  parts.push_back("took " + show_s(view_.elapsed_s, glyphs_));
  text_ += '\n';
  std::string line = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) line += " " + glyphs_.dot + " " + parts[i];
  paragraph(line, "", "");
}

}  // namespace

std::string text_report(const Grade& grade, Audience audience, const TextStyle& style) {
  const Grade view = view_for(grade, audience);
  return Writer(view, style).write();
}

}  // namespace opgrade::report
