/// The emulated device's findings on a submission, collected until the grader asks for them.
#pragma once

#include <string>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

struct Finding {
  const char* kind;                ///< out_of_bounds, data_race, ...: docs/emulation.md lists them
  const char* severity = "error";  ///< "error" for a kind that decides, "warning" for a note
  std::string message{};
  /// Address in the submission's code; its file and line are looked up.
  const void* site = nullptr;
  const void* caller = nullptr;  ///< see line_behind(); for findings that are reported late
  std::string file{};            ///< if there is no site
  int line = 0;
  bool in_kernel = false;  ///< kernel, block and thread are filled in from the running thread
};

/// Stores the finding unless one of its kind, file and line exists. Among equal findings of a call
/// the one with the lowest block and thread is kept, so the result does not depend on the number of
/// host threads.
void report(Finding finding);

/// A call of the function begins.
void next_call();

/// True if a finding of any kind was reported at this site.
bool is_reported(const void* site);

/// Cheaper than report(): counts and returns true if this kind was reported at this site before.
bool count_again(const char* kind, const void* site);

/// Writes the findings so far to the file in OPGRADE_EMULATION_REPORT, if that is set.
void write_report();

}  // namespace opgrade_emulation
