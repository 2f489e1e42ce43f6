#include "grader/report/reason_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <string.h>

#include "grader/core/counted.hpp"
#include "grader/core/counts.hpp"
#include "grader/core/finding_kind.hpp"
#include "grader/report/units.hpp"
#include "grader/report/view.hpp"

namespace opgrade::report {
namespace {

const ReasonWords& words_of(const Reason& reason) {
  return kReasons[static_cast<std::size_t>(reason.kind)];
}

using Kind = Reason::Kind;
using fmt::format;

std::string step_text(const Reason& r) {
  const auto step = [&]() -> std::string {
    switch (r.step) {
      case Reason::Step::loading:
        return "while it was loaded";
      case Reason::Step::start:
        return "before its first call";
      case Reason::Step::prolog:
        return format("in the step before the {}", r.operation);
      case Reason::Step::call:
        return format("in the {} call", r.operation);
      case Reason::Step::epilog:
        return format("in the step after the {}", r.operation);
      case Reason::Step::end:
        return "after its calls";
    }
    return "";
  };
  return step() + (r.spoiled ? ", after it wrote into the grader's channel" : "");
}

std::string found(const Reason& r) { return r.finding ? text_of(*r.finding) : ""; }

/// The place of the finding, else its sentence.
std::string fix_text(const Reason& r) {
  const std::string place = r.finding ? place_of(*r.finding) : "";
  return place.empty() ? found(r) : "fix " + place;
}

std::string signal_text(const Reason& r) {
  const char* const name = ::sigabbrev_np(r.signal);
  return format("SIG{} ({})", name != nullptr ? name : "?", ::strsignal(r.signal));
}

std::string signal_hint(const Reason& r) {
  switch (r.signal) {
    case SIGSEGV:
      return format(
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
      return "An illegal instruction: a function without a return statement does this.";
    case SIGSYS:
      return "It made a system call that the sandbox does not allow.";
    default:
      return "";
  }
}

std::string limit_hint(const Reason& r) {
  if (!r.limit) return "";
  if (r.limit->kind == Limit::Kind::stopping_time)
    return "Between calls all its threads are stopped. One of them was in a single system call "
           "that no stop signal interrupts, such as mapping hundreds of gigabytes with "
           "MAP_POPULATE.";
  if (outcome_of(r.limit->kind) != Outcome::out_of_time) return "";
  if (r.computed_s * 2 >= r.elapsed_s)
    return "Look for an endless loop. If there is none, it is far too slow: do less work for each "
           "output element.";
  return format(
      "It computed for {:.1f} of these {:.1f} s. Look for a lock, a sleep or, on a GPU, a "
      "kernel that does not end.",
      r.computed_s, r.elapsed_s);
}

std::string variation_text(Reason::Variation variation) {
  switch (variation) {
    case Reason::Variation::packed:
      return "with allocations next to each other, as on a GPU";
    case Reason::Variation::filled:
      return "with other bytes in memory that nothing wrote";
    case Reason::Variation::reversed:
      return "with blocks and threads in reverse order";
    default:
      return "when it ran again";
  }
}

std::string failed_call_hint(const Reason& r) {
  return r.failed_call.empty()
             ? ""
             : format("A CUDA call returned an error: {}. Check every CUDA call's result.",
                      r.failed_call);
}

std::string compiler_hint(const Reason& r) {
  if (r.expected.empty()) return "The first error in the compiler's output is the one to fix.";
  return format("CUDA has no `{}` any more: use {}.", fmt::join(r.names, ", "), r.expected);
}

std::string odd_hint(const Reason& r) {
  return r.expected.empty() ? "Delete it: a text copied from a page often has such characters."
         : r.expected == "a space" ? "Write a space instead."
                                   : format("Write `{}` instead.", r.expected);
}

/// More names would bury the sentence.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 5;
  const auto shown = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamed));
  return format("{}{}", fmt::join(names.begin(), shown, ", "),
                names.size() > kNamed ? " and others" : "");
}

std::string left_out_text(const Reason& r) {
  std::string text;
  for (const auto& [name, why] : r.left_out)
    text += format("{}{} was left out: it {}.", text.empty() ? "" : " ", name, why);
  return text;
}

/// The fate of sources next to the stage's own.
std::string others_text(const Reason& r) {
  std::string text;
  if (!r.useless.empty())
    text += format(" Compiled beside it, without effect: {}.", fmt::join(r.useless, ", "));
  if (!r.refused.empty())
    text += format(" Left out, because it does not compile: {}.", fmt::join(r.refused, ", "));
  return text;
}

std::string found_hint(const Reason& r) {
  std::string text = "The outputs of this run are right by luck. ";
  if (r.finding) text += on_a_gpu(r.finding->kind);
  if (r.finding && warns(*r.finding) && r.kind == Kind::mistake)
    text +=
        " The config has `findings: decide`, which takes the points; with `findings: warn` right "
        "outputs keep them.";
  if (r.watched_images > 0)
    text +=
        format(" It was found with every access watched, on {} images of the network's own layers.",
               r.watched_images);
  return text;
}

/// A row's text with its values in place.
/// "global_load_sectors in conv1: 4 x ideal, and at most 1.2 x ideal is asked for".
std::string counted_text(const Reason& r) {
  const char* const unit = r.of_ideal ? " x ideal" : "";
  return format("{}{}: {:.4g}{}, and at {} {:.4g}{} is asked for", r.words,
                r.layer.empty() ? "" : " in " + r.layer, r.counted, unit,
                r.at_least ? "least" : "most", r.bound, unit);
}

std::string count_meaning(const Reason& r) {
  const CountName* const count = find_count(r.words);
  return count != nullptr ? format("{}: {}.", count->name, count->meaning) : "";
}

std::string filled(std::string_view text, const Reason& r) {
  using fmt::arg;
  const std::string left_out = left_out_text(r);
  return fmt::format(
      fmt::runtime(text), arg("words", r.words), arg("hint", r.hint), arg("step", step_text(r)),
      arg("limit", r.limit ? text_of(*r.limit) : ""), arg("limit_hint", limit_hint(r)),
      arg("signal", signal_text(r)), arg("signal_hint", signal_hint(r)),
      arg("exit_code", r.exit_code),
      arg("last_words", r.words.empty() ? "" : format(", after it had printed \"{}\"", r.words)),
      arg("exit_hint",
          r.exit_code != 0 && r.printed
              ? "Fix the error that it printed. An exit() ends this case: the function "
                "must return."
              : "The function must return; exit() ends the grading of this case."),
      arg("left_hint", r.left_behind > 0
                           ? "They were ended. Wait for what you start: it takes time "
                             "from other calls."
                       : !r.failed_call.empty() ? "Check every CUDA call's result."
                                                : ""),
      arg("failed_call_hint", failed_call_hint(r)),
      arg("wrong_hint", r.failed_call.empty() || r.words.empty()
                            ? r.words + failed_call_hint(r)
                            : failed_call_hint(r) + " " + r.words),
      arg("device_hint",
          r.emulated ? "Check every CUDA call's result."
                     : "Check every CUDA call's result; `compute-sanitizer` or `opgrade check "
                       "--device emulated` shows the line."),
      arg("compiler_hint", compiler_hint(r)), arg("odd_hint", odd_hint(r)),
      arg("column", r.finding ? r.finding->message : ""), arg("fix", fix_text(r)),
      arg("found", found(r)), arg("found_hint", found_hint(r)),
      arg("place", r.finding ? place_of(*r.finding) : ""), arg("layer", r.layer),
      arg("count", r.count), arg("of", r.of), arg("accuracy", r.accuracy),
      arg("required", r.required_accuracy),
      arg("accuracy_hint",
          r.wide_tolerance
              ? "Every output is within this stage's wide tolerance. Reduced precision changed "
                "some "
                "predictions: use more precision for this batch."
              : "Every output is within tolerance, so the submission did not cause this: tell the "
                "staff."),
      arg("variation", variation_text(r.variation)),
      arg("another", r.another.empty() ? "" : sentence_of(r.another.front())),
      arg("launches", counted(r.count, "kernel launch", "kernel launches")),
      arg("calls", counted(r.count, "call")), arg("operation", r.operation), arg("ms", r.ms),
      arg("names", fmt::join(r.names, ", ")), arg("some", some_of(r.names)),
      arg("not_emulated",
          r.names.empty() ? "it uses what the emulated device lacks"
                          : format("{}: the emulated device lacks {}", r.names.front(), r.words)),
      arg("are_missing", r.names.size() == 1 ? "is missing or has other parameters"
                                             : "are missing or have other parameters"),
      arg("expected", r.expected),
      arg("declared", r.finding ? format(" {} has: {}. Make its parameters the expected ones.",
                                         place_of(*r.finding), r.finding->message)
                                : ""),
      arg("sources", fmt::join(r.sources, ", ")),
      arg("left_out", left_out.empty() ? "" : " " + left_out), arg("left_out_alone", left_out),
      arg("others", others_text(r)), arg("headers", r.names.empty() ? "" : ": " + some_of(r.names)),
      arg("folder", r.words == "." ? "the submission's folder" : r.words + "/"),
      arg("outcome", r.outcome ? words(*r.outcome).text : ""), arg("counted", counted_text(r)),
      arg("count_meaning", count_meaning(r)), arg("full_ms", r.full_ms), arg("zero_ms", r.zero_ms),
      arg("reference",
          r.reference_ms ? format(" (the reference takes {:.4g} ms here)", *r.reference_ms) : ""));
}

/// A process that ended: the submission may have seen the mistake and left.
bool follows(const Reason& r) { return r.kind <= Kind::findings_missing; }

std::string whole_of(const Reason& r) {
  std::string text = filled(words_of(r).sentence, r);
  if (r.after_right_call) text += ", after a call whose output was right";
  if (r.finding && follows(r)) text = format("{} Then: {}", found(r), text);
  if (!r.shape.empty()) {
    if (text.ends_with('.')) text.pop_back();
    text += "; shape: " + r.shape;
  }
  if (r.unwatched_end) text += "; accesses were not checked to its end";
  if (!r.failed_call.empty() && r.kind == Kind::right)
    text += format("; a CUDA call returned an error: {}", r.failed_call);
  if (r.left_behind > 0)
    text += format("; it left {} behind", counted(r.left_behind, "process", "processes"));
  if (r.slow_warm_up_ms > 0)
    text += format("; not timed, for its first warm-up took longer than {} ms", r.slow_warm_up_ms);
  const bool names_other = words_of(r).sentence.find("{another}") != std::string_view::npos ||
                           words_of(r).hint.find("{another}") != std::string_view::npos;
  if (!r.another.empty() && !names_other)
    text += "; in a process of its own, after a failure in one used before: " +
            sentence_of(r.another.front());
  if (r.leaked_bytes > 0)
    text += format("; each call leaves {} behind, so each had a process of its own",
                   leak_text(r.leaked_bytes, r.leaked_on_device));
  return r.about.empty() ? text : format("{}: {}", r.about, text);
}

std::string whole_hint(const Reason& r) {
  std::string hint = filled(words_of(r).hint, r);
  if (r.sanitizer_helps)
    hint +=
        " `opgrade check` runs the random shapes under g++'s address sanitizer as well: that "
        "names the line.";
  if (r.held_bytes > 0)
    hint = format(
        "It held {} of the {} that it may have. Check that all is freed that a call "
        "allocates.{}{}",
        show_bytes(r.held_bytes), show_bytes(r.allowed_bytes), hint.empty() ? "" : " ", hint);
  if (r.explanation) hint = text_of(*r.explanation);
  if (r.leaked_bytes > 0)
    hint += format("{}Free in each call what it allocates.", hint.empty() ? "" : " ");
  return hint;
}

}  // namespace

std::string leak_text(std::int64_t bytes, bool on_device) {
  return show_bytes(bytes) + (on_device ? " of device memory" : " of memory");
}

std::string sentence_of(const Reason& reason) { return one_line(whole_of(reason)); }
std::string hint_of(const Reason& reason) { return one_line(whole_hint(reason)); }

}  // namespace opgrade::report
