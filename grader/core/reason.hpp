/// Why a case, a build or points came out as they did, as a value. grader/report/reason_words.hpp
/// makes the sentence and the next action of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/core/fields.hpp"
#include "grader/core/limit.hpp"
#include "grader/core/outcome.hpp"

namespace opgrade {

/// One finding of the emulated device, at the student's own line.
struct Finding {
  std::string kind;
  std::string kernel;
  std::string file;
  int line = 0;
  std::string message;
  bool operator==(const Finding&) const = default;
};

/// A file of a submission that was left out although its name fits.
struct LeftOutFile {
  std::string name;  ///< below its folder: "tile.h", "lib/tile.h"
  std::string why;   ///< "is a symbolic link"
  bool operator==(const LeftOutFile&) const = default;
};

struct Reason {
  enum class Kind {
    told,  ///< `words` and `hint` are all: of an Error, a refused folder, an earlier opgrade
    // Of a case: how the submission's process ended, in `step`.
    stopped_at_limit,
    threads_refused,
    does_not_load,
    threw,
    device_error,
    broke_off,
    closed_channel,
    crashed,
    exited,
    findings_missing,  ///< the emulated device's did not arrive
    // What it computed.
    right,
    hidden_on_gpu,  ///< right, but `finding` may show on a GPU
    to_fix,         ///< right, but there is `finding`
    wrong_elements,
    wrong_otherwise,  ///< `words` of the task
    wrong_accuracy,
    // What `finding` says.
    needs_gpu,
    mistake,
    wrong_when_varied,    ///< `another` is the reason of the run in `variation`
    failed_when_watched,  ///< `another` is the reason of a run that watches, or of its build
    sanitizer_mistake,
    // Its times.
    outside_launches,
    throttled,
    late_output,
    below_empty_call,
    untimed,
    // Not run.
    after_time_out,     ///< of the case `id`
    smaller_timed_out,  ///< a batch
    similar_timed_out,
    smaller_failed,
    // Of a build.
    built,
    built_with_others,  ///< with the sources `names` next to the stage's
    other_encoding,
    odd_character,  ///< `finding` has its place and `words` its name
    not_emulated,
    compiler_limit,
    missing_functions,
    undefined_names,
    missing_headers,
    left_out_header,
    compiler_error,
    preprocessor_error,   ///< of its run by itself, for the rules on the code
    source_too_long,      ///< for them: more than `count` tokens
    construct_missing,    ///< no `words` in `sources`
    construct_forbidden,  ///< `words` at `finding`
    hides_code,           ///< `words` at `finding`, from the runs that look for mistakes
    // Of points.
    right_output,
    emulated_only,
    not_right,    ///< `outcome` gives no points
    not_counted,  ///< `words`: why
    no_kernel,    ///< in the call for `layer`
    count_kept,   ///< `words` is a count's name
    count_broken,
    count_unaccepted,  ///< kept, but the config wants no emulated results
    count_not_right,   ///< `another` is the reason of the run that counts
    not_fast,          ///< `outcome` gives no points for speed
    no_emulated_time,
    no_time,
    no_reference_time,
    op_time,
    by_staff,
    right_cases,  ///< `count` of `of` in a group
    needs_group,  ///< `words`, whose case `names` is not right
    construct_kept,
    // Of a grade.
    nothing_ran,
    all_right,
    counted_right,
    hidden_case,
  };

  /// What a session was doing.
  enum class Step { loading, start, prolog, call, epilog, end };

  /// How the emulated device ran once more.
  enum class Variation { none, packed, filled, reversed };

  Kind kind = Kind::told;
  std::string words;  ///< of the student, a compiler, a driver or the task
  std::string hint;   ///< of `told`: the next action
  std::string about;  ///< the case or the stage that a grade's reason is about

  Step step = Step::loading;
  bool spoiled = false;         ///< the submission wrote into the grader's channel
  std::string operation;        ///< what a call computes: "convolution"
  std::string buffers;          ///< of the task: "x, k or y"
  std::optional<Limit> limit;   ///< that ended the run
  int signal = 0;               ///< of `crashed`
  int exit_code = 0;            ///< of `exited`
  bool printed = false;         ///< anything, before it exited
  double computed_s = 0;        ///< until the limit of time, on all cores
  double elapsed_s = 0;         ///< likewise by the clock
  std::int64_t held_bytes = 0;  ///< of a crash with almost all memory used
  std::int64_t allowed_bytes = 0;
  bool no_memory = false;        ///< the `words` tell of an allocation that failed
  bool sanitizer_helps = false;  ///< `opgrade check` has a sanitizer for this crash
  bool after_right_call = false;
  bool emulated = false;    ///< of `device_error`: on the emulated device
  std::string failed_call;  ///< the error of a CUDA call that was no launch and stopped nothing

  std::string layer;
  std::string shape;       ///< of the problem under way
  std::int64_t count = 0;  ///< wrong elements, launches or calls
  std::int64_t of = 0;     ///< elements that were checked
  double accuracy = 0, required_accuracy = 0;
  bool wide_tolerance = false;     ///< the stage's is wider than usual
  std::optional<Outcome> outcome;  ///< of the case, where it is all that may be told

  std::optional<Finding> finding;      ///< what decided, or came before a crash
  std::optional<Finding> explanation;  ///< the likely cause: the next action
  int watched_images = 0;              ///< that showed `finding` in a network's layers
  Variation variation = Variation::none;
  std::vector<Reason> another;  ///< one at most: of another run of the case

  bool unwatched_end = false;     ///< failed with every access checked, and not without
  int left_behind = 0;            ///< processes
  std::int64_t leaked_bytes = 0;  ///< by each call, which so had a process of its own
  bool leaked_on_device = false;
  std::int64_t slow_warm_up_ms = 0;  ///< the limit that the first warm-up passed: not timed

  double counted = 0, bound = 0;  ///< of the count
  bool at_least = false;          ///< the bound; else at most
  bool of_ideal = false;          ///< both are multiples of the ideal count

  double ms = 0;  ///< of launches, or the sum of Op Times
  double full_ms = 0, zero_ms = 0;
  std::optional<double> reference_ms;

  std::vector<std::string> names;    ///< of functions, headers, sources or what slowed a GPU
  std::string expected;              ///< signature of the interface
  std::vector<std::string> sources;  ///< that were compiled
  std::vector<std::string> useless;  ///< sources next to them that did not help
  std::vector<std::string> refused;  ///< those that do not compile
  std::vector<LeftOutFile> left_out;

  bool operator==(const Reason&) const = default;
  bool empty() const { return kind == Kind::told && words.empty(); }
};

inline constexpr std::array<std::string_view, 6> kStepNames{"loading", "start",  "prolog",
                                                            "call",    "epilog", "end"};
inline constexpr std::array<std::string_view, 4> kVariationNames{"none", "packed", "filled",
                                                                 "reversed"};
constexpr EnumNames enum_names(Reason::Step) { return {"a step", kStepNames}; }
constexpr EnumNames enum_names(Reason::Variation) { return {"a variation", kVariationNames}; }

/// A sentence from outside: an Error's, a refusal's, or one of an earlier opgrade.
inline Reason told(std::string words, std::string hint = {}) {
  return {.words = std::move(words), .hint = std::move(hint)};
}

}  // namespace opgrade
