/// The emulated device's findings on a submission, gathered until the grader asks for them.
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
  const void* caller = nullptr;  ///< see line_behind(); for what is reported later than it happens
  std::string file{};            ///< where there is no site
  int line = 0;
  bool in_kernel = false;  ///< kernel, block and thread are filled in from the running thread
};

/// Keeps the finding unless one of its kind, file and line exists. Among equal findings of a call
/// the lowest block and thread stays. So the number of host threads does not show.
void report(Finding finding);

/// A call of the function begins.
void next_call();

/// True if a finding of any kind was reported at this site.
bool is_reported(const void* site);

/// Cheaper than report(): true if this kind was reported at this site before.
bool count_again(const char* kind, const void* site);

/// Writes the findings so far to the file that OPGRADE_EMULATION_REPORT names, if it does.
void write_report();

}  // namespace opgrade_emulation
