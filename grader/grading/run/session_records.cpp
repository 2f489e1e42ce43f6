// Records that a session brings back: the device's profile, findings, what a case used.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/grading/run/session.hpp"

namespace opgrade {

namespace {

using protocol::Kind;
using protocol::Status;

/// The limit of wall time between two cases, while others may have the machine's turn.
constexpr std::chrono::hours kWaiting(100);

}  // namespace

std::string Session::profile_begin() {
  if (!await_submission()) return "the submission's process has ended";
  process_->thaw();
  if (request({.kind = Kind::profile_begin})) {
    freeze();
    return {};
  }
  return forgive_missing(Status::no_profile).value_or("the submission's process ended");
}

std::optional<std::string> Session::profile_end(std::string& why) {
  why = "the submission's process ended";
  if (over_) return std::nullopt;
  const Fd file(::memfd_create("opgrade-profile", MFD_CLOEXEC));
  if (!file) throw Error(fmt::format("memfd_create: {}", std::strerror(errno)), "out of memory?");
  process_->thaw();
  if (!request({.kind = Kind::profile_end}, std::array{file.get()})) {
    why = forgive_missing(Status::no_profile).value_or(why);
    return std::nullopt;
  }
  freeze();
  std::string text;
  std::array<char, 1 << 16> part;
  constexpr std::size_t kMostText = std::size_t{64} << 20;
  for (;;) {
    const ssize_t n =
        ::pread(file.get(), part.data(), part.size(), static_cast<off_t>(text.size()));
    if (n <= 0 || text.size() > kMostText) break;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  return text;
}

ToldFindings Session::findings() {
  // After a device error or an exception the harness still listens, and what the device found on
  // the way is the reason.
  const auto broke_off = std::exchange(bad_reply_, std::nullopt);
  const bool listens = broke_off && (broke_off->status == Status::device_error ||
                                     broke_off->status == Status::threw);
  const bool was_over = std::exchange(over_, over_ && !listens);
  if (!over_) {
    process_->thaw();
    request({.kind = Kind::findings});
  }
  if (broke_off) bad_reply_ = broke_off;
  over_ = over_ || was_over;
  ToldFindings rest = receive_findings(findings_);
  rest.packets.insert(rest.packets.begin(), told_.begin(), told_.end());
  return rest;
}

std::vector<std::string> Session::new_findings() {
  auto fresh = receive_findings(findings_).packets;
  told_.insert(told_.end(), fresh.begin(), fresh.end());
  return fresh;
}

std::optional<SandboxReport> Session::end_case() {
  if (over_) return std::nullopt;
  process_->thaw();
  if (!request({.kind = Kind::case_over})) return std::nullopt;
  freeze();
  if (over_) return std::nullopt;
  SandboxReport used = process_->part();
  verdict_is_in_ = false;
  return used;
}

void Session::await_case() { process_->restart_clock(kWaiting); }

void Session::begin_case() { restart_clock(); }

}  // namespace opgrade
