// The parts of a page that show a student's grade, submissions and times.
#include <fmt/format.h>

#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/grading/pipeline/submission_source.hpp"
#include "grader/report/fields/view.hpp"
#include "grader/report/html/html_plot.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/pages/pages_practice.hpp"
#include "grader/service/state/ranking.hpp"

namespace opgrade::service::pages {
namespace {

/// Lines for the Op Times in the reason of the points: full points, no points, serial and
/// reference.
std::vector<report::PlotLine> time_lines(const Service& service,
                                         const course::GradedSubmission& graded,
                                         const std::string& ranked_stage) {
  auto grade = read_result((service.path / graded.result.decisive().result).parent_path());
  std::vector<report::PlotLine> lines;
  if (!grade) return lines;
  grade = report::view_for(*grade, report::Audience::student);
  for (const auto& stage : grade->stages)
    for (const auto& item : stage.points)
      if (const auto* const r = item.reason.get_if<why::OpTime>();
          r != nullptr && stage.name == ranked_stage && lines.empty()) {
        lines = {{r->full_ms, "full points"}};
        if (r->zero_ms > 0) lines.push_back({r->zero_ms, "no points"});
        if (r->serial_ms) lines.push_back({*r->serial_ms, "serial"});
        if (r->reference_ms) lines.push_back({*r->reference_ms, "reference"});
      }
  return lines;
}

}  // namespace

report::Cell verdict_cell(const course::Entry* entry, const HandIn& h) {
  if (h.state == State::added) return {"not graded yet", "open"};
  if (h.state != State::done)
    return {std::string(name_of(h.state)), h.state == State::cancelled ? "soft" : "open"};
  const auto* const graded = entry != nullptr ? entry->find(h.submission.id) : nullptr;
  if (graded == nullptr || !graded->result.earned) return {"done", ""};
  const bool counts = entry->is_counted(h.submission.id);
  const std::string& why_not = graded->standing.why_not;
  const Outcome outcome = graded->result.decisive().outcome;
  return {fmt::format("{}, {}{}{}", words(outcome).text,
                      course::points_text(*graded, *entry->assignment), counts ? "; counts" : "",
                      why_not.empty() ? "" : "; does not count: " + why_not),
          report::outcome_css(outcome)};
}

std::string late_text(const course::Lateness& late) {
  return late.after.count() > 0 ? course::span_text(late.after) : "in time";
}

void add_grade(xml_node parent, const course::CourseFolder& folder, const course::Entry& entry,
               course::Moment now, bool whole) {
  const bool nothing_yet =
      entry.state == course::Entry::State::missing && now <= entry.last_deadline();
  add(parent, "p", nothing_yet ? "No grade yet" : "Grade: " + grade_text(entry),
      whole ? "verdict" : "score");
  if (!whole) return;
  auto list = add(parent, "ul");
  for (const auto& line : derivation(entry, folder, report::Audience::student))
    add(list, "li", line);
}

void add_history(xml_node parent, const course::CourseFolder& folder, const course::Entry* entry,
                 const std::vector<HandIn>& all) {
  if (all.empty()) {
    add(parent, "p", "No submissions yet.");
    return;
  }
  // A practice run is never late. Its tool is shown, because it decides which numbers the run has.
  const bool runs = all.front().is_practice();
  HtmlTable table(
      parent, {runs ? "Run" : "Submission", "Handed in", runs ? "Tool" : "Late", "By", "Verdict"});
  for (auto h = all.rbegin(); h != all.rend(); ++h) {
    const auto* const graded = entry != nullptr ? entry->find(h->submission.id) : nullptr;
    table.begin_row(entry != nullptr && entry->is_counted(h->submission.id) ? "own" : "");
    link_submission(table.cell(), h->submission.id);
    table.cell(folder.course.zone->text(h->submission.handed_in));
    table.cell(runs ? tool_title(*h)
                    : late_text(graded != nullptr ? graded->standing.late : course::Lateness{}));
    table.cell(h->person);
    const report::Cell verdict = verdict_cell(entry, *h);
    table.cell(verdict.text, verdict.css);
  }
}

void add_attempts(xml_node parent, const Service& service, const course::Entry& entry,
                  const std::vector<HandIn>& all) {
  const auto config = service.files.config_of(*entry.assignment);
  const bool timed = is_ranked(*config);
  report::Plot plot{.title = timed ? "Your Op Times" : "Your points",
                    .x_title = "attempt",
                    .y_title = timed ? "Op Time, ms" : "points",
                    .joined = true};
  if (!timed) plot.y_text = course::points_text;
  const course::GradedSubmission* last = nullptr;
  for (const HandIn& h : all) {
    const auto* const graded = entry.find(h.submission.id);
    if (h.state != State::done || graded == nullptr || !graded->result.earned) continue;
    auto& point = plot.points.emplace_back(
        report::PlotPoint{.x = static_cast<double>(plot.points.size() + 1),
                          .name = fmt::format("submission {}", h.submission.id),
                          .marked = entry.is_counted(h.submission.id)});
    last = graded;
    if (!timed) {
      point.y = graded->after_late;
      continue;
    }
    const Contender c = service.contenders->of(graded->result.counted, *config->ranking);
    if (c.entry == Entry::timed) point.y = c.time_ms;
  }
  if (timed && last != nullptr) plot.lines = time_lines(service, *last, config->ranking->stage);
  report::add_plot(parent, plot);
}

report::SourceOf source_of(const Service& service, const HandIn& hand_in) {
  const auto folder = service.files.folder();
  const auto* const assignment = folder->course.find(hand_in.submission.assignment);
  if (assignment == nullptr) return {};
  return opgrade::source_of(service.path / hand_in.submission.file,
                            service.files.config_of(*assignment));
}

}  // namespace opgrade::service::pages
