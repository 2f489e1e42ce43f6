/// The sentence of a reason, and the next action that it asks for.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "grader/core/reason.hpp"

namespace opgrade::report {

/// What a reason's kind says; {names} stand for values: filled() in reason_words.cpp.
struct ReasonWords {
  Reason::Kind kind;
  std::string_view id;  ///< stable, for JSON
  std::string_view sentence, hint;
};

inline constexpr auto kReasons = [] {
  using Row = ReasonWords;
  using Kind = Reason::Kind;
  return std::array{
      Row{Kind::told, "told", "{words}", "{hint}"},
      Row{Kind::stopped_at_limit, "stopped_at_limit", "stopped {step} at its limit: {limit}",
          "{limit_hint}"},
      Row{Kind::threads_refused, "threads_refused", "stopped {step} at its limit: {limit}",
          "Start as many threads as there are cores, and give each of them several images."},
      Row{Kind::does_not_load, "does_not_load", "the built submission does not load: {words}",
          "A symbol is missing at run time, or a library is not allowed."},
      Row{Kind::threw, "threw", "threw an exception {step}: {words}",
          "Find the throw: your own, or one of the standard library (new, at(), a std::thread that "
          "cannot start). Fix its cause, or catch it."},
      Row{Kind::device_error, "device_error", "device error {step}: {words}", "{device_hint}"},
      Row{Kind::broke_off, "broke_off", "the run broke off {step}: {words}", ""},
      Row{Kind::closed_channel, "closed_channel", "closed the grader's channel {step}", ""},
      Row{Kind::crashed, "crashed", "crashed {step}: {signal}", "{signal_hint}"},
      Row{Kind::exited, "exited", "your code called exit({exit_code}) {step}{last_words}",
          "{exit_hint}"},
      Row{Kind::findings_missing, "findings_missing",
          "the emulated device's findings did not arrive: their channel was closed",
          "Close no descriptors that you did not open, and end no process of the grader's."},
      Row{Kind::right, "right", "every output element is right", "{left_hint}"},
      Row{Kind::hidden_on_gpu, "hidden_on_gpu", "right here; a GPU may hide this: {fix}",
          "{found_hint}"},
      Row{Kind::to_fix, "to_fix", "right here; {fix}", ""},
      Row{Kind::wrong_elements, "wrong_elements", "{layer}: {count} of {of} elements are wrong",
          "{wrong_hint}"},
      Row{Kind::wrong_otherwise, "wrong_otherwise", "{layer}: {words}", "{failed_call_hint}"},
      Row{Kind::wrong_accuracy, "wrong_accuracy",
          "accuracy {accuracy:.6g}, but {required:.6g} is required", "{accuracy_hint}"},
      Row{Kind::needs_gpu, "needs_gpu", "{found}", ""},
      Row{Kind::mistake, "mistake", "{found}", "{found_hint}"},
      Row{Kind::wrong_when_varied, "wrong_when_varied", "{found}",
          "The outputs are right here, and wrong {variation}: {another}."},
      Row{Kind::failed_when_watched, "failed_when_watched",
          "a run that watches each access failed: {another}",
          "The outputs are right where nothing watches. A right program builds, computes the same "
          "and returns when its accesses are watched and, with OpenMP, has four threads."},
      Row{Kind::sanitizer_mistake, "sanitizer_mistake", "{found}",
          "The outputs happen to be right here; with other sizes or devices they need not be."},
      Row{Kind::outside_launches, "outside_launches",
          "{launches} outside the {operation} call ({ms:.3g} ms), which the config forbids",
          "Launch every kernel in the function that is timed."},
      Row{Kind::throttled, "throttled",
          "{layer}: the GPU was slowed down in every timed call: {names}",
          "Not the submission's doing. Staff: check the device's cooling and power, and other "
          "programs on it, and grade again."},
      Row{Kind::late_output, "late_output",
          "{layer}: the output of {calls} still changed after the call had ended",
          "Wait for all work on the device and for all threads before the function returns."},
      Row{Kind::below_empty_call, "below_empty_call",
          "{layer}: calls that do nothing took longer than the submission's: something else used "
          "the GPU",
          "Not the submission's doing. Staff: end the other program, which `nvidia-smi` names, and "
          "grade again."},
      Row{Kind::untimed, "untimed", "no timed call counts",
          "Staff: grade again on a quieter machine."},
      Row{Kind::after_time_out, "after_time_out", "not run: {words} ran out of time",
          "Mend {words} first."},
      Row{Kind::smaller_timed_out, "smaller_timed_out", "not run: a smaller batch ran out of time",
          "Make the case that ran out of time faster: this one has no less to compute."},
      Row{Kind::similar_timed_out, "similar_timed_out", "not run: a similar batch ran out of time",
          "Make the case that ran out of time faster: this one has no less to compute."},
      Row{Kind::smaller_failed, "smaller_failed", "not run: a smaller batch failed",
          "Mend the smaller batch first."},
      Row{Kind::built, "built", "built", ""},
      Row{Kind::built_with_others, "built_with_others", "built with further sources: {names}", ""},
      Row{Kind::other_encoding, "other_encoding", "{names} is saved as {words}",
          "Save it as UTF-8: in your editor, or by `iconv -f {words} -t UTF-8`. Compilers read "
          "nothing else."},
      Row{Kind::odd_character, "odd_character",
          "{place}, {column}: {words}, outside of texts and comments", "{odd_hint}"},
      Row{Kind::not_emulated, "not_emulated", "{not_emulated}", ""},
      Row{Kind::compiler_limit, "compiler_limit", "the compiler was stopped at its limit: {limit}",
          "A source that includes itself, expands without end or includes a device does this."},
      Row{Kind::missing_functions, "missing_functions", "{names} {are_missing}",
          "Expected: {expected}.{declared}"},
      Row{Kind::undefined_names, "undefined_names", "the compiler refused it",
          "{some} is called and defined nowhere. Compiled: {sources}.{left_out}{others}"},
      Row{Kind::missing_headers, "missing_headers", "the compiler refused it",
          "An included file was not handed in, or is not allowed here{headers}. Files are taken "
          "from {folder} and the folders in it."},
      Row{Kind::left_out_header, "left_out_header", "the compiler refused it", "{left_out_alone}"},
      Row{Kind::compiler_error, "compiler_error", "the compiler refused it", "{compiler_hint}"},
      Row{Kind::preprocessor_error, "preprocessor_error",
          "the preprocessor refused it when the code was searched for what the course requires or "
          "forbids",
          "The first error in its output is the one to fix. The code must not depend on whether it "
          "is compiled or preprocessed alone."},
      Row{Kind::source_too_long, "source_too_long",
          "with its macros expanded it is too long to be searched for what the course requires or "
          "forbids",
          "At most {count} words and signs of your own files are searched, and 16 MiB of them. "
          "Expand fewer macros, and keep large tables out of the sources."},
      Row{Kind::construct_missing, "construct_missing",
          "there is no {words} in {sources}, which the course requires",
          "Use {words} in the code; comments and texts do not count."},
      Row{Kind::construct_forbidden, "construct_forbidden",
          "{place}: {words}, which the course forbids", "Write {place} without {words}."},
      Row{Kind::hides_code, "hides_code",
          "{place}: {words}, which can hide code from the runs that look for mistakes",
          "Write {place} without {words}."},
      Row{Kind::right_output, "right_output", "every output is right", ""},
      Row{Kind::emulated_only, "emulated_only",
          "right on the emulated device; the course wants it to run on a GPU", ""},
      Row{Kind::not_right, "not_right", "no points: {outcome}", ""},
      Row{Kind::not_counted, "not_counted", "nothing was counted: {words}", ""},
      Row{Kind::no_kernel, "no_kernel", "{layer}: no kernel ran in the call", ""},
      Row{Kind::count_kept, "count_kept", "{counted}", ""},
      Row{Kind::count_broken, "count_broken", "{counted}", "{count_meaning}"},
      Row{Kind::count_unaccepted, "count_unaccepted",
          "{counted}; the course accepts no counts of the emulated device", ""},
      Row{Kind::count_not_right, "count_not_right", "the run that counts is not right: {another}",
          "Counts are those of a build for the emulated device, whose outputs are checked, too."},
      Row{Kind::not_fast, "not_fast", "no points for speed: {outcome}", ""},
      Row{Kind::no_emulated_time, "no_emulated_time",
          "needs a GPU: the emulated device has no Op Time", ""},
      Row{Kind::no_time, "no_time", "no Op Time was measured", ""},
      Row{Kind::no_reference_time, "no_reference_time", "the reference solution's time is missing",
          ""},
      Row{Kind::op_time, "op_time",
          "sum of Op Times {ms:.4g} ms; full points up to {full_ms:.4g} ms, none from "
          "{zero_ms:.4g} ms{reference}",
          ""},
      Row{Kind::by_staff, "by_staff", "given by staff", ""},
      Row{Kind::right_cases, "right_cases", "{count} of {of} cases are right", ""},
      Row{Kind::needs_group, "needs_group",
          "no points before all cases of {words} are right: {names} is not", ""},
      Row{Kind::construct_kept, "construct_kept", "the sources keep the rule", ""},
      Row{Kind::nothing_ran, "nothing_ran", "nothing could be run here", ""},
      Row{Kind::all_right, "all_right", "every case that ran is right", ""},
      Row{Kind::counted_right, "counted_right", "every case that counts is right", ""},
      Row{Kind::hidden_case, "hidden_case", "a hidden case: {outcome}", ""},
  };
}();
static_assert(std::ranges::all_of(kReasons, [](const ReasonWords& row) {
  return &row - kReasons.data() == static_cast<std::ptrdiff_t>(row.kind);
}));

/// One line of at most kMaxLine bytes (view.hpp); empty for an empty reason.
std::string sentence_of(const Reason& reason);

/// One line likewise, or empty.
std::string hint_of(const Reason& reason);

/// "70 MiB of memory", "70 MiB of device memory".
std::string leak_text(std::int64_t bytes, bool on_device);

}  // namespace opgrade::report
