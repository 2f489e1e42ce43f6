/// The terminal's abilities, and the log on stderr.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "grader/base/core/events.hpp"
#include "grader/report/formats/text.hpp"

namespace opgrade::cli {

/// The style of a report on stdout: colour and Unicode only if NO_COLOR, TERM, LANG and the kind of
/// stdout allow them; the width is the terminal's or 80.
report::TextStyle stdout_style();

/// Shows progress on stderr. A terminal has one line that is rewritten, with the seconds so far of
/// a long step, such as an endless loop. A file, and any stderr with `quiet`, gets only necessary
/// lines. Names are made printable, whatever bytes they contain. With `json`, each event and each
/// necessary line is a line of JSON.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet, bool json = false);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);  ///< what is running; the next call replaces it
  Listener listener();                 ///< shows events as long as this object lives
  void say(const std::string& text);   ///< prints a line that stays
  void clear();

 private:
  void print(const Event& event);
  void run_clock(const std::stop_token& stop);

  bool quiet_;
  bool json_;
  bool terminal_;
  std::string shown_;  ///< what is running; may be empty
  std::chrono::steady_clock::time_point since_;
  std::jthread clock_;  ///< runs only on a terminal
};

}  // namespace opgrade::cli
