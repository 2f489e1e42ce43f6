#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/repeat.hpp"

namespace opgrade::course {
namespace {

std::string point_line(const PointItem& item) {
  return fmt::format("        {}: {} of {}{}{}\n", item.name, points_text(item.points),
                     points_text(item.max_points), item.open ? ", open" : "",
                     item.reason.empty() ? "" : " - " + report::sentence_of(item));
}

std::string next_line(const Reason& reason) {
  const std::string hint = report::hint_of(reason);
  return hint.empty() ? "" : fmt::format("        next: {}\n", hint);
}

/// The cases of a result, from its file.
std::string case_lines(const Attempt& attempt, const CourseFolder& folder,
                       const std::string& case_id) {
  const auto grade = read_result((folder.path / attempt.result).parent_path());
  if (!grade)
    return fmt::format("      {} cannot be read; opgrade course verify says why\n", attempt.result);
  std::string text;
  for (const auto& stage : grade->stages) {
    if (stage.build.outcome != Outcome::passed && case_id.empty()) {
      text += fmt::format("      {}: {} - {}\n", stage.name, words(stage.build.outcome).text,
                          report::sentence_of(stage.build.reason));
      text += next_line(stage.build.reason);
    }
    for (const auto& c : stage.cases) {
      if (!case_id.empty() && case_id != c.id) continue;
      text += fmt::format("      {}: {}{}{}\n", c.id, words(c.outcome).text,
                          c.reason.empty() ? "" : " - " + report::sentence_of(c.reason),
                          c.hidden ? " (hidden)" : "");
      for (const auto& item : c.points) text += point_line(item);
      if (case_id.empty()) continue;
      text += next_line(c.reason);
      if (c.repeat) text += fmt::format("        again: {}\n", report::repeat_command(c));
      for (const auto& call : c.calls)
        if (const auto& samples = call.op_time.samples_ms; !samples.empty())
          text += fmt::format("        Op Times of {}: {:.4g} ms\n", call.layer,
                              fmt::join(samples, ", "));
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

/// Why the submission at `entry.counts` counts.
std::string choice_text(const Entry& entry, report::Audience audience) {
  if (entry.chosen) {
    const bool staff = audience == report::Audience::staff;
    const std::string& why = staff ? entry.chosen->reason : entry.chosen->told;
    return fmt::format(", chosen by {}{}", staff ? entry.chosen->who : "staff",
                       why.empty() ? "" : " (" + why + ")");
  }
  const auto accepted = std::ranges::count_if(
      entry.submissions, [](const GradedSubmission& g) { return g.standing.graded; });
  if (entry.assignment->counts.which == Counting::Which::best && accepted > 1)
    return fmt::format(", the best of {}", accepted);
  return entry.submissions.size() > 1 ? ", the last that is accepted" : "";
}

std::string attempt_line(const Attempt& a, const TimeZone& zone) {
  return fmt::format(
      "    grading {}: {}, {} of {}{}; config {}, opgrade {}, {}; {}, sandbox {}, {}\n      {}\n",
      a.number, words(a.outcome).text, points_text(a.points), points_text(a.max_points),
      a.open_points > 0 ? fmt::format(" ({} open)", points_text(a.open_points)) : "",
      a.config_sha256.substr(0, 12), a.version, local_text(a.started, zone), a.machine, a.tier,
      a.device, a.result);
}

}  // namespace

std::vector<std::string> derivation(const Entry& entry, const CourseFolder& folder,
                                    report::Audience audience) {
  const TimeZone& zone = *folder.course.zone;
  const Assignment& a = *entry.assignment;
  const Moment regular = entry.student->deadline_of(a);
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "due {}{}", zone.text(entry.due.deadline),
      entry.due.deadline == regular ? "" : fmt::format(", extended from {}", zone.text(regular))));
  if (entry.state == Entry::State::held) {
    lines.push_back(entry.reason);
    return lines;
  }
  if (entry.counts) {
    const GradedSubmission& g = entry.submissions[*entry.counts];
    lines.push_back(fmt::format("submission {} counts{}: handed in {}, {}",
                                g.standing.submission.id, choice_text(entry, audience),
                                zone.text(g.standing.submission.handed_in),
                                lateness_text(g.standing.late)));
    std::vector<std::string> points;
    for (const Attempt& attempt : g.result.counted) points.push_back(points_text(attempt.points));
    const std::string earned = fmt::format("{} of {}", points_text(*g.result.earned),
                                           points_text(g.result.decisive().max_points));
    lines.push_back(points.size() > 1 ? fmt::format("graded {}; the median of {} gradings ({})",
                                                    earned, points.size(), fmt::join(points, ", "))
                                      : "graded " + earned);
    for (const Rejudge& rejudge : g.rejudged)
      if (const auto text = regraded_by(g.attempts, rejudge.id, a.counts.of).text(); !text.empty())
        lines.push_back(fmt::format("{} on {}, graded again{}", text, zone.text(rejudge.decided_at),
                                    rejudge.told || audience == report::Audience::staff
                                        ? ": " + rejudge.reason
                                        : " by staff"));
    if (const auto price = price_text(a.late, g.standing.late.days); !price.empty())
      lines.push_back(fmt::format("{}: {} become {}", price, points_text(*g.result.earned),
                                  points_text(g.after_late)));
  } else if (entry.waiting == 0 && !entry.submissions.empty()) {
    lines.push_back("no submission was accepted: " + entry.submissions.back().standing.why_not);
  }
  if (entry.waiting > 0) lines.push_back(waiting_text(entry));
  if (!entry.graded_by.empty() && audience == report::Audience::staff)
    lines.push_back(entry.graded_by +
                    (entry.outdated ? "" : "; a build of the same release, which moves no points"));
  else if (entry.outdated)
    lines.push_back("the rules changed since it was graded; it stays until staff grade it again");
  for (const auto& [item, points] : entry.items)
    lines.push_back(fmt::format("{} for {}, given by staff", points_text(points), item));
  if (entry.report)
    for (auto& line : report_derivation(*entry.report, zone)) lines.push_back(std::move(line));
  if (const auto& change = entry.decided) {
    const std::string what =
        change->points ? "set to " + points_text(*change->points) : std::string("excused");
    lines.push_back(audience == report::Audience::staff
                        ? fmt::format("{} by {}: {}", what, change->who, change->reason)
                        : fmt::format("{} by staff{} (on {})", what,
                                      change->told.empty() ? "" : ": " + change->told,
                                      zone.text(change->at)));
  } else if (entry.undecided > 0) {
    lines.push_back(undecided_text(entry));
  }
  return lines;
}

std::string local_text(const std::string& started, const TimeZone& zone) {
  const auto moment = parse_moment(started);
  return moment ? zone.text(*moment) : started;
}

std::string why_text(const Entry& entry, const CourseFolder& folder, const std::string& case_id) {
  const TimeZone& zone = *folder.course.zone;
  std::string text = fmt::format("{} ({}), {}: {}\n", entry.student->login, entry.student->name,
                                 entry.assignment->title, grade_text(entry, this_second()));
  for (const auto& line : derivation(entry, folder, report::Audience::staff))
    text += fmt::format("  {}\n", line);
  for (std::size_t i = 0; i < entry.submissions.size(); ++i) {
    const GradedSubmission& g = entry.submissions[i];
    const Submission& s = g.standing.submission;
    text += fmt::format("  submission {} of {}, {}\n    {} from {}, added by {} at {}\n", s.id,
                        zone.text(s.handed_in), lateness_text(g.standing.late), s.file, s.source,
                        s.added_by, zone.text(s.added));
    if (!g.standing.why_not.empty())
      text += fmt::format("    does not count: {}\n", g.standing.why_not);
    for (const Attempt& attempt : g.attempts) text += attempt_line(attempt, zone);
    if (entry.counts == i)
      text += "    this one counts\n" + case_lines(g.result.decisive(), folder, case_id);
  }
  for (const Change& c : entry.changes) {
    text += fmt::format("  change of {} by {}: {}{}{} - {}\n", zone.text(c.at), c.who,
                        c.kind == Change::Kind::none ? "taken back" : name_of(c.kind),
                        c.item.empty() ? "" : " " + c.item,
                        c.points       ? " " + points_text(*c.points)
                        : c.submission ? fmt::format(" {}", *c.submission)
                                       : "",
                        c.reason);
  }
  return text;
}

}  // namespace opgrade::course
