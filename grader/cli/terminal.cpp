#include "grader/cli/terminal.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "grader/base/core/printable.hpp"
#include "grader/report/words/events.hpp"

namespace opgrade::cli {
namespace {

std::mutex guard;

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Ignores failures to print progress, such as a terminal that hung up or a reader that exited.
void print_progress(const std::string& text) {
  sigset_t broken_pipe, before;
  ::sigemptyset(&broken_pipe);
  ::sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  if (std::fputs(text.c_str(), stderr) < 0 || std::fflush(stderr) != 0) {
    const timespec now{};
    ::sigtimedwait(&broken_pipe, nullptr, &now);
    std::clearerr(stderr);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool unicode_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = variable(name);
    if (!value.empty())
      return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
  }
  return false;
}

}  // namespace

report::TextStyle stdout_style() {
  report::TextStyle style;
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  style.colour = terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  style.unicode = unicode_locale();
  winsize size{};
  if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width = size.ws_col;
  return style;
}

ProgressLine::ProgressLine(bool quiet, bool json)
    : quiet_(quiet),
      json_(json),
      terminal_(!json && ::isatty(STDERR_FILENO) != 0 && variable("TERM") != "dumb") {
  if (quiet_ || !terminal_) return;
  // A new thread inherits its creator's signal mask. Signals are blocked here, so that only the
  // main thread handles them.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  clock_ = std::jthread([this](const std::stop_token& stop) { run_clock(stop); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const std::string& text) {
  if (quiet_ || !terminal_) return;
  const std::scoped_lock lock(guard);
  shown_ = printable_line(text, 100);
  since_ = std::chrono::steady_clock::now();
  print_progress(fmt::format("\r\x1b[K{}", shown_));
}

void ProgressLine::run_clock(const std::stop_token& stop) {
  constexpr std::chrono::seconds kTick(1), kLong(2);
  std::unique_lock lock(guard);
  std::condition_variable_any never;
  while (!never.wait_for(lock, stop, kTick, [&] { return stop.stop_requested(); })) {
    const auto span =
        std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - since_);
    if (!shown_.empty() && span >= kLong)
      print_progress(fmt::format("\r\x1b[K{}, {} s", shown_, span.count()));
  }
}

Listener ProgressLine::listener() {
  return [this](const Event& event) {
    json_ ? print(event) : show(report::event_text(event, report::Audience::staff));
  };
}

void ProgressLine::print(const Event& event) {
  if (quiet_) return;
  const std::scoped_lock lock(guard);
  print_progress(report::event_json(event) + "\n");
}

void ProgressLine::say(const std::string& text) {
  if (json_) return print(events::Remark{text});
  clear();
  if (quiet_) return;
  const std::scoped_lock lock(guard);
  print_progress(printable(text) + "\n");
}

void ProgressLine::clear() {
  if (quiet_ || !terminal_) return;
  const std::scoped_lock lock(guard);
  shown_.clear();
  print_progress("\r\x1b[K");
}

}  // namespace opgrade::cli
