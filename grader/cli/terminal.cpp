#include "grader/cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "grader/core/printable.hpp"

namespace opgrade::cli {
namespace {

std::mutex guard;

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
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

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0 && variable("TERM") != "dumb") {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const std::string& text) {
  if (quiet_ || !terminal_) return;
  const std::scoped_lock lock(guard);
  fmt::print(stderr, "\r\x1b[K{}", printable_line(text, 100));
  std::fflush(stderr);
}

void ProgressLine::say(const std::string& text) {
  clear();
  if (quiet_) return;
  const std::scoped_lock lock(guard);
  fmt::print(stderr, "{}\n", printable(text));
}

void ProgressLine::clear() {
  if (quiet_ || !terminal_) return;
  const std::scoped_lock lock(guard);
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace opgrade::cli
