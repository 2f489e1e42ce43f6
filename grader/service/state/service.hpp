/// The state that all answers of the service use.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "grader/course/gradebook/gradebook.hpp"
#include "grader/service/http/flood.hpp"
#include "grader/service/queue/dispatcher.hpp"
#include "grader/service/queue/limits.hpp"
#include "grader/service/queue/queue.hpp"
#include "grader/service/state/accounts.hpp"
#include "grader/service/state/course_files.hpp"
#include "grader/service/state/document_renderer.hpp"
#include "grader/service/state/marking_seats.hpp"
#include "grader/service/state/service_options.hpp"
#include "grader/service/state/store_watch.hpp"

namespace opgrade::service {

class ClassCache;
class FailureCache;
class RankingCache;
class RejudgeRunner;

class Service {
 public:
  Service(std::filesystem::path path, course::Store& store, ServiceOptions options);
  ~Service();

  /// The number of submissions that wait. It is counted at most once a second, because requests
  /// without a token may ask.
  std::int64_t waiting() const;
  /// Why nothing can be handed in now, in words that everybody may read; empty if there is no
  /// obstacle.
  std::string trouble() const;
  /// In tests there is no dispatcher: dispatcher() is nullptr then.
  void attach(Dispatcher* dispatcher) { dispatcher_ = dispatcher; }
  Dispatcher* dispatcher() const { return dispatcher_; }

  course::Moment now() const { return options.now(); }
  void audit(const Identity& who, const std::string& address, const std::string& action,
             const std::string& subject);

  const std::filesystem::path path;
  course::Store& store;
  const ServiceOptions options;
  const CourseFiles files;
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
  MarkingSeats seats;  ///< which grader has which document open
  std::mutex uploads;  ///< held from the check of the limits until the row is written
  std::mutex roster;   ///< held while roster.csv changes
  StoreWatch watch;

 private:
  std::atomic<Dispatcher*> dispatcher_ = nullptr;
  mutable std::mutex waiting_guard_;
  mutable std::optional<std::pair<course::Moment, std::int64_t>> waiting_;
};

}  // namespace opgrade::service
