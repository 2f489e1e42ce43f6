/// The terminal's abilities, and the log on stderr.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "grader/base/core/events.hpp"
#include "grader/report/formats/text.hpp"

namespace opgrade::cli {

/// For a report on stdout: colour and Unicode only where they are wanted, by NO_COLOR, TERM, LANG
/// and stdout's kind; the terminal's width or 80.
report::TextStyle stdout_style();

/// Progress on stderr. On a terminal one line that is rewritten, with the seconds of what takes
/// long, such as an endless loop. On a file, or with `quiet`, only necessary lines. Names come out
/// printable, whatever bytes they hold. With `json` each event is a line of JSON, and so is a
/// necessary line.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet, bool json = false);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);  ///< what is under way; the next one replaces it
  Listener listener();                 ///< of events, while this lives
  void say(const std::string& text);   ///< a line that stays
  void clear();

 private:
  void print(const Event& event);
  void run_clock(const std::stop_token& stop);

  bool quiet_;
  bool json_;
  bool terminal_;
  std::string shown_;  ///< what is under way; or empty
  std::chrono::steady_clock::time_point since_;
  std::jthread clock_;  ///< on a terminal
};

}  // namespace opgrade::cli
