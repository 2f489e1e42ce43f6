#include "grader/service/queue/installed_version.hpp"

#include <utility>

namespace opgrade::service {

InstalledVersion::InstalledVersion(std::string version, Options options)
    : options_(std::move(options)),
      stamp_(options_.stamp()),
      version_(std::move(version)),
      watcher_([this](const std::stop_token& stop) { watch(stop); }) {}

std::string InstalledVersion::operator()() const {
  const std::scoped_lock lock(guard_);
  return version_;
}

void InstalledVersion::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      if (std::string stamp = options_.stamp(); stamp != stamp_) {
        ChildProcess child = ChildProcess::start(options_.ask(), {.wall = options_.wall});
        const std::stop_callback stopper(stop, [&] { child.stop(); });
        const ProcessReport report = child.finish();
        std::string version = report.standard_output.substr(0, report.standard_output.find('\n'));
        if (report.succeeded() && !version.empty()) {
          const std::scoped_lock lock(guard_);
          version_ = std::move(version);
          stamp_ = std::move(stamp);
        }
      }
    } catch (const std::exception&) {
      // No error: an upgrade is replacing files, or the server ends.
    }
    std::unique_lock lock(guard_);
    stopping_.wait_for(lock, stop, options_.every, [] { return false; });
  }
}

}  // namespace opgrade::service
