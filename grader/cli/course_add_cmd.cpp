#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/course/exchange/add_submissions.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/service/queue/dispatcher.hpp"
#include "grader/service/queue/queue.hpp"
#include "grader/service/state/tables.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

course::Moment hand_in_time(const std::string& text, const course::TimeZone& zone) {
  if (const auto moment = course::parse_moment(text)) return *moment;
  if (const auto time = course::parse_wall_time(text)) return zone.moment(time->time);
  throw UsageError(fmt::format("--time '{}' is not a time", text),
                   "write 2026-10-12 23:59 for the course's clock, or 2026-10-13T04:59:00Z");
}

std::int64_t new_in(const course::AddReport& report) {
  return std::ranges::count_if(report.added, [](const auto& added) { return added.is_new; });
}

void print_report(const course::AddReport& report, const course::TimeZone& zone, bool dry_run) {
  const std::int64_t is_new = new_in(report);
  for (const auto& added : report.added) {
    fmt::print("{:<16} {}  {}{}\n", added.submission.owner, zone.text(added.submission.handed_in),
               lateness_text(added.late) + (added.late.accepted ? "" : ", NOT ACCEPTED"),
               added.is_new ? "" : " (was there)");
    fmt::print("{:<16}   from {}; time from {}\n", "", added.submission.source, added.time_from);
    if (const auto& why = added.submission.not_gradable; !why.empty())
      fmt::print("{:<16}   NOT GRADABLE, so it counts only where no other one can: {}\n", "", why);
    for (const auto& note : added.notes) fmt::print("{:<16}   note: {}\n", "", note);
  }
  for (const auto& missed : report.not_added) {
    fmt::print("NOT ADDED {}: {}\n", missed.source, missed.why);
    if (missed.nearest.empty()) continue;
    fmt::print("  nearest in the roster: {}\n  if it is one of them: --as {}=LOGIN\n",
               fmt::join(missed.nearest, "; "), missed.short_name);
  }
  fmt::print("{} {}, {} there, {} not added\n", is_new, dry_run ? "would be added" : "added",
             counted(std::ssize(report.added) - is_new, "was", "were"), report.not_added.size());
}

/// Adds submissions that count and have no result to the queue of the running server, if it grades.
/// If an earlier call was killed, repeating it adds the rest.
void queue_added(const course::CourseFolder& folder, const course::Store& store,
                 const course::Assignment& assignment, const course::AddReport& report) {
  service::Queue queue(store);
  if (queue.setting(service::kWorkers) == "0") return;  // opgrade course grade grades them instead
  std::set<std::int64_t> counting;
  for (const auto& s : submissions_that_count(folder, store, assignment)) counting.insert(s.id);
  std::int64_t queued = 0;
  for (const auto& added : report.added) {
    const std::int64_t id = added.submission.id;
    const auto stored = queue.find(id);
    if (counting.contains(id) && stored && stored->state == service::State::added &&
        queue.add_stored(id, course::this_second()))
      ++queued;
  }
  fmt::print(
      "{} put into the queue of the running opgrade serve; staff's page Class shows the "
      "queue\n",
      counted(queued, "submission is", "submissions are"));
}

}  // namespace

void add_course_add(arguments::Parser& course_verb, int& exit_code) {
  auto* verb = course_verb.add_subcommand(
      "add", "Take in submissions: folders, archives, git clones, Gradescope and Canvas exports");
  auto path = add_course_folder(*verb);
  struct Own {
    std::string assignment, time;
    std::vector<std::string> as;
    course::AddOptions options;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("assignment", own->assignment, "The assignment's name in course.yaml")
      ->required();
  verb->add_option("paths", own->options.paths,
                   "A folder with an entry for each student, an export, or archives")
      ->required();
  verb->add_option("--student", own->options.student,
                   "Each path is a submission of this login or id");
  verb->add_option("--as", own->as, "NAME=LOGIN for a name that is not in the roster");
  verb->add_option("--only", own->options.only, "Add only this name or login");
  verb->add_option("--time", own->time,
                   "Submission time, instead of the files' own: 2026-10-12 23:59");
  verb->add_flag("--dry-run", own->options.dry_run, "Print what would be added, and add nothing");
  verb->callback([=, &exit_code] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const course::Assignment& assignment = assignment_of(folder, own->assignment);
    course::AddOptions options = own->options;
    if (!own->time.empty()) options.time = hand_in_time(own->time, *folder.course.zone);
    for (const auto& pair : own->as) {
      const auto equals = pair.find('=');
      if (equals == pair.npos || equals == 0)
        throw UsageError(fmt::format("--as '{}' is not NAME=LOGIN", pair), "write --as NAME=LOGIN");
      options.as.emplace(pair.substr(0, equals), pair.substr(equals + 1));
    }
    const Config config = read_config(assignment.config);
    options.config = &config;
    course::Store store = service::open_store(*path);
    const auto report = add_submissions(folder, store, assignment, options);
    if (const auto added = new_in(report); added > 0 && !options.dry_run)
      audit_here(store, course::user_name(), "add submissions",
                 fmt::format("{}: {}", assignment.name, counted(added, "submission")));
    print_report(report, *folder.course.zone, options.dry_run);
    if (!options.dry_run && service::is_served(*path))
      queue_added(folder, store, assignment, report);
    exit_code = report.not_added.empty() ? kPassed : kBelowPassMark;
  });
}

}  // namespace opgrade::cli
