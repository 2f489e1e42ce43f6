#include "grader/report/words/note_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <variant>
#include <vector>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/finding_kind.hpp"
#include "grader/report/fields/view.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade::report {
namespace {

using namespace notes;

std::string text_of_run(const std::vector<Reason>& rerun) {
  return rerun.empty() ? "" : sentence_of(rerun.front());
}

std::string text_of_limit(const std::optional<Limit>& limit) {
  return limit ? text_of(*limit) : "";
}

std::string words_of(const EarlierNote& n) { return n.words; }
std::string words_of(const NextStep& n) { return n.words; }

// Notes on the machine.

std::string words_of(const WeakSandbox& n) { return fmt::format("sandbox tier '{}'", n.tier); }
std::string words_of(const EmulatedInstead&) {
  return "no GPU here: GPU stages run on the emulated device, which gives no Op Time";
}
std::string words_of(const StageNotRun& n) { return sentence_of(Reason(n.missing)); }
std::string words_of(const UnusedGpus& n) {
  std::vector<std::string> names;
  for (const GpuId& gpu : n.gpus) names.push_back(fmt::format("{} ({})", gpu.name, gpu.uuid));
  return fmt::format(
      "not used: {}; times of different models cannot be compared with those of {}, and "
      "CUDA_VISIBLE_DEVICES chooses another one",
      fmt::join(names, ", "), n.used);
}
std::string words_of(const GpuFailed& n) {
  return fmt::format("{} ({}) failed and is not used any more; devices left: {}", n.gpu.name,
                     n.gpu.uuid, n.left);
}
std::string words_of(const MayOverlap& n) { return overlap_text(n.words); }

// Notes on the origin of a grade.

std::string words_of(const NotRunAgain& n) {
  return fmt::format("{} of {} not run again: the rules of their runs are those of {}", n.cases,
                     counted(n.of, "case was", "cases were"), n.made);
}
std::string words_of(const SameFiles& n) {
  return "submissions with the same files have one grade, made at " + n.made;
}
std::string words_of(const PracticeRun& n) {
  std::string text = "a practice run: it never counts";
  if (!n.tool.empty())
    text += fmt::format(
        "; it ran under a tool ({}), so its times are not those of a hand-in and are never ranked",
        n.tool);
  return text;
}
std::string words_of(const GradeOfAssignment& n) {
  return fmt::format("grade of {}: {}; {}", n.assignment, n.points, fmt::join(n.steps, "; "));
}

// Notes on the sources.

std::string words_of(const OpenMpIgnored& n) {
  return fmt::format("{}: #pragma omp has no effect: the config's flags lack -fopenmp (one thread)",
                     place_of(n.place));
}
std::string words_of(const WordsDecided&) {
  return "constructs were looked for by their words, because no front end read all sources: either "
         "it is missing (see opgrade doctor), and a word without use counts, or Clang stops at an "
         "error, and staff decide what is left open";
}

// Notes on times.

std::string calls_text(const auto& n, std::string_view what) {
  return fmt::format("{}: in {} of {} timed calls {}", n.layer, n.count, n.of, what);
}
std::string words_of(const DisagreeingCalls& n) {
  return calls_text(
      n,
      "the submission's process measured another time than the grader, as on a busy machine; the "
      "grader's counts. Run it again when nothing else runs");
}
std::string words_of(const BusyCalls& n) {
  return calls_text(
      n,
      "something else had the device between the fresh input and the call; its time counts. Run it "
      "again when nothing else uses the device");
}
std::string words_of(const LateCalls& n) {
  return calls_text(
      n,
      "the output still changed after the call had ended; the time until the process was stopped "
      "counts. Wait for all threads and the device before the function returns");
}

std::string cause_text(const TimedOnHost& n) {
  switch (n.cause) {
    case NotOnDevice::accompanied:
      return "another process of the submission lives beside its calls, and the device may work "
             "for it";
    case NotOnDevice::output_not_opened:
      return "the grader cannot open its output and input on the device: not memory of "
             "cudaMalloc's, or smaller than they are in single precision";
    case NotOnDevice::buffers_not_opened:
      return "the grader cannot open its buffers on the device";
    case NotOnDevice::no_referee_code:
      return fmt::format("the referee has no {} on the device", n.operation);
    case NotOnDevice::prolog_writes_output:
      return "its prolog already wrote the output";
    case NotOnDevice::prolog_computes:
      return "its prolog already computes the output";
    case NotOnDevice::prolog_works_on_input:
      return "its prolog already works on the input: the timed call does not read it from the "
             "device tensor, or in another layout";
  }
  return "";
}
std::string words_of(const TimedOnHost& n) {
  return cause_text(n) + (n.allowed
                              ? "; the config allows that, and Op Time lacks prolog and epilog"
                              : ": prolog and epilog count into its Op Time");
}
std::string words_of(const LaunchesOutside& n) {
  return launches_text(n) + (n.counted ? "; their time is counted into Op Time"
                                       : "; the config allows that, and Op Time lacks it");
}
std::string words_of(const LaunchesUnknown& n) {
  return fmt::format("work outside the {} call could not be recorded: {}", n.operation, n.words);
}
std::string words_of(const LeakedMemory& n) {
  return fmt::format(
      "the submission leaks: each call leaves {} behind, so each had a process of its own. Free in "
      "each call what it allocates.",
      leak_text(n.bytes, n.on_device));
}

// Notes on checks that were not made.

std::string words_of(const FindingsNotSought& n) {
  return fmt::format("findings were not looked for{}: {}",
                     n.begun ? " to the end of the emulated device's run" : "",
                     text_of_run(n.rerun));
}
std::string words_of(const LayersNotWatched& n) {
  return fmt::format("its layers were not watched to the end on {} images: {}", n.images,
                     text_of_run(n.rerun));
}
constexpr const char* kRacesNotSought = "not checked for data races: ";
std::string words_of(const AccessesNotWatched&) { return kCannotWatch; }
std::string words_of(const NoThreadSanitizer&) {
  return fmt::format("{}g++ has no thread sanitizer here", kRacesNotSought);
}
std::string words_of(const RaceRunStopped& n) {
  return fmt::format("{}the run that looks for them is {}", kRacesNotSought, words(n.outcome).text);
}
std::string words_of(const RaceRunFailed& n) { return kRacesNotSought + n.words; }
std::string words_of(const SanitizersFailed& n) {
  return "not run under the sanitizers: " + n.words;
}

// Notes from compute-sanitizer.

std::string words_of(const SanitizerSaid& n) { return n.words; }
std::string words_of(const SanitizerNeedsGpu&) {
  return "compute-sanitizer needs a GPU: its tools were not run; the emulated device looks for the "
         "same mistakes in small convolutions";
}
std::string words_of(const NoComputeSanitizer&) {
  return "the CUDA toolkit has no compute-sanitizer: its tools were not run";
}
std::string words_of(const SanitizerNotRun& n) {
  return "compute-sanitizer was not run: " + n.words;
}
std::string words_of(const SanitizerPartLeftOut& n) {
  return fmt::format(
      "{} was not run: the parts of compute-sanitizer have {} s together, which those before it "
      "used",
      n.part, n.seconds);
}
std::string words_of(const SanitizerPartCut& n) {
  return fmt::format(
      "{} was stopped at the limit of {} s that the parts of compute-sanitizer have together; the "
      "results of the cases stand",
      n.part, n.seconds);
}
std::string words_of(const SanitizerPartStopped& n) {
  return fmt::format("{} was stopped: {}", n.part, text_of_limit(n.limit));
}
std::string words_of(const SanitizerFoundNothing&) { return "compute-sanitizer found nothing"; }

// Notes on a tool that runs the submission's process.

std::string words_of(const ToolMissing& n) {
  if (n.program.empty())
    return fmt::format("{} is not installed on this machine: it was not run; see opgrade doctor",
                       n.tool);
  return fmt::format(
      "{} was not run: the program that {} names, {}, is not there; see opgrade "
      "doctor",
      n.tool, n.variable, n.program);
}
std::string words_of(const ToolNeedsGpu& n) {
  return fmt::format("{} needs a GPU: it was not run on the emulated device", n.tool);
}
std::string words_of(const ToolNeedsNamespaces& n) {
  return fmt::format(
      "{} was not run: it needs a sandbox with user namespaces, and this machine has the tier "
      "'{}'; see opgrade doctor",
      n.tool, n.tier);
}
std::string words_of(const CountersKept& n) {
  return fmt::format("{} {}: {}", n.tool, n.tried ? "read no counters" : "was not run", n.words);
}
std::string words_of(const KernelNotLaunched& n) {
  return fmt::format(
      "{} saw no launch of a kernel '{}' in the call; name a __global__ function of the submission "
      "that the timed function launches",
      n.tool, n.kernel);
}
std::string words_of(const ToolWroteNothing& n) {
  return fmt::format("{} wrote no file{}", n.tool,
                     n.words.empty() ? "" : "; its last line: " + n.words);
}
std::string words_of(const ToolTimedOut& n) {
  return fmt::format(
      "{} was stopped at its limit of {} s and wrote no file; the results of the cases were there "
      "before, and stand. Look at a kernel that is launched less often, or ask the course's staff "
      "for a longer tool_time",
      n.tool, n.seconds);
}
std::string words_of(const ToolStopped& n) {
  return fmt::format("{} was stopped: {}; the results of the cases stand", n.tool,
                     text_of_limit(n.limit));
}
std::string words_of(const ToolFileTooLarge& n) {
  return fmt::format(
      "{} wrote a file of more than {} MiB, which is not kept; look at fewer launches, or ask the "
      "course's staff for a larger tool_file",
      n.tool, n.mib);
}
std::string words_of(const ToolFileNotKept& n) {
  return fmt::format("{} ran, but its file could not be kept: {}", n.tool, n.words);
}
std::string words_of(const ToolFailed& n) {
  return fmt::format("{} was not run: {}", n.tool, n.words);
}
std::string words_of(const ToolWatched& n) {
  return fmt::format("{} watched one call with {}; its file is {}", n.tool, n.call, n.file);
}
std::string words_of(const ToolSamples& n) {
  return fmt::format("{}'s samples of {} by line: {}", n.tool, n.kernel, text_of(n.lines));
}

/// The case or the stage that stands before the sentence; may be empty.
std::string subject_of(const Note& note) {
  return std::visit(
      [](const auto& one) -> std::string {
        if constexpr (requires { one.case_id; }) return one.case_id;
        if constexpr (requires { one.stage; }) return one.stage;
        return {};
      },
      note.what);
}

}  // namespace

std::string launches_text(const LaunchesOutside& outside) {
  return fmt::format("{} outside the {} call ({:.3g} ms)",
                     counted(outside.launches, "kernel launch", "kernel launches"),
                     outside.operation, outside.ms);
}

std::string overlap_text(const std::string& why) {
  return fmt::format("other timed runs may have overlapped: {}", why);
}

std::string sentence_of(const Note& note) {
  const std::string subject = subject_of(note);
  const std::string text = std::visit([](const auto& one) { return words_of(one); }, note.what);
  return one_line(subject.empty() ? text : fmt::format("{}: {}", subject, text));
}

}  // namespace opgrade::report
