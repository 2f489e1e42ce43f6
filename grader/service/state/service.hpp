/// The state that all answers of the service read.
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

  /// Submissions that wait, counted at most once a second: anybody may ask.
  std::int64_t waiting() const;
  /// Why nothing can be handed in now, in words that everybody may read; empty where all is well.
  std::string trouble() const;
  /// Nothing while there is no dispatcher, in tests.
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
  MarkingSeats seats;  ///< which grader is at which document
  std::mutex uploads;  ///< held from the look at the limits to the row
  std::mutex roster;   ///< held while roster.csv changes
  StoreWatch watch;

 private:
  std::atomic<Dispatcher*> dispatcher_ = nullptr;
  mutable std::mutex waiting_guard_;
  mutable std::optional<std::pair<course::Moment, std::int64_t>> waiting_;
};

}  // namespace opgrade::service
