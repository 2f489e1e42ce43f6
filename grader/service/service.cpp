#include "grader/service/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grader/config/load.hpp"
#include "grader/config/task_files.hpp"
#include "grader/core/error.hpp"
#include "grader/core/shell_word.hpp"
#include "grader/course/grade_assignment.hpp"
#include "grader/service/failures.hpp"
#include "grader/service/ranking.hpp"
#include "grader/service/rejudges.hpp"
#include "grader/service/status.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;

/// Changes when one of the files does. `known`: the course of before, which names its rubrics.
std::string stamp_of(const fs::path& path, const course::Course& known) {
  std::vector<fs::path> files{path / course::kCourseFile, path / course::kRosterFile};
  for (const auto& documents : known.reports) files.emplace_back(documents.report.rubric);
  std::string stamp;
  for (const fs::path& file : files) {
    std::error_code ignored;
    stamp += fmt::format("{} {};", fs::last_write_time(file, ignored).time_since_epoch().count(),
                         fs::file_size(file, ignored));
  }
  return stamp;
}

}  // namespace

Service::Service(fs::path at, course::Store& with, ServiceOptions chosen)
    : path(std::move(at)),
      store(with),
      options(std::move(chosen)),
      queue(store),
      accounts(store),
      flood(options.flood),
      grades(std::make_shared<ClassCache>()),
      rankings(std::make_shared<RankingCache>()),
      contenders(std::make_shared<course::Contenders>(path)),
      failures(std::make_shared<FailureCache>()),
      rejudges(std::make_shared<RejudgeRunner>()),
      renderer(std::make_shared<DocumentRenderer>(path, options.render_document)),
      open_logs(options.logs_of_person, options.logs),
      open_uploads(options.uploads_of_person, options.uploads),
      folder_(std::make_shared<course::CourseFolder>(course::open_course_folder(path))),
      stamp_(stamp_of(path, folder_->course)),
      watcher_([this](const std::stop_token& stop) {
        std::int64_t seen = -1;
        while (!stop.stop_requested()) {
          look_at_store(seen);
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
      }) {}

void Service::look_at_store(std::int64_t& seen) {
  try {
    if (const auto version = store.version(); version != seen) {
      seen = version;
      ++changes_;
    }
  } catch (const Error&) {
    ++changes_;  // the next look at the store says what is wrong
  }
  const auto refusal = store.refuses_changes();
  const std::scoped_lock lock(store_guard_);
  refusal_ = refusal.value_or("");
  if (!refusal)
    refused_since_.reset();
  else if (!refused_since_)
    refused_since_ = std::chrono::steady_clock::now();
}

Service::~Service() = default;

void Service::reload() const {
  const std::string stamp = stamp_of(path, folder_->course);
  if (stamp == stamp_) return;
  stamp_ = stamp;
  try {
    folder_ = std::make_shared<course::CourseFolder>(course::open_course_folder(path));
    problem_.clear();
  } catch (const Error& e) {
    problem_ = e.what();
  }
}

std::shared_ptr<const course::CourseFolder> Service::folder() const {
  const std::scoped_lock lock(guard_);
  reload();
  return folder_;
}

std::int64_t Service::waiting() const {
  const std::scoped_lock lock(waiting_guard_);
  if (const auto second = now(); !waiting_ || waiting_->first != second)
    waiting_.emplace(second, queue.count(State::queued));
  return waiting_->second;
}

std::string Service::folder_problem() const {
  const std::scoped_lock lock(guard_);
  reload();
  return problem_;
}

std::shared_ptr<const Config> Service::config_of(const course::Assignment& assignment) const {
  const std::scoped_lock lock(guard_);
  constexpr auto kFresh = std::chrono::seconds(2);
  KnownConfig& known = configs_[assignment.name];
  if (known.config != nullptr && now() - known.read < kFresh && known.read <= now())
    return known.config;
  try {
    Config config = options.config_of(assignment);
    std::string content = dump_config(config);
    known.problem.clear();
    known.read = now();
    known.facts = course::facts_of(config);
    known.facts.rules->version = options.version();
    known.unchecked = options.why_unchecked(config);
    known.needs_gpu = options.needs_gpu(config);
    if (known.config != nullptr && known.content == content) return known.config;
    known.config = std::make_shared<const Config>(std::move(config));
    known.content = std::move(content);
  } catch (const Error& e) {
    if (known.config == nullptr) throw;
    known.problem = assignment.name + ": " + e.what();
    known.read = now();
  }
  return known.config;
}

std::vector<std::string> Service::config_warnings() const {
  std::vector<std::string> warnings;
  const auto add = [&](std::string warning) {
    if (!warning.empty()) warnings.push_back(std::move(warning));
  };
  const auto now = folder();
  for (const auto& a : now->course.assignments) {
    add(course::config_warning(store, a.name));
    try {
      add(course::reference_warning(path, a, facts_of(a).rules.value()));
    } catch (const Error&) {
      // config_problems() has it.
    }
  }
  return warnings;
}

course::AssignmentFacts Service::facts_of(const course::Assignment& assignment) const {
  config_of(assignment);
  const std::scoped_lock lock(guard_);
  return configs_.at(assignment.name).facts;
}

bool Service::uses_gpu(const course::Assignment& a) const {
  if (a.on_slurm || (a.is_practice && !a.practice.on_devices)) return false;
  try {
    config_of(a);
  } catch (const Error&) {  // its grading tells why
    return false;
  }
  const std::scoped_lock lock(guard_);
  return configs_.at(a.name).needs_gpu;
}

bool Service::keeps_gpu_hours(const course::Assignment& a) const {
  return folder()->course.gpu.hours && uses_gpu(a);
}

std::string Service::waits_for(const course::Assignment& a) const {
  try {
    config_of(a);
  } catch (const Error&) {  // its grading tells why
    return "";
  }
  std::unique_lock lock(guard_);
  const KnownConfig& known = configs_.at(a.name);
  if (!known.unchecked.empty() || !known.problem.empty()) return "staff";
  lock.unlock();
  if (folder()->course.gpu_closed_until(now()) && keeps_gpu_hours(a))
    return "the GPU's hours, " + gpu_hours_text(*this);
  return "";
}

std::vector<std::string> Service::config_problems() const {
  std::vector<std::string> all;
  const auto read = folder();
  for (const auto* part : {&read->course.assignments, &read->course.practice}) {
    for (const auto& a : *part) {
      try {
        config_of(a);
      } catch (const Error& e) {
        all.push_back(a.name + ": " + e.what());
        continue;
      }
      const std::scoped_lock lock(guard_);
      const KnownConfig& known = configs_.at(a.name);
      if (!known.problem.empty()) all.push_back(known.problem);
      if (!known.unchecked.empty())
        all.push_back(fmt::format(
            "{}: {}, so its submissions wait. Run opgrade task check {}; grading begins when the "
            "check has passed.",
            a.name, known.unchecked, shell_path(task_to_check(*known.config).string())));
    }
  }
  return all;
}

std::string Service::trouble() const {
  // Without the path, which is staff's.
  if (!store.is_in_place())
    return "the course folder was moved or replaced on the server; the staff start opgrade serve "
           "again with its path of now";
  const std::uintmax_t kept_free = 4 * std::uintmax_t{options.upload_bytes};
  if (const auto bytes = options.free_bytes(path); bytes < kept_free)
    return fmt::format("the disk of the course folder is full: {} MiB are free, {} are needed",
                       bytes >> 20, kept_free >> 20);
  return "";
}

std::string Service::blocked_store() const {
  const std::scoped_lock lock(store_guard_);
  if (!refused_since_ || std::chrono::steady_clock::now() - *refused_since_ < options.blocked_after)
    return "";
  return fmt::format(
      "the database takes no changes ({}): another program holds it, or it cannot be written; "
      "pages are shown, hand-ins wait",
      refusal_);
}

void Service::audit(const Identity& who, const std::string& address, const std::string& action,
                    const std::string& subject) {
  accounts.audit({now(), who.person, address, action, subject});
}

Ranker::Ranker(const Service& service)
    : service_(service), folder_(service.folder()), now_(service.now()) {
  constexpr int kRemembered = 21;
  std::set<std::string> in_work;
  bool practice = false;
  for (const HandIn& h : service.queue.in_work()) {
    in_work.insert(h.submission.assignment);
    practice = practice || h.is_practice();
  }
  if (practice) practice_times_ = service.queue.practice_times(now_ - kRememberedTime, now_);
  for (const auto& name : in_work) {
    auto last = service.queue.durations(name, kRemembered);
    if (last.empty()) continue;
    const auto middle = last.begin() + static_cast<std::ptrdiff_t>(last.size() / 2);
    std::ranges::nth_element(last, middle);
    median_[name] = std::max(*middle, std::chrono::seconds(1));
  }
}

Waiting Ranker::operator()(const HandIn& hand_in) const {
  constexpr auto kNear = std::chrono::hours(2);
  Waiting waiting{.id = hand_in.submission.id, .owner = hand_in.submission.owner};
  if (hand_in.staff && !hand_in.by_command) waiting.priority = kStaffPriority;
  const auto* const a = folder_->course.find(hand_in.submission.assignment);
  if (a != nullptr) {
    const auto [known, is_new] = waits_for_.try_emplace(a->name);
    if (is_new) known->second = service_.waits_for(*a);
    waiting.waits_for = known->second;
  }
  if (a != nullptr && waiting.priority == 0) {
    const auto is_near = [&](course::Moment deadline) {
      return deadline >= now_ && deadline - now_ < kNear;
    };
    if (is_near(a->deadline) ||
        std::ranges::any_of(a->section_deadlines,
                            [&](const auto& of_section) { return is_near(of_section.second); }))
      waiting.priority = kDeadlinePriority;
  }
  if (a != nullptr) {
    const auto [known, is_new] = uses_gpu_.try_emplace(a->name);
    if (is_new) known->second = service_.uses_gpu(*a);
    waiting.uses_gpu = known->second;
  }
  if (hand_in.is_practice()) {
    waiting.priority = kPracticePriority;
    const auto used = practice_times_.find(waiting.owner);
    if (used != practice_times_.end()) waiting.used = used->second;
    waiting.used -= std::max(now_ - hand_in.queued, std::chrono::seconds(0));
  }
  if (const auto found = median_.find(hand_in.submission.assignment); found != median_.end())
    waiting.estimate = found->second;
  return waiting;
}

bool Ranker::is_known(const HandIn& hand_in) const {
  return median_.contains(hand_in.submission.assignment);
}

}  // namespace opgrade::service
