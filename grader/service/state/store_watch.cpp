#include "grader/service/state/store_watch.hpp"

#include <fmt/format.h>

#include "grader/base/core/error.hpp"

namespace opgrade::service {

StoreWatch::StoreWatch(course::Store& store, std::chrono::milliseconds blocked_after)
    : store_(store), blocked_after_(blocked_after), thread_([this](const std::stop_token& stop) {
        std::int64_t seen = -1;
        while (!stop.stop_requested()) {
          look(seen);
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
      }) {}

void StoreWatch::look(std::int64_t& seen) {
  try {
    if (const auto version = store_.version(); version != seen) {
      seen = version;
      ++changes_;
    }
  } catch (const Error&) {
    ++changes_;  // the next use of the store reports what is wrong
  }
  const auto refusal = store_.refuses_changes();
  const std::scoped_lock lock(guard_);
  refusal_ = refusal.value_or("");
  if (!refusal)
    refused_since_.reset();
  else if (!refused_since_)
    refused_since_ = std::chrono::steady_clock::now();
}

std::string StoreWatch::blocked() const {
  const std::scoped_lock lock(guard_);
  if (!refused_since_ || std::chrono::steady_clock::now() - *refused_since_ < blocked_after_)
    return "";
  return fmt::format(
      "the database takes no changes ({}): another program holds it, or it cannot be written; "
      "pages are shown, hand-ins wait",
      refusal_);
}

}  // namespace opgrade::service
