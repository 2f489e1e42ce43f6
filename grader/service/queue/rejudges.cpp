#include "grader/service/queue/rejudges.hpp"

#include <algorithm>
#include <numeric>

#include "grader/base/core/error.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/task/config/load.hpp"

namespace opgrade::service {
namespace {

constexpr auto kPause = std::chrono::minutes(1);  // after a failed job

std::string sha256_in(const Config& config) { return course::sha256_of_text(dump_config(config)); }

/// Submissions that may still get results.
std::set<std::int64_t> in_work(const Queue& queue) {
  std::set<std::int64_t> ids;
  for (const State state : {State::queued, State::running, State::stuck})
    for (const HandIn& h : queue.with_state(state)) ids.insert(h.submission.id);
  return ids;
}

}  // namespace

bool RejudgeRunner::is_paused(std::int64_t rejudge, course::Moment now) const {
  const std::scoped_lock lock(guard_);
  const auto found = faults_.find(rejudge);
  return found != faults_.end() && (found->second.count >= kMaxFaults ||
                                    left_of(found->second.last, kPause, now).count() > 0);
}

/// Found from the configs alone, once for each rejudge.
RejudgeRunner::Rescoring RejudgeRunner::rescoring_of(const Service& service,
                                                     const course::Rejudge& rejudge) {
  {
    const std::scoped_lock lock(guard_);
    if (const Rescoring known = rescoring_[rejudge.id]; known != Rescoring::unknown) return known;
  }
  const auto folder = service.files.folder();
  const auto* const assignment = folder->course.find(rejudge.assignment);
  bool due = false;
  if (assignment != nullptr && !assignment->on_slurm && rejudge.changed_cases) {
    course::Assignment tried = *assignment;
    tried.config = rejudge.config;
    due = course::rescores(*folder, service.store, *assignment, rejudge,
                           service.options.config_of(tried));
  }
  const std::scoped_lock lock(guard_);
  return rescoring_[rejudge.id] = due ? Rescoring::due : Rescoring::done;
}

std::optional<BackgroundJob> RejudgeRunner::next_rescoring(const Service& service) {
  if (!service.options.rejudge) return std::nullopt;
  for (const auto& rejudge : service.store.rejudges()) {
    if (rejudge.state != course::Rejudge::State::open || is_paused(rejudge.id, service.now()) ||
        rescoring_of(service, rejudge) != Rescoring::due)
      continue;
    const auto end = [this, id = rejudge.id] {
      const std::scoped_lock lock(guard_);
      rescoring_[id] = Rescoring::done;
    };
    if (gradings_of(service.store, rejudge).open == 0) {
      end();
      continue;
    }
    return BackgroundJob{.command = service.options.rejudge(rejudge, RejudgeWork::rescoring),
                         .failed = end,  // next() tries it again, and counts the faults
                         .succeeded = end};
  }
  return std::nullopt;
}

std::optional<BackgroundJob> RejudgeRunner::next(const Service& service) {
  if (!service.options.rejudge) return std::nullopt;
  const auto assignment_of = [&service](const std::string& name) {
    const auto read = service.files.folder();
    const auto* const found = read->course.find(name);
    return found == nullptr ? std::nullopt : std::optional(*found);
  };
  const auto waits = [&service](const std::string& name) {
    return !service.files.waits_for(name).empty();
  };
  for (const auto& rejudge : service.store.rejudges()) {
    if (rejudge.state != course::Rejudge::State::open || is_paused(rejudge.id, service.now()))
      continue;
    if (gradings_of(service.store, rejudge).open == 0) continue;
    if (waits(rejudge.assignment) || rescoring_of(service, rejudge) == Rescoring::due) continue;
    const auto assignment = assignment_of(rejudge.assignment);
    return BackgroundJob{.command = service.options.rejudge(rejudge, RejudgeWork::all),
                         .failed =
                             [this, waits, &service, rejudge] {
                               // The job may have ended because its assignment must wait now; that
                               // is no failure.
                               const bool failed = !waits(rejudge.assignment);
                               const std::scoped_lock lock(guard_);
                               Faults& faults = faults_[rejudge.id];
                               if (failed) ++faults.count;
                               faults.last = service.now();
                             },
                         .uses_gpu = assignment && service.files.uses_gpu(*assignment),
                         .leaves_job = assignment && assignment->on_slurm};
  }
  return std::nullopt;
}

std::vector<std::int64_t> RejudgeRunner::failed() const {
  const std::scoped_lock lock(guard_);
  std::vector<std::int64_t> ids;
  for (const auto& [id, faults] : faults_)
    if (faults.count >= kMaxFaults) ids.push_back(id);
  return ids;
}

course::Rejudge begin_rejudge(Service& service, const course::Assignment& assignment,
                              course::RejudgeOrder order) {
  if (order.reason.empty())
    throw UsageError("a rejudge needs a reason", "say why it is graded again");
  if (order.repeat < 1 || order.repeat > 9 || order.repeat % 2 == 0)
    throw UsageError("the number of gradings must be odd, from 1 to 9", "choose 1, 3, 5, 7 or 9");
  const auto folder = service.files.folder();
  std::string sha256;
  if (order.config.empty()) {
    order.config = assignment.config;
    sha256 = sha256_in(*service.files.config_of(assignment));
  } else {
    // The browser's text is only compared, and never used as a path.
    const auto files = course::config_files(folder->path);
    const auto chosen = std::ranges::find(files, order.config);
    if (chosen == files.end())
      throw UsageError("the course folder has no such config", "choose one of the list");
    course::Assignment tried = assignment;
    tried.config = order.config = (folder->path / *chosen).string();
    sha256 = sha256_in(service.options.config_of(tried));
  }
  order.in_work = in_work(service.queue);
  const course::Rules rules{sha256, service.options.version()};
  Dispatcher* const dispatcher = service.dispatcher();
  if (dispatcher == nullptr)
    return course::begin_rejudge(*folder, service.store, assignment, rules, order);
  std::optional<course::Rejudge> made;
  const bool had = dispatcher->with_results([&] {
    made = course::begin_rejudge_within_lock(*folder, service.store, assignment, rules, order);
  });
  if (!had)
    throw UsageError("another program grades this course now", "begin the rejudge when it ended");
  dispatcher->poke();
  return *made;
}

void decide_rejudge(Service& service, const course::Rejudge& rejudge, bool apply,
                    const std::string& who) {
  const auto folder = service.files.folder();
  const auto* const assignment = folder->course.find(rejudge.assignment);
  if (apply)
    require_applicable(
        *folder, service.store, rejudge,
        assignment == nullptr ? "" : sha256_in(*service.files.config_of(*assignment)));
  const auto record = [&] {
    course::decide(*folder, service.store, rejudge, apply, service.now(), who,
                   service.options.slurm);
  };
  // The program that grades a rejudge is ended before the rejudge is cancelled, because it would
  // submit more jobs.
  Dispatcher* const dispatcher = service.dispatcher();
  if (apply || dispatcher == nullptr || !dispatcher->with_results(record)) record();
}

RejudgePreview preview_of(const Service& service, const course::CourseFolder& folder,
                          const course::Rejudge& rejudge) {
  RejudgePreview made{gradings_of(service.store, rejudge), {}, false, {}};
  const auto* const assignment = folder.course.find(rejudge.assignment);
  if (assignment == nullptr || rejudge.state != course::Rejudge::State::open) return made;
  course::Assignment tried = *assignment;
  tried.config = rejudge.config;
  const Config config = service.options.config_of(tried);
  made.changes = course::preview(folder, service.store, *assignment, rejudge,
                                 service.files.facts_of(*assignment), course::facts_of(config));
  if (!assignment->on_slurm)
    made.runs_again = course::runs_again(folder, service.store, *assignment, rejudge, config);
  made.other_config = sha256_in(*service.files.config_of(*assignment)) != rejudge.config_sha256;
  return made;
}

std::string config_text(const Service& service, const std::string& config) {
  const std::string folder = service.path.string() + "/";
  return config.starts_with(folder) ? config.substr(folder.size()) : config;
}

namespace {

int slip_days_of(const course::Entry& entry) {
  std::vector<const course::Standing*> standings;
  for (const course::GradedSubmission& g : entry.submissions) standings.push_back(&g.standing);
  return course::slip_days_used(standings, entry.chosen ? entry.chosen->submission : std::nullopt);
}

}  // namespace

void ClassCache::read_versions(const Service& service) {
  std::string seen = service.store.grades_version();
  if (seen == seen_) return;
  versions_ = service.store.grades_versions();
  seen_ = std::move(seen);
}

ClassCache::Source ClassCache::source_of(const Service& service,
                                         std::shared_ptr<const course::CourseFolder> folder,
                                         const course::Assignment& assignment) {
  return {std::move(folder),
          service.files.config_of(assignment),
          service.options.version() + " " + versions_[assignment.name],
          {}};
}

std::shared_ptr<const ClassCache::OfAssignment> ClassCache::kept(
    const course::Assignment& assignment, const Source& source, course::Moment now) {
  const Made& made = made_[assignment.name];
  return made.source == source && now <= made.until ? made.grades : nullptr;
}

std::shared_ptr<const ClassCache::OfAssignment> ClassCache::keep(
    const course::Assignment& assignment, const Source& source, const course::Gradebook& book) {
  std::vector<course::Entry> entries;
  entries.reserve(source.folder->roster.students.size());
  for (const auto& student : source.folder->roster.students)
    entries.push_back(book.entry(student, assignment));
  course::Copies copies(entries);
  course::Moment until = course::Moment::max();
  for (const course::Entry& entry : entries) {
    if (!entry.report) continue;
    if (entry.report->awaited) until = std::min(until, entry.report->due.deadline);
    // If the code was not handed in, the grade of a marked report is open until the code's
    // deadline.
    if (entry.state == course::Entry::State::open && entry.report->is_marked() &&
        std::ranges::none_of(entry.submissions, [](const auto& g) { return g.standing.graded; }))
      until = std::min(until, entry.due.deadline);
  }
  Made& made = made_[assignment.name];
  made = {source, until,
          std::make_shared<const OfAssignment>(source.folder, &assignment, std::move(entries),
                                               std::move(copies))};
  return made.grades;
}

std::vector<std::shared_ptr<const ClassCache::OfAssignment>> ClassCache::all_of(
    const Service& service, const std::shared_ptr<const course::CourseFolder>& folder) {
  const auto& all = folder->course.assignments;
  const bool has_slip_days = folder->course.slip_days > 0;
  read_versions(service);  // read before the rows that the versions describe; so are the sources
  std::vector<Source> sources;
  for (const auto& a : all) sources.push_back(source_of(service, folder, a));
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return course::uses_slip_days_earlier(all[a], all[b]);
  });
  std::vector<int> left(has_slip_days ? folder->roster.students.size() : 0,
                        folder->course.slip_days);
  std::vector<std::shared_ptr<const OfAssignment>> grades(all.size());
  std::vector<std::string> remade;
  std::optional<course::Gradebook> whole;
  for (const std::size_t i : order) {
    sources[i].slip_days_left = left;
    grades[i] = kept(all[i], sources[i], service.now());
    if (grades[i] == nullptr) {
      // With slip days, the gradebook of one assignment reads the hand-ins of all. So if several
      // are computed again, one gradebook of all is read.
      if (has_slip_days && !remade.empty() && !whole) whole.emplace(gradebook_of(service, *folder));
      grades[i] = whole ? keep(all[i], sources[i], *whole)
                        : keep(all[i], sources[i], gradebook_of(service, *folder, all[i]));
      remade.push_back(all[i].name);
    }
    for (std::size_t s = 0; s < left.size(); ++s) left[s] -= slip_days_of(grades[i]->entries[s]);
  }
  // Submissions that came meanwhile may be included in the slip days of some assignments only, so
  // these grades are not kept.
  if (has_slip_days && !remade.empty() && service.store.grades_version() != seen_)
    for (const auto& name : remade) made_.erase(name);
  return grades;
}

std::shared_ptr<const ClassCache::OfAssignment> ClassCache::of(const Service& service,
                                                               const std::string& assignment) {
  const std::scoped_lock lock(guard_);
  const auto folder = service.files.folder();
  const auto& all = folder->course.assignments;
  const auto found = std::ranges::find(all, assignment, &course::Assignment::name);
  if (found == all.end()) return nullptr;
  if (folder->course.slip_days > 0)
    return all_of(service, folder).at(static_cast<std::size_t>(found - all.begin()));
  read_versions(service);  // read before the rows that the versions describe
  const Source source = source_of(service, folder, *found);
  if (auto grades = kept(*found, source, service.now())) return grades;
  return keep(*found, source, gradebook_of(service, *folder, *found));
}

std::shared_ptr<const ClassCache::Class> ClassCache::now(const Service& service) {
  const std::scoped_lock lock(guard_);
  const auto folder = service.files.folder();
  auto assignments = all_of(service, folder);
  if (class_ != nullptr && class_->folder == folder && class_->assignments == assignments)
    return class_;
  std::erase_if(made_, [&](const auto& one) { return folder->course.find(one.first) == nullptr; });
  std::vector<const course::Entry*> entries;
  for (std::size_t i = 0; i < folder->roster.students.size(); ++i)
    for (const auto& one : assignments) entries.push_back(&one->entries[i]);
  class_ = std::make_shared<const Class>(folder, std::move(assignments), std::move(entries));
  return class_;
}

course::Gradebook gradebook_of(const Service& service, const course::CourseFolder& folder,
                               const course::Student* only) {
  std::map<std::string, course::AssignmentFacts> facts;
  for (const auto& a : folder.course.assignments) facts.emplace(a.name, service.files.facts_of(a));
  return {folder,
          service.store,
          std::move(facts),
          {.only = only, .contenders = service.contenders, .now = service.now()}};
}

course::Gradebook gradebook_of(const Service& service, const course::CourseFolder& folder,
                               const course::Assignment& assignment, const course::Student* only) {
  return {folder,
          service.store,
          {{assignment.name, service.files.facts_of(assignment)}},
          {.only = only, .contenders = service.contenders, .now = service.now()}};
}

course::Entry entry_of(const Service& service, const course::CourseFolder& folder,
                       const course::Student& student, const course::Assignment& assignment,
                       bool for_staff) {
  auto entry = gradebook_of(service, folder, assignment, &student).entry(student, assignment);
  if (assignment.is_practice) entry.counts.reset();
  return for_staff ? entry : course::as_students_see(std::move(entry));
}

}  // namespace opgrade::service
