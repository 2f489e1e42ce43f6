/// The state that all answers of the service read.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "grader/app/machine_state.hpp"
#include "grader/app/program_version.hpp"
#include "grader/app/task_record.hpp"
#include "grader/config/config.hpp"
#include "grader/course/course_folder.hpp"
#include "grader/course/gradebook.hpp"
#include "grader/course/slurm.hpp"
#include "grader/service/accounts.hpp"
#include "grader/service/dispatcher.hpp"
#include "grader/service/document_renderer.hpp"
#include "grader/service/flood.hpp"
#include "grader/service/limits.hpp"
#include "grader/service/marking_seats.hpp"
#include "grader/service/queue.hpp"

namespace opgrade::service {

/// `rescoring`: only gradings that run no submission.
enum class RejudgeWork { all, rescoring };

struct ServiceOptions {
  std::chrono::seconds interval{30};  ///< between two submissions of an owner
  std::size_t upload_bytes = std::size_t{16} << 20;
  /// An authenticating proxy at `proxy` names its user in this header. Empty: it names none.
  std::string proxy, proxy_header;
  bool notices = false;        ///< students may ask for them
  bool secure_cookies = true;  ///< off where browsers come over plain HTTP, for a demonstration
  FloodLimits flood{};
  int logs_of_person = 20, logs = 1500;  ///< live logs at once; below ServerOptions::connections
  int uploads_of_person = 4, uploads = 200;  ///< in progress at once
  std::function<Config(const course::Assignment&)> config_of;
  /// True where gradings by the config use GPUs of this machine.
  std::function<bool(const Config&)> needs_gpu = [](const Config&) { return false; };
  bool emulates = false;  ///< this server grades GPU stages on the emulated device
  /// Why nothing is graded by the config until staff have checked its task; empty: it is graded.
  std::function<std::string(const Config&)> why_unchecked = unchecked_task;
  /// Of the opgrade that grades from now on: after an upgrade not this server's own. Answers at
  /// once: requests wait for it.
  std::function<std::string()> version = program_version;
  std::function<MachineState()> machine = [] { return machine_state(); };  ///< for staff
  /// The program that makes the gradings of a rejudge. Empty: this server makes none.
  std::function<Command(const course::Rejudge&, RejudgeWork)> rejudge{};
  std::function<course::Slurm()> slurm = course::slurm_commands;  ///< asked where it has tasks
  RenderDocument render_document{};  ///< empty: documents are downloads alone
  /// Health and staff are told of a database that takes no change for so long.
  std::chrono::milliseconds blocked_after{5000};
  /// Free bytes of the course folder's disk.
  std::function<std::uintmax_t(const std::filesystem::path&)> free_bytes = [](const auto& path) {
    std::error_code unknown;  // and then not full
    return std::filesystem::space(path, unknown).available;
  };
  std::function<course::Moment()> now = course::this_second;
};

class ClassCache;
class FailureCache;
class RankingCache;
class RejudgeRunner;

class Service {
 public:
  Service(std::filesystem::path path, course::Store& store, ServiceOptions options);
  ~Service();

  /// course.yaml and roster.csv as they are now. While they have problems: as they were.
  std::shared_ptr<const course::CourseFolder> folder() const;
  /// Submissions that wait, counted at most once a second: anybody may ask.
  std::int64_t waiting() const;
  std::string folder_problem() const;  ///< why the files of now are not used; for staff

  /// Grows with every change in the store, by whatever process.
  std::int64_t changes() const { return changes_; }
  /// As its file is now, within seconds. While it has problems: as it was. The same pointer means
  /// the same content. Throws what `options.config_of` does where there was none before.
  std::shared_ptr<const Config> config_of(const course::Assignment& assignment) const;
  course::AssignmentFacts facts_of(const course::Assignment& assignment) const;  ///< of config_of()
  std::vector<std::string> config_problems() const;                              ///< for staff
  std::vector<std::string> config_warnings() const;  ///< for staff: signs that a config is wrong
  /// True if gradings of the assignment use GPUs of this machine.
  bool uses_gpu(const course::Assignment& assignment) const;
  /// True if gradings of the assignment begin only in the GPU's hours of course.yaml.
  bool keeps_gpu_hours(const course::Assignment& assignment) const;
  /// What gradings of the assignment cannot begin without now, in words that everybody may read:
  /// staff, who check its task, or the GPU's hours. Empty: nothing.
  std::string waits_for(const course::Assignment& assignment) const;

  /// Why nothing can be handed in now, in words that everybody may read; empty where all is well.
  std::string trouble() const;
  /// Why changes wait: another program holds the database, or it cannot be written. In words that
  /// everybody may read; empty where all is well.
  std::string blocked_store() const;

  /// Nothing while there is no dispatcher, in tests.
  void attach(Dispatcher* dispatcher) { dispatcher_ = dispatcher; }
  Dispatcher* dispatcher() const { return dispatcher_; }

  course::Moment now() const { return options.now(); }
  void audit(const Identity& who, const std::string& address, const std::string& action,
             const std::string& subject);

  const std::filesystem::path path;
  course::Store& store;
  const ServiceOptions options;
  Queue queue;
  Accounts accounts;
  Flood flood;
  const std::shared_ptr<ClassCache> grades;
  const std::shared_ptr<RankingCache> rankings;
  const std::shared_ptr<course::Contenders> contenders;  ///< no report is read twice for a ranking
  const std::shared_ptr<FailureCache> failures;          ///< no report is read twice for a page
  const std::shared_ptr<RejudgeRunner> rejudges;
  const std::shared_ptr<DocumentRenderer> renderer;  ///< no document is rendered twice
  OpenCount open_logs, open_uploads;
  MarkingSeats seats;  ///< which grader is at which document
  std::mutex uploads;  ///< held from the look at the limits to the row
  std::mutex roster;   ///< held while roster.csv changes

 private:
  void reload() const;
  void look_at_store(std::int64_t& seen);

  mutable std::mutex guard_;
  mutable std::shared_ptr<const course::CourseFolder> folder_;
  mutable std::string problem_, stamp_;
  struct KnownConfig {
    std::shared_ptr<const Config> config;
    course::AssignmentFacts facts;
    std::string content, problem, unchecked;
    bool needs_gpu = false;
    course::Moment read;
  };
  mutable std::map<std::string, KnownConfig> configs_;  ///< by assignment
  std::atomic<Dispatcher*> dispatcher_ = nullptr;
  std::atomic<std::int64_t> changes_ = 0;
  mutable std::mutex waiting_guard_;
  mutable std::optional<std::pair<course::Moment, std::int64_t>> waiting_;
  mutable std::mutex store_guard_;
  std::optional<std::chrono::steady_clock::time_point> refused_since_;  ///< by the store
  std::string refusal_;
  std::jthread watcher_;
};

/// Practice runs of so long ago are forgotten when the queue is ordered.
inline constexpr std::chrono::hours kRememberedTime{4};

/// The queue's facts on each submission in work at one moment; reads the store only when it is
/// made.
class Ranker {
 public:
  explicit Ranker(const Service& service);
  Waiting operator()(const HandIn& hand_in) const;
  /// False: no submission of the assignment was graded yet, so the estimate is a guess.
  bool is_known(const HandIn& hand_in) const;

 private:
  const Service& service_;
  std::shared_ptr<const course::CourseFolder> folder_;
  course::Moment now_;
  std::map<std::string, std::chrono::seconds> median_;          ///< by assignment
  mutable std::map<std::string, std::string> waits_for_;        ///< by assignment
  mutable std::map<std::string, bool> uses_gpu_;                ///< by assignment
  std::map<std::string, std::chrono::seconds> practice_times_;  ///< of late, by owner
};

}  // namespace opgrade::service
