#include "grader/service/state/service.hpp"

#include <fmt/format.h>

#include "grader/service/pages/class_grades.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/state/failures.hpp"
#include "grader/service/state/ranking.hpp"

namespace opgrade::service {

Service::Service(std::filesystem::path at, course::Store& with, ServiceOptions chosen)
    : path(std::move(at)),
      store(with),
      options(std::move(chosen)),
      files(path, options),
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
      watch(store, options.blocked_after) {}

Service::~Service() = default;

std::int64_t Service::waiting() const {
  const std::scoped_lock lock(waiting_guard_);
  if (const auto second = now(); !waiting_ || waiting_->first != second)
    waiting_.emplace(second, queue.count(State::queued));
  return waiting_->second;
}

std::string Service::trouble() const {
  // The text does not name the path, which only staff may see.
  if (!store.is_in_place())
    return "the course folder was moved or replaced on the server; the staff start opgrade serve "
           "again with its path of now";
  const std::uintmax_t kept_free = 4 * std::uintmax_t{options.upload_bytes};
  if (const auto bytes = options.free_bytes(path); bytes < kept_free)
    return fmt::format("the disk of the course folder is full: {} MiB are free, {} are needed",
                       bytes >> 20, kept_free >> 20);
  return "";
}

void Service::audit(const Identity& who, const std::string& address, const std::string& action,
                    const std::string& subject) {
  accounts.audit({now(), who.person, address, action, subject});
}

}  // namespace opgrade::service
