#include "grader/service/state/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/base/core/counted.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/report/html/html.hpp"
#include "grader/report/words/events.hpp"
#include "grader/service/queue/ranker.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/queue/uploads.hpp"
#include "grader/service/state/students_files.hpp"
#include "grader/service/state/tool_files.hpp"

namespace opgrade::service {
namespace {

/// True if no owner can hand in any more. Until then, reports hide what after_deadline() shows,
/// because students talk to those with an extension.
bool is_closed_for_all(const course::CourseFolder& folder, const course::Assignment& assignment,
                       course::Moment now) {
  return std::ranges::all_of(folder.roster.owners(assignment), [&](const course::Owner& owner) {
    course::Due due = due_of(owner, assignment);
    due.slip_days = folder.course.slip_days;  // at most, if all slip days are left
    return now > last_moment(*folder.course.zone, due);
  });
}

using nlohmann::ordered_json;

// A data line ends at a line end. JSON is on one line, because it writes line ends in strings as
// \n.

/// A message about the current state, which is sent again on each connection.
std::string state_message(const char* name, const ordered_json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, json_text(data));
}

/// A message with a line of the log.
std::string log_message(const StoredEvent& e, const std::string& line) {
  ordered_json data{{"at", course::iso_text(e.at)},
                    {"kind", std::string(report::event_name(e.event))},
                    {"text", line}};
  if (const auto outcome = report::event_outcome(e.event))
    data["mark"] = report::outcome_css(*outcome);
  return fmt::format("id: {}\ndata: {}\n\n", e.id, json_text(data));
}

ordered_json place_json(const std::optional<Place>& place) {
  if (!place) return nullptr;
  ordered_json json{{"position", place->position}, {"waiting", place->waiting}};
  json["seconds_left"] = place->left ? ordered_json(place->left->count()) : ordered_json(nullptr);
  json["text"] = place_text(*place);
  return json;
}

/// Owners of submissions whom the roster lacks. Their submissions are not graded.
std::vector<std::string> unknown_owners(const Service& service) {
  const auto folder = service.files.folder();
  std::vector<std::string> unknown;
  for (const auto& a : folder->course.assignments) {
    auto left = service.store.owners(a.name);
    for (const auto& owner : folder->roster.owners(a)) left.erase(owner.key);
    for (const auto& owner : left)
      if (std::ranges::find(unknown, owner) == unknown.end()) unknown.push_back(owner);
  }
  return unknown;
}

}  // namespace

std::vector<std::string> problems_for_staff(const Service& service) {
  std::vector<std::string> texts;
  const Dispatcher* const dispatcher = service.dispatcher();
  for (const std::string& trouble :
       {service.trouble(), service.watch.blocked(), service.files.folder_problem(),
        dispatcher != nullptr ? dispatcher->blocked() : ""})
    if (!trouble.empty()) texts.push_back(trouble);
  if (const auto folder = service.files.folder();
      service.now() > folder->course.delete_at().value_or(course::Moment::max()))
    texts.push_back(fmt::format(
        "The data of this course were to be kept until {}: delete its folder and its backups.",
        folder->course.zone->text(*folder->course.delete_at())));
  if (dispatcher != nullptr && dispatcher->workers() == 0)
    texts.emplace_back("This server has no workers (--workers 0), so it grades nothing.");
  if (const auto stuck = service.queue.count(State::stuck); stuck > 0)
    texts.push_back(counted(stuck, "submission") + " failed in the grader again and again.");
  std::ranges::move(service.files.config_problems(), std::back_inserter(texts));
  std::ranges::move(service.files.config_warnings(service.store), std::back_inserter(texts));
  for (const auto& owner : unknown_owners(service))
    texts.push_back(fmt::format("The roster lacks {}, who handed in.", owner));
  if (const auto& own = program_version();
      parts_of(service.options.version()).program != parts_of(own).program)
    texts.push_back(fmt::format(
        "opgrade was replaced on this machine. It grades as {} from now on; these pages "
        "are made by {} until opgrade serve is started again.",
        service.options.version(), own));
  return texts;
}

std::vector<Place> queue_now(const Service& service) {
  std::map<std::string, int> running;
  std::vector<Place> places;
  std::vector<std::chrono::seconds> busy;
  std::vector<HandIn> queued;
  std::vector<Waiting> waiting;
  const Ranker rank(service);
  for (HandIn& h : service.queue.in_work()) {
    Waiting w = rank(h);
    const bool known = rank.is_known(h);
    if (h.state == State::running) {
      ++running[h.submission.owner];
      const auto left =
          std::max(left_of(h.started.value_or(service.now()), w.estimate, service.now()),
                   std::chrono::seconds(1));
      busy.push_back(left);
      places.push_back({std::move(h), 0, known ? std::optional(left) : std::nullopt});
    } else {
      queued.push_back(std::move(h));
      waiting.push_back(std::move(w));
    }
  }
  auto order = fair_order(waiting, running);
  std::ranges::stable_partition(order, [&](std::size_t i) { return waiting[i].waits_for.empty(); });
  std::vector<Waiting> in_order;
  for (const std::size_t i : order) in_order.push_back(waiting[i]);
  const Dispatcher* const dispatcher = service.dispatcher();
  const bool works = dispatcher != nullptr && !dispatcher->draining();
  const auto ends = times_to_end(in_order, busy, works ? dispatcher->workers() : 0);
  // No estimate is shown if an assignment further in front has no graded submission to estimate
  // from.
  bool known = true;
  for (std::size_t n = 0; n < order.size(); ++n) {
    HandIn& h = queued[order[n]];
    const std::string& waits_for = in_order[n].waits_for;
    known = known && rank.is_known(h) && waits_for.empty();
    places.push_back(
        {std::move(h), static_cast<int>(n) + 1, known ? ends[n] : std::nullopt, 0, waits_for});
  }
  std::map<std::int64_t, int> ahead;
  for (Place& p : places) {
    p.waiting = static_cast<int>(order.size());
    p.ahead = ahead;
    if (p.waits_for.empty()) ahead.emplace(p.hand_in.submission.id, rank(p.hand_in).priority);
  }
  return places;
}

std::optional<Place> place_of(const Service& service, std::int64_t submission) {
  for (Place& p : queue_now(service))
    if (p.hand_in.submission.id == submission) return std::move(p);
  return std::nullopt;
}

namespace {

/// "2 submissions that count".
std::string that_count(std::int64_t number) {
  return counted(number, "submission that counts", "submissions that count");
}

std::int64_t counting(const std::map<std::int64_t, int>& priorities) {
  return std::ranges::count_if(priorities,
                               [](const auto& one) { return one.second > kPracticePriority; });
}

}  // namespace

std::string place_text(const Place& place) {
  std::string text =
      place.left ? fmt::format(", done in about {}", course::span_text(*place.left)) : "";
  const bool runs = place.position == 0;
  if (runs) {
    text = "being graded" + text;
  } else {
    const std::string waits =
        place.waits_for.empty() ? "" : fmt::format("waits for {}; ", place.waits_for);
    text = fmt::format("{}position {} of {}{}", waits, place.position, place.waiting, text);
  }
  const HandIn& h = place.hand_in;
  if (!h.is_practice()) return text;
  if (const auto before = counting(place.ahead); !runs && before > 0)
    text += "; behind " + that_count(before);
  if (h.cases_done > 0)
    text += fmt::format("; {} done{}", counted(h.cases_done, "case is", "cases are"),
                        runs ? "" : ", after which the run goes on");
  return text;
}

std::string why_later(const Place& before, const Place& now) {
  // A smaller change is only rounding of the estimate.
  constexpr auto kMuch = std::chrono::seconds(10);
  const bool later = now.position > before.position ||
                     (now.left && before.left && *now.left > *before.left + kMuch);
  if (!later) return "";
  std::map<std::int64_t, int> came;
  for (const auto& one : now.ahead)
    if (!before.ahead.contains(one.first)) came.insert(one);
  if (before.position == 0 && now.position > 0)
    return "later than before: interrupted by " +
           (came.empty() ? "staff or a restart" : that_count(counting(came)));
  if (came.empty()) return "later than before: gradings take longer than the ones until now did";
  if (const auto that = counting(came); now.hand_in.is_practice() && that > 0)
    return fmt::format("later than before: {} came", that_count(that));
  const auto ranked = [&](int priority) {
    return std::ranges::any_of(came, [&](const auto& one) { return one.second == priority; });
  };
  return fmt::format("later than before: {} came first: {}",
                     counted(static_cast<std::int64_t>(came.size()), "submission"),
                     ranked(kStaffPriority)      ? "of staff"
                     : ranked(kDeadlinePriority) ? "due soon"
                                                 : "of students with less in the queue");
}

std::string why_rejudge_waits(const Service& service, const course::Rejudge& rejudge) {
  if (const auto what = service.files.waits_for(rejudge.assignment); !what.empty())
    return "waits for " + what;
  const Dispatcher* const dispatcher = service.dispatcher();
  if (dispatcher == nullptr || dispatcher->workers() == 0) return "waits for workers";
  if (dispatcher->draining()) return "waits: staff stopped the workers";
  if (const auto failed = service.rejudges->failed();
      std::ranges::find(failed, rejudge.id) != failed.end())
    return "has stopped: its gradings failed, and opgrade serve tries them again when it is "
           "started anew";
  const Ranker rank(service);
  const auto in_work = std::ranges::count_if(service.queue.in_work(), [&](const HandIn& h) {
    return !h.is_practice() && rank(h).waits_for.empty();
  });
  if (in_work < dispatcher->workers()) return "";
  return fmt::format("waits for {}, {} of {}", that_count(in_work),
                     in_work == 1 ? "which has the place" : "which have the places",
                     counted(dispatcher->workers(), "worker"));
}

const course::Student* student_of(const course::CourseFolder& folder, const Identity& who,
                                  const HandIn& hand_in) {
  const auto members = folder.members(hand_in.submission);
  for (const auto& login : {who.person, hand_in.person})
    if (const auto found = std::ranges::find(members, login, &course::Student::login);
        found != members.end())
      return *found;
  return members.empty() ? nullptr : members.front();
}

std::string step_text(const Event& event, report::Audience audience, bool held) {
  return held && report::event_outcome(event) ? "" : report::event_text(event, audience);
}

HandInGrade grade_for(const Service& service, const Identity& who, const HandIn& hand_in) {
  HandInGrade grade{service.files.folder(), std::nullopt};
  if (hand_in.is_document()) return grade;  // a document's marks are part of the assignment's grade
  if (const auto* const student = student_of(*grade.folder, who, hand_in))
    grade.entry =
        entry_of(service, *grade.folder, *student,
                 *grade.folder->course.find(hand_in.submission.assignment), who.is_staff());
  return grade;
}

std::optional<Grade> shown_grade(const Service& service, const HandIn& hand_in,
                                 const HandInGrade& of) {
  if (hand_in.state != State::done || !of.entry) return std::nullopt;
  const auto* const graded = of.entry->find(hand_in.submission.id);
  if (graded == nullptr || !graded->result.earned) return std::nullopt;
  auto grade = read_result((service.path / graded->result.decisive().result).parent_path());
  if (!grade) return std::nullopt;
  if (is_closed_for_all(*of.folder, *of.entry->assignment, service.now()))
    grade = report::after_deadline(std::move(*grade));
  name_students_config(service, *of.entry->assignment, *grade);
  const course::Assignment& assignment = *of.entry->assignment;
  if (assignment.is_practice)
    grade->notes.push_back(notes::PracticeRun{hand_in.tool});
  else
    grade->notes.push_back(
        notes::GradeOfAssignment{assignment.name, grade_text(*of.entry),
                                 derivation(*of.entry, *of.folder, report::Audience::student)});
  return grade;
}

Grade without_grade_of_assignment(Grade grade) {
  std::erase_if(grade.notes, [](const Note& note) { return note.is<notes::GradeOfAssignment>(); });
  return grade;
}

bool is_held(const Service& service, const Identity& who, const HandIn& hand_in) {
  const auto folder = service.files.folder();
  const auto* const assignment = folder->course.find(hand_in.submission.assignment);
  return !who.is_staff() && assignment != nullptr && !assignment->released;
}

bool may_see(const Identity& who, const course::Student& student) {
  return who.is_of_whole_course() || (who.is_staff() && student.section == who.section);
}

std::vector<const course::Student*> seen_members(const Identity& who,
                                                 std::vector<const course::Student*> members) {
  std::erase_if(members, [&](const auto* member) { return !may_see(who, *member); });
  return members;
}

bool may_see(const course::CourseFolder& folder, const Identity& who,
             const course::Submission& submission) {
  if (who.is_of_whole_course()) return true;
  const auto members = folder.members(submission);
  if (who.is_staff()) return !seen_members(who, members).empty();
  return std::ranges::any_of(members, [&](const auto* s) { return s->login == who.person; });
}

bool may_see(const Service& service, const Identity& who, const HandIn& hand_in) {
  return may_see(*service.files.folder(), who, hand_in.submission);
}

bool may_read_task(const Service& service, const Identity& who,
                   const course::Assignment& assignment) {
  return who.is_staff() || !assignment.opens || service.now() >= *assignment.opens;
}

ordered_json status_json(const Service& service, const HandIn& hand_in, const HandInGrade& of) {
  const auto& s = hand_in.submission;
  ordered_json json{{"id", s.id},
                    {"assignment", s.assignment},
                    {"by", hand_in.person},
                    {"handed_in", course::iso_text(s.handed_in)},
                    {"handed_in_local", of.folder->course.zone->text(s.handed_in)},
                    {"sha256", s.sha256},
                    {"state", name_of(hand_in.state)}};
  if (!hand_in.tool.empty()) json["tool"] = hand_in.tool;
  if (hand_in.is_document()) {
    const auto* const documents = of.folder->course.find(s.assignment);
    const auto members = of.folder->members(s);
    if (documents != nullptr && !members.empty()) {
      const auto owner = of.folder->roster.owner_of(*members.front(), *documents);
      const auto due = course::DueDates(*of.folder, service.store).of(owner, *documents);
      json["late"] = lateness_text(lateness(*of.folder->course.zone, due, s.handed_in));
    }
    return json;  // a document has no worker and no limits
  }
  for (const KeptFile& file : tool_files_of(*of.folder, s, service.now()))
    json["tool_files"].push_back({{"name", file.name},
                                  {"bytes", file.bytes},
                                  {"until", of.folder->course.zone->text(file.until)}});
  if (!is_over(hand_in.state)) json["queue"] = place_json(place_of(service, s.id));
  if (of.entry) {
    const auto& entry = *of.entry;
    const auto* const graded = entry.find(s.id);
    if (graded != nullptr && graded->result.earned && hand_in.state == State::done) {
      const auto& decisive = graded->result.decisive();
      json["outcome"] = words(decisive.outcome).id;
      json["points"] = graded->after_late;
      json["max_points"] = decisive.max_points;
    }
    json["counts"] = entry.is_counted(s.id);
    if (!entry.assignment->is_practice)
      json["grade"] = {
          {"text", grade_text(entry)},
          {"state", name_of(entry.state)},
          {"points", entry.points ? ordered_json(*entry.points) : ordered_json(nullptr)},
          {"maximum", entry.maximum},
          {"why", derivation(entry, *of.folder, report::Audience::student)}};
  }
  if (const auto grade = shown_grade(service, hand_in, of)) json["passed"] = grade->passed;
  if (const auto* const assignment = of.folder->course.find(s.assignment)) {
    const Allowance allowed = allowance_of(service, *assignment, s.owner);
    json["limits"]["left_today"] =
        allowed.left_today ? ordered_json(*allowed.left_today) : ordered_json(nullptr);
    json["limits"]["wait_s"] = allowed.wait.count();
    json["limits"]["text"] = allowed.text();
  }
  return json;
}

Stream event_stream(const Service& service, std::int64_t submission, std::int64_t after,
                    bool held) {
  struct Progress {
    std::int64_t seen = -1;  ///< the last value of StoreWatch::changes()
    std::int64_t last;
    std::string place;
    std::optional<Place> where;
  };
  auto progress = std::make_shared<Progress>(-1, after, "", std::nullopt);
  return {[&service, progress] { return service.watch.changes() != progress->seen; },
          [&service, progress, submission, held]() -> std::optional<std::string> {
            progress->seen = service.watch.changes();
            const auto hand_in = service.queue.find(submission);
            if (!hand_in) return std::nullopt;
            std::string text;
            for (const StoredEvent& e : service.queue.events(submission, progress->last)) {
              progress->last = e.id;
              const std::string line = step_text(e.event, report::Audience::student, held);
              if (!line.empty()) text += log_message(e, line);
            }
            if (is_over(hand_in->state)) {
              // The end is sent once; then the client asks for the report.
              if (progress->place == "end") return std::nullopt;
              progress->place = "end";
              progress->seen = -1;
              return text + state_message("end", {{"state", name_of(hand_in->state)}});
            }
            const auto where = place_of(service, submission);
            ordered_json place = place_json(where);
            if (where && progress->where)
              if (const auto why = why_later(*progress->where, *where); !why.empty())
                place["text"] = place_text(*where) + "; " + why;
            progress->where = where;
            if (std::string now = json_text(place); !place.is_null() && now != progress->place) {
              progress->place = std::move(now);
              text += state_message("place", place);
            }
            return text;
          }};
}

}  // namespace opgrade::service
