#include "grader/report/words/reason_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/counts.hpp"
#include "grader/base/core/finding_kind.hpp"
#include "grader/report/fields/view.hpp"
#include "grader/report/words/units.hpp"

namespace opgrade::report {
namespace {

using namespace why;

/// The words of a reason: what happened, and the next action, which may be empty.
struct Words {
  std::string sentence;
  std::string hint{};
};

std::string step_text(const Ending& ending) {
  const auto step = [&]() -> std::string {
    switch (ending.step) {
      case Step::loading:
        return "while it was loaded";
      case Step::start:
        return "before its first call";
      case Step::prolog:
        return fmt::format("in the step before the {}", ending.operation);
      case Step::call:
        return fmt::format("in the {} call", ending.operation);
      case Step::epilog:
        return fmt::format("in the step after the {}", ending.operation);
      case Step::end:
        return "after its calls";
    }
    return "";
  };
  return step() + (ending.spoiled ? ", after it wrote into the grader's channel" : "");
}

std::string limit_text(const std::optional<Limit>& limit) { return limit ? text_of(*limit) : ""; }

/// Names the finding by its place, or by its sentence if it has no place.
std::string fix_text(const Finding& finding) {
  const std::string place = place_of(finding);
  return place.empty() ? text_of(finding) : "fix " + place;
}

/// At most kNamed names, because more would bury the sentence.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 5;
  const auto shown = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamed));
  return fmt::format("{}{}", fmt::join(names.begin(), shown, ", "),
                     names.size() > kNamed ? " and others" : "");
}

std::string left_out_text(const LeftOutFile& file) {
  return fmt::format("{} was left out: it {}.", file.name, file.why);
}

// Reasons that say how the submission's process ended.

Words words_of(const Sentence& r) { return {r.words, r.hint}; }

std::string limit_hint(const StoppedAtLimit& r) {
  if (!r.limit) return "";
  if (r.limit->kind == Limit::Kind::stopping_time)
    return "Between calls all its threads are stopped. One of them was in a single system call "
           "that no stop signal interrupts, such as mapping hundreds of gigabytes with "
           "MAP_POPULATE.";
  if (outcome_of(r.limit->kind) != Outcome::out_of_time) return "";
  if (r.computed_s * 2 >= r.elapsed_s)
    return "Look for an endless loop. If there is none, it is far too slow: do less work for each "
           "output element.";
  return fmt::format(
      "It computed for {:.1f} of these {:.1f} s. Look for a lock, a sleep or, on a GPU, a "
      "kernel that does not end.",
      r.computed_s, r.elapsed_s);
}

Words words_of(const StoppedAtLimit& r) {
  return {fmt::format("stopped {} at its limit: {}", step_text(r.ending), limit_text(r.limit)),
          limit_hint(r)};
}

Words words_of(const ThreadsRefused& r) {
  return {fmt::format("stopped {} at its limit: {}", step_text(r.ending), limit_text(r.limit)),
          "Start as many threads as there are cores, and give each of them several images."};
}

Words words_of(const DoesNotLoad& r) {
  return {fmt::format("the built submission does not load: {}", r.ending.words),
          "A symbol is missing at run time, or a library is not allowed."};
}

Words words_of(const Threw& r) {
  return {fmt::format("threw an exception {}: {}", step_text(r.ending), r.ending.words),
          "Find the throw: your own, or one of the standard library (new, at(), a std::thread that "
          "cannot start). Fix its cause, or catch it."};
}

constexpr const char* kCheckCalls = "Check every CUDA call's result.";

Words words_of(const DeviceError& r) {
  return {fmt::format("device error {}: {}", step_text(r.ending), r.ending.words),
          r.emulated ? kCheckCalls
                     : "Check every CUDA call's result; `compute-sanitizer` or `opgrade check "
                       "--device emulated` shows the line."};
}

Words words_of(const BrokeOff& r) {
  return {fmt::format("the run broke off {}: {}", step_text(r.ending), r.ending.words)};
}

Words words_of(const ClosedChannel& r) {
  return {fmt::format("closed the grader's channel {}", step_text(r.ending))};
}

std::string signal_hint(const Crashed& r) {
  switch (r.signal) {
    case SIGSEGV:
      return fmt::format(
          "It touched memory that is not its own: an index past the end of {}, a write to an "
          "input, or the null pointer of an allocation that failed.",
          r.buffers);
    case SIGBUS:
      return "It touched an invalid address; check sizes and alignment.";
    case SIGFPE:
      return "An integer division by zero, or INT_MIN / -1.";
    case SIGABRT:
      return "abort(): a failed assert, an uncaught exception or a corrupted heap.";
    case SIGILL:
#if defined(__aarch64__)
    case SIGTRAP:
#endif
      return "An illegal instruction: a function without a return statement does this.";
    case SIGSYS:
      return "It made a system call that the sandbox does not allow.";
    default:
      return "";
  }
}

Words words_of(const Crashed& r) {
  const char* const name = ::sigabbrev_np(r.signal);
  return {fmt::format("crashed {}: SIG{} ({})", step_text(r.ending), name != nullptr ? name : "?",
                      ::strsignal(r.signal)),
          signal_hint(r)};
}

Words words_of(const Exited& r) {
  const std::string& last = r.ending.words;
  return {fmt::format("your code called exit({}) {}{}", r.exit_code, step_text(r.ending),
                      last.empty() ? "" : fmt::format(", after it had printed \"{}\"", last)),
          r.exit_code != 0 && r.printed
              ? "Fix the error that it printed. An exit() ends this case: the function must return."
              : "The function must return; exit() ends the grading of this case."};
}

Words words_of(const FindingsMissing&) {
  return {"the emulated device's findings did not arrive: their channel was closed",
          "Close no descriptors that you did not open, and end no process of the grader's."};
}

// Reasons about what the submission computed.

std::string watched_text(int images) {
  return images > 0
             ? fmt::format(
                   " It was found with every access watched, on {} images of the network's own "
                   "layers.",
                   images)
             : "";
}

std::string lucky_text(const Finding& finding) {
  return fmt::format("The outputs of this run are right by luck. {}", on_a_gpu(finding.kind));
}

Words words_of(const Right& r) {
  const char* hint = "";
  if (r.remarks.left_behind > 0)
    hint = "They were ended. Wait for what you start: it takes time from other calls.";
  else if (!r.remarks.failed_call.empty())
    hint = kCheckCalls;
  return {"every output element is right", hint};
}

Words words_of(const HiddenOnGpu& r) {
  return {fmt::format("right here; a GPU may hide this: {}", fix_text(r.finding)),
          lucky_text(r.finding) + watched_text(r.watched_images)};
}

Words words_of(const ToFix& r) { return {fmt::format("right here; {}", fix_text(r.finding))}; }

std::string failed_call_hint(const std::string& failed_call) {
  return failed_call.empty()
             ? ""
             : fmt::format("A CUDA call returned an error: {}. {}", failed_call, kCheckCalls);
}

Words words_of(const WrongElements& r) {
  const std::string failed = failed_call_hint(r.failed_call);
  return {fmt::format("{}: {} of {} elements are wrong", r.layer, r.count, r.of),
          failed + (failed.empty() || r.pattern.empty() ? "" : " ") + r.pattern};
}

Words words_of(const WrongOtherwise& r) {
  return {fmt::format("{}: {}", r.layer, r.words), failed_call_hint(r.failed_call)};
}

Words words_of(const WrongAccuracy& r) {
  return {fmt::format("accuracy {:.6g}, but {:.6g} is required", r.accuracy, r.required_accuracy),
          r.wide_tolerance
              ? "Every output is within this stage's wide tolerance. Reduced precision changed "
                "some predictions: use more precision for this batch."
              : "Every output is within tolerance, so the submission did not cause this: tell the "
                "staff."};
}

// Reasons that come from a finding.

Words words_of(const NeedsGpu& r) { return {text_of(r.finding)}; }

Words words_of(const Mistake& r) {
  const char* const rule = warns(r.finding)
                               ? " The config has `findings: decide`, which takes the points; with "
                                 "`findings: warn` right outputs keep them."
                               : "";
  return {text_of(r.finding), lucky_text(r.finding) + rule + watched_text(r.watched_images)};
}

std::string other_text(const std::vector<Reason>& rerun) {
  return rerun.empty() ? "" : sentence_of(rerun.front());
}

const char* variation_text(Variation variation) {
  switch (variation) {
    case Variation::packed:
      return "with allocations next to each other, as on a GPU";
    case Variation::filled:
      return "with other bytes in memory that nothing wrote";
    case Variation::reversed:
      return "with blocks and threads in reverse order";
    case Variation::none:
      break;
  }
  return "when it ran again";
}

Words words_of(const WrongWhenVaried& r) {
  return {text_of(r.finding), fmt::format("The outputs are right here, and wrong {}: {}.",
                                          variation_text(r.variation), other_text(r.rerun))};
}

Words words_of(const FailedWhenWatched& r) {
  return {"a run that watches each access failed: " + other_text(r.rerun),
          "The outputs are right where nothing watches. A right program builds, computes the same "
          "and returns when its accesses are watched and, with OpenMP, has four threads."};
}

Words words_of(const SanitizerMistake& r) {
  return {text_of(r.finding),
          "The outputs happen to be right here; with other sizes or devices they need not be."};
}

// Reasons why a right case is refused or has no time.

Words words_of(const OutsideLaunches& r) {
  return {fmt::format("{} outside the {} call ({:.3g} ms), which the config forbids",
                      counted(r.count, "kernel launch", "kernel launches"), r.operation, r.ms),
          "Launch every kernel in the function that is timed."};
}

Words words_of(const Throttled& r) {
  return {fmt::format("{}: the GPU was slowed down in every timed call: {}", r.layer,
                      fmt::join(r.causes, ", ")),
          "Not the submission's doing. Staff: check the device's cooling and power, and other "
          "programs on it, and grade again."};
}

Words words_of(const LateOutput& r) {
  return {fmt::format("{}: the output of {} still changed after the call had ended", r.layer,
                      counted(r.count, "call")),
          "Wait for all work on the device and for all threads before the function returns."};
}

Words words_of(const BelowEmptyCall& r) {
  return {fmt::format(
              "{}: calls that do nothing took longer than the submission's: something else used "
              "the GPU",
              r.layer),
          "Not the submission's doing. Staff: end the other program, which `nvidia-smi` names, and "
          "grade again."};
}

Words words_of(const Untimed&) {
  return {"no timed call counts", "Staff: grade again on a quieter machine."};
}

// Reasons why a stage or a case was skipped.

Words words_of(const NoDevice& r) {
  switch (r.lack) {
    case Lack::gpu:
    case Lack::toolkit:
      return {
          fmt::format("there is no {} here{}", r.lack == Lack::gpu ? "GPU" : "CUDA toolkit",
                      r.can_emulate ? "; --device emulated checks the outputs without one" : "")};
    case Lack::gpus:
      return {r.words +
              (r.can_emulate ? "; --device emulated checks the outputs without them" : "")};
    case Lack::emulator:
      return {"there is no emulated device here: " + r.words};
    case Lack::gpu_and_emulator:
      return {"there is no GPU here and no emulated device: " + r.words};
  }
  return {""};
}

Words words_of(const AfterTimeOut& r) {
  return {fmt::format("not run: {} ran out of time", r.case_id),
          fmt::format("Mend {} first.", r.case_id)};
}

constexpr const char* kMakeFaster =
    "Make the case that ran out of time faster: this one has no less to compute.";

Words words_of(const SmallerTimedOut&) {
  return {"not run: a smaller batch ran out of time", kMakeFaster};
}

Words words_of(const SimilarTimedOut&) {
  return {"not run: a similar batch ran out of time", kMakeFaster};
}

Words words_of(const SmallerFailed&) {
  return {"not run: a smaller batch failed", "Mend the smaller batch first."};
}

// Reasons of a build.

Words words_of(const Built&) { return {"built"}; }

Words words_of(const BuiltWithOthers& r) {
  return {fmt::format("built with further sources: {}", fmt::join(r.sources, ", "))};
}

Words words_of(const OtherEncoding& r) {
  return {
      fmt::format("{} is saved as {}", r.file, r.encoding),
      fmt::format("Save it as UTF-8: in your editor, or by `iconv -f {} -t UTF-8`. Compilers read "
                  "nothing else.",
                  r.encoding)};
}

Words words_of(const OddCharacter& r) {
  std::string hint = fmt::format("Write `{}` instead.", r.instead);
  if (r.instead.empty()) hint = "Delete it: a text copied from a page often has such characters.";
  if (r.instead == "a space") hint = "Write a space instead.";
  return {fmt::format("{}, {}: {}, outside of texts and comments", place_of(r.place),
                      r.place.message, r.character),
          hint};
}

Words words_of(const NotEmulated& r) {
  return {r.place.empty() ? "it uses what the emulated device lacks"
                          : fmt::format("{}: the emulated device lacks {}", r.place, r.feature)};
}

Words words_of(const CompilerLimit& r) {
  return {fmt::format("the compiler was stopped at its limit: {}", limit_text(r.limit)),
          "A source that includes itself, expands without end or includes a device does this."};
}

Words words_of(const MissingFunctions& r) {
  std::string hint = fmt::format("Expected: {}.", r.expected);
  if (r.declaration)
    hint += fmt::format(" {} has: {}. Make its parameters the expected ones.",
                        place_of(*r.declaration), r.declaration->message);
  return {fmt::format("{} {}", fmt::join(r.functions, ", "),
                      r.functions.size() == 1 ? "is missing or has other parameters"
                                              : "are missing or have other parameters"),
          hint};
}

constexpr const char* kRefused = "the compiler refused it";

/// The CUDA library whose functions begin with this name's prefix; empty for other names.
std::string_view library_of(std::string_view name) {
  for (const std::string_view library :
       {"cublas", "cusparse", "cusolver", "cufft", "curand", "cudnn"})
    if (name.starts_with(library)) return library;
  return {};
}

Words words_of(const UndefinedNames& r) {
  std::string hint = fmt::format("{} is called and defined nowhere. Compiled: {}.",
                                 some_of(r.undefined), fmt::join(r.sources, ", "));
  const auto of_library = std::ranges::find_if_not(
      r.undefined, [](const std::string& name) { return library_of(name).empty(); });
  if (of_library != r.undefined.end())
    hint += fmt::format(
        " The config does not list {0}, so nothing is linked with it: write the "
        "function yourself, or ask staff for `libraries: [{0}]`.",
        library_of(*of_library));
  for (const LeftOutFile& file : r.left_out) hint += " " + left_out_text(file);
  if (!r.useless.empty())
    hint += fmt::format(" Compiled beside it, without effect: {}.", fmt::join(r.useless, ", "));
  if (!r.refused.empty())
    hint += fmt::format(" Left out, because it does not compile: {}.", fmt::join(r.refused, ", "));
  return {kRefused, hint};
}

Words words_of(const MissingHeaders& r) {
  return {kRefused,
          fmt::format("An included file was not handed in, or is not allowed here{}{}. Files "
                      "are taken from {} and the folders in it.",
                      r.headers.empty() ? "" : ": ", some_of(r.headers),
                      r.folder == "." ? "the submission's folder" : r.folder + "/")};
}

Words words_of(const LeftOutHeader& r) { return {kRefused, left_out_text(r.header)}; }

Words words_of(const CompilerError& r) {
  return {kRefused,
          r.successor.empty()
              ? "The first error in the compiler's output is the one to fix."
              : fmt::format("CUDA has no `{}` any more: use {}.", r.removed_name, r.successor)};
}

Words words_of(const PreprocessorError&) {
  return {
      "the preprocessor refused it when the code was searched for what the course requires or "
      "forbids",
      "The first error in its output is the one to fix. The code must not depend on whether it "
      "is compiled or preprocessed alone."};
}

Words words_of(const SourceTooLong& r) {
  return {
      "with its macros expanded it is too long to be searched for what the course requires or "
      "forbids",
      fmt::format("At most {} words and signs of your own files are searched, and 16 MiB of "
                  "them. Expand fewer macros, and keep large tables out of the sources.",
                  r.most_tokens)};
}

Words words_of(const HidesCode& r) {
  const std::string place = place_of(r.place);
  return {fmt::format("{}: {}, which can hide code from the runs that look for mistakes", place,
                      r.words),
          fmt::format("Write {} without {}.", place, r.words)};
}

Words words_of(const ConstructMissing& r) {
  return {fmt::format("there is no {} in {}, which the course requires", r.construct,
                      fmt::join(r.sources, ", ")),
          fmt::format("Use {} in the code; comments and texts do not count.", r.construct)};
}

Words words_of(const ConstructForbidden& r) {
  const std::string place = place_of(r.place);
  return {fmt::format("{}: {}, which the course forbids", place, r.construct),
          fmt::format("Write {} without {}.", place, r.construct)};
}

// Reasons of points.

std::string outcome_text(const std::optional<Outcome>& outcome) {
  return outcome ? std::string(words(*outcome).text) : "";
}

Words words_of(const RightOutput&) { return {"every output is right"}; }

Words words_of(const EmulatedOnly&) {
  return {"right on the emulated device; the course wants it to run on a GPU"};
}

Words words_of(const NotRight& r) { return {"no points: " + outcome_text(r.outcome)}; }

Words words_of(const NotCounted& r) { return {"nothing was counted: " + r.problem}; }

Words words_of(const NoKernel& r) { return {r.layer + ": no kernel ran in the call"}; }

/// "global_load_sectors in conv1: 4 x ideal, and at most 1.2 x ideal is asked for".
std::string counted_text(const Count& c) {
  const char* const unit = c.of_ideal ? " x ideal" : "";
  return fmt::format("{}{}: {:.4g}{}, and at {} {:.4g}{} is asked for", c.name,
                     c.layer.empty() ? "" : " in " + c.layer, c.counted, unit,
                     c.at_least ? "least" : "most", c.bound, unit);
}

Words words_of(const CountKept& r) { return {counted_text(r.count)}; }

Words words_of(const CountBroken& r) {
  const CountName* const known = find_count(r.count.name);
  return {counted_text(r.count),
          known != nullptr ? fmt::format("{}: {}.", known->name, known->meaning) : ""};
}

Words words_of(const CountUnaccepted& r) {
  return {counted_text(r.count) + "; the course accepts no counts of the emulated device"};
}

Words words_of(const CountNotRight& r) {
  return {"the run that counts is not right: " + other_text(r.rerun),
          "Counts are those of a build for the emulated device, whose outputs are checked, too."};
}

Words words_of(const RunsAtDeadline&) {
  return {"runs after the deadline, for all submissions that count"};
}

Words words_of(const NotFast& r) { return {"no points for speed: " + outcome_text(r.outcome)}; }

Words words_of(const NoEmulatedTime&) {
  return {"needs a GPU: the emulated device has no Op Time"};
}

Words words_of(const NoTime&) { return {"no Op Time was measured"}; }

Words words_of(const TooFewCores& r) {
  return {fmt::format("not timed: the case has {} threads, and opgrade may use {} here", r.threads,
                      counted(r.cores, "core", "cores")),
          fmt::format("Grade it on a machine with {} cores.", r.threads)};
}

Words words_of(const NoReferenceTime& r) {
  return {fmt::format("the {} solution's time is missing", r.serial ? "serial" : "reference")};
}

Words words_of(const NoWork& r) {
  if (r.by_gpu)
    return {"the task counts no work, or the rates of this GPU are not known, by which " + r.rate +
            " would be a time"};
  return {"the task counts no work from which " + r.rate + " would be a time"};
}

Words words_of(const OpTime& r) {
  const auto bound = [](double ms, const std::string& rate) {
    return fmt::format("{:.4g} ms{}", ms, rate.empty() ? "" : " (" + rate + ")");
  };
  std::string text = fmt::format("sum of Op Times {:.4g} ms; full points up to {}", r.ms,
                                 bound(r.full_ms, r.full_rate));
  if (r.zero_ms > 0) text += ", none from " + bound(r.zero_ms, r.zero_rate);
  if (r.by_speed && r.zero_ms > 0) text += ", between both by speed";
  if (r.by_speed && r.zero_ms == 0)
    text += r.ms > r.full_ms ? fmt::format(", then the share {:.4g} / {:.4g} = {:.3g}", r.full_ms,
                                           r.ms, r.full_ms / r.ms)
                             : ", then in proportion to the speed";
  if (r.serial_ms)
    text += fmt::format(" (the serial solution takes {:.4g} ms here: a speed-up of {:.3g})",
                        *r.serial_ms, *r.serial_ms / r.ms);
  if (r.reference_ms) text += fmt::format(" (the reference takes {:.4g} ms here)", *r.reference_ms);
  return {text};
}

std::string listed(const std::vector<TimeOfCase>& cases, const auto& text_of_case) {
  std::string text;
  for (const TimeOfCase& c : cases) text += (text.empty() ? "" : ", ") + text_of_case(c);
  return text;
}

std::string time_of(const TimeOfCase& c) { return fmt::format("{} {:.4g} ms", c.name, *c.ms); }

/// "full points up to 10 ms, none from 40 ms".
std::string bounds_text(double full_ms, double zero_ms) {
  return fmt::format("full points up to {:.4g} ms{}", full_ms,
                     zero_ms > 0 ? fmt::format(", none from {:.4g} ms", zero_ms) : "");
}

std::string share_of(const TimeOfCase& c) {
  const std::string why =
      c.ms ? fmt::format("{:.4g} ms; {}", *c.ms, bounds_text(c.full_ms, c.zero_ms))
           : "not right, or too slow to be timed";
  return fmt::format("{} {:.3g} ({})", c.name, c.share.value_or(0), why);
}

Words words_of(const OpTimesTogether& r) {
  const char* const by_speed = r.by_speed ? ", between both by speed" : "";
  if (r.together == Together::each || r.together == Together::worst)
    return {fmt::format("{} of the cases' shares {:.3g}: {}{}",
                        r.together == Together::each ? "mean" : "least", r.share,
                        listed(r.cases, share_of), by_speed)};
  return {fmt::format("{} of Op Times {:.4g} ms ({}); {}{}: share {:.3g}", name_of(r.together),
                      r.ms, listed(r.cases, time_of), bounds_text(r.full_ms, r.zero_ms), by_speed,
                      r.share)};
}

Words words_of(const OpTimeSlope& r) {
  return {
      fmt::format("slope {:.3g} of log Op Time over log {} ({}); full points up to {:g}, none "
                  "from {:g}: share {:.3g}",
                  r.slope, r.over, listed(r.cases, time_of), r.full_slope, r.zero_slope, r.share)};
}

Words words_of(const SlopeNotCounted& r) {
  return {fmt::format("the slope has no points: {} takes {:.4g} ms, and must take less than {:.4g} "
                      "ms",
                      r.name, r.ms, r.below_ms),
          "A slope counts only while the case of each size is below a bound of its own."};
}

Words words_of(const ByStaff&) { return {"given by staff"}; }

Words words_of(const RightCases& r) {
  return {fmt::format("{} of {} cases are right", r.count, r.of)};
}

Words words_of(const NeedsGroup& r) {
  return {fmt::format("no points before all cases of {} are right: {} is not", r.group, r.case_id)};
}

Words words_of(const ConstructKept&) { return {"the sources keep the rule"}; }

// Reasons of a grade.

Words words_of(const NothingRan&) { return {"nothing could be run here"}; }
Words words_of(const AllRight&) { return {"every case that ran is right"}; }
Words words_of(const CountedRight&) { return {"every case that counts is right"}; }
Words words_of(const HiddenCase& r) { return {"a hidden case: " + outcome_text(r.outcome)}; }

Words words_of(const Reason& reason) {
  return std::visit([](const auto& what) { return words_of(what); }, reason.what);
}

const PassRemarks* remarks_of(const Reason& reason) {
  if (const auto* const right = reason.get_if<Right>()) return &right->remarks;
  if (const auto* const hidden = reason.get_if<HiddenOnGpu>()) return &hidden->remarks;
  return nullptr;
}

std::string remarks_text(const PassRemarks& remarks) {
  std::string text;
  if (remarks.unwatched_end) text += "; accesses were not checked to its end";
  if (!remarks.failed_call.empty())
    text += fmt::format("; a CUDA call returned an error: {}", remarks.failed_call);
  if (remarks.left_behind > 0)
    text +=
        fmt::format("; it left {} behind", counted(remarks.left_behind, "process", "processes"));
  if (remarks.slow_warm_up_ms > 0)
    text += fmt::format("; not timed, for its first warm-up took longer than {} ms",
                        remarks.slow_warm_up_ms);
  if (!remarks.earlier_failure.empty())
    text += "; in a process of its own, after a failure in one used before: " +
            sentence_of(remarks.earlier_failure.front());
  return text;
}

std::string whole_of(const Reason& r) {
  std::string text = words_of(r).sentence;
  if (const Ending* const ending = ending_of(r)) {
    if (ending->after_right_call) text += ", after a call whose output was right";
    // The submission may have detected the mistake and exited because of it.
    if (ending->finding) text = fmt::format("{} Then: {}", text_of(*ending->finding), text);
  }
  if (!r.shape.empty()) {
    if (text.ends_with('.')) text.pop_back();
    text += "; shape: " + r.shape;
  }
  if (const PassRemarks* const remarks = remarks_of(r)) text += remarks_text(*remarks);
  if (r.leaked_bytes > 0)
    text += fmt::format("; each call leaves {} behind, so each had a process of its own",
                        leak_text(r.leaked_bytes, r.leaked_on_device));
  return r.about.empty() ? text : fmt::format("{}: {}", r.about, text);
}

std::string ending_hint(const Ending& ending, std::string hint) {
  if (ending.sanitizer_helps)
    hint +=
        " `opgrade check` runs the random shapes under g++'s address sanitizer as well: that "
        "names the line.";
  if (ending.held_bytes > 0)
    hint = fmt::format(
        "It held {} of the {} that it may have. Check that all is freed that a call "
        "allocates.{}{}",
        show_bytes(ending.held_bytes), show_bytes(ending.allowed_bytes), hint.empty() ? "" : " ",
        hint);
  return hint;
}

std::string whole_hint(const Reason& r) {
  std::string hint = words_of(r).hint;
  if (const Ending* const ending = ending_of(r)) hint = ending_hint(*ending, std::move(hint));
  if (r.explanation) hint = text_of(*r.explanation);
  if (r.leaked_bytes > 0)
    hint += fmt::format("{}Free in each call what it allocates.", hint.empty() ? "" : " ");
  return hint;
}

}  // namespace

std::string leak_text(std::int64_t bytes, bool on_device) {
  return show_bytes(bytes) + (on_device ? " of device memory" : " of memory");
}

std::string sentence_of(const PointItem& item) {
  const std::string reason = sentence_of(item.reason);
  if (!item.late_points) return reason;
  return fmt::format("{}; late work has {:.4g} points", reason, *item.late_points);
}

std::string sentence_of(const Reason& reason) { return one_line(whole_of(reason)); }
std::string hint_of(const Reason& reason) { return one_line(whole_hint(reason)); }

}  // namespace opgrade::report
