#include "grader/course/why.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grader/core/counted.hpp"
#include "grader/results/result_folder.hpp"

namespace opgrade::course {
namespace {

std::string point_line(const PointItem& item) {
  return fmt::format("        {}: {} of {}{}{}\n", item.name, points_text(item.points),
                     points_text(item.max_points), item.open ? ", open" : "",
                     item.reason.empty() ? "" : " - " + item.reason);
}

/// The cases of a result, from its file.
std::string case_lines(const Attempt& attempt, const CourseFolder& folder, const Store& store,
                       const std::string& case_id) {
  const auto grade = read_result((folder.path / attempt.result).parent_path());
  if (!grade)
    return fmt::format("      {} cannot be read; opgrade course verify says why\n", attempt.result);
  std::string text;
  for (const auto& stage : grade->stages) {
    if (stage.build.outcome != Outcome::passed && case_id.empty()) {
      text += fmt::format("      {}: {} - {}\n", stage.name, words(stage.build.outcome).text,
                          stage.build.reason);
      if (!stage.build.hint.empty()) text += fmt::format("        next: {}\n", stage.build.hint);
    }
    for (const auto& c : stage.cases) {
      if (!case_id.empty() && case_id != c.id) continue;
      text += fmt::format("      {}: {}{}{}\n", c.id, words(c.outcome).text,
                          c.reason.empty() ? "" : " - " + c.reason, c.hidden ? " (hidden)" : "");
      for (const auto& item : c.points) text += point_line(item);
      if (case_id.empty()) continue;
      if (!c.hint.empty()) text += fmt::format("        next: {}\n", c.hint);
      if (!c.repeat_command.empty()) text += fmt::format("        again: {}\n", c.repeat_command);
      std::map<std::string, std::vector<std::string>> times;
      for (const Sample& sample : store.samples(attempt.id))
        if (sample.case_id == c.id && sample.stage == stage.name)
          times[sample.layer].push_back(fmt::format("{:.4g}", sample.op_time_ms));
      for (const auto& [layer, samples] : times)
        text += fmt::format("        Op Times of {}: {} ms\n", layer, fmt::join(samples, ", "));
    }
    for (const auto& item : stage.points)
      if (case_id.empty()) text += point_line(item);
  }
  if (!text.empty()) return text;
  std::vector<std::string> cases;
  for (const auto& stage : grade->stages)
    for (const auto& c : stage.cases) cases.push_back(c.id);
  return fmt::format("      this result has no case {}; it has {}\n", case_id,
                     fmt::join(cases, ", "));
}

std::string attempt_line(const Attempt& a) {
  return fmt::format(
      "    grading {}: {}, {} of {}{}; config {}, opgrade {}, {}; {}, sandbox {}, {}\n      {}\n",
      a.number, words(a.outcome).text, points_text(a.points), points_text(a.max_points),
      a.open_points > 0 ? fmt::format(" ({} open)", points_text(a.open_points)) : "",
      a.config_sha256.substr(0, 12), a.version, a.started, a.machine, a.tier, a.device, a.result);
}

}  // namespace

std::string why_text(const Entry& entry, const CourseFolder& folder, const Store& store,
                     const std::string& case_id) {
  const TimeZone& zone = *folder.course.zone;
  const Assignment& a = *entry.assignment;
  std::string text = fmt::format(
      "{} ({}), {}: {}{}\n  {}\n", entry.student->login, entry.student->name, a.title,
      entry.points
          ? fmt::format("{} of {}, ", points_text(*entry.points), points_text(entry.maximum))
          : "",
      name_of(entry.state), entry.reason);
  text += fmt::format("  due {}{}\n", zone.text(entry.due.deadline),
                      entry.due.deadline == a.deadline
                          ? ""
                          : fmt::format(", extended from {}", zone.text(a.deadline)));
  for (std::size_t i = 0; i < entry.submissions.size(); ++i) {
    const GradedSubmission& g = entry.submissions[i];
    const Submission& s = g.standing.submission;
    const Lateness& late = g.standing.late;
    const std::string when =
        late.after.count() == 0 ? "in time"
        : late.accepted && late.days == 0
            ? span_text(late.after) + " after the deadline, within the grace period"
            : fmt::format("{} after the deadline{}", span_text(late.after),
                          late.accepted ? fmt::format(", {} late", counted(late.days, "day")) : "");
    text +=
        fmt::format("  submission {} of {}, {}\n    {} from {}, added by {} at {}\n", s.id,
                    zone.text(s.handed_in), when, s.file, s.source, s.added_by, zone.text(s.added));
    if (!g.standing.why_not.empty())
      text += fmt::format("    does not count: {}\n", g.standing.why_not);
    for (const Attempt& attempt : g.attempts) text += attempt_line(attempt);
    if (g.counted.size() > 1 && g.earned)
      text += fmt::format("    the median of {} gradings is {}\n", g.counted.size(),
                          points_text(*g.earned));
    if (entry.counts == i) {
      text += "    this one counts\n" + case_lines(g.counted.back(), folder, store, case_id);
      if (const auto price = price_text(a.late, late.days); !price.empty())
        text += fmt::format("    {}: {} become {}\n", price, points_text(*g.earned),
                            points_text(g.after_late));
    }
  }
  for (const Change& c : entry.changes) {
    text += fmt::format("  change of {} by {}: {}{}{} - {}\n", zone.text(c.at), c.who,
                        c.kind == Change::Kind::none ? "taken back" : name_of(c.kind),
                        c.item.empty() ? "" : " " + c.item,
                        c.points ? " " + points_text(*c.points) : "", c.reason);
  }
  return text;
}

}  // namespace opgrade::course
