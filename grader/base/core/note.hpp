/// What a reader of a grade should know in addition to its cases, as a value.
/// grader/report/words/note_words.hpp makes the sentence.
///
/// `id` is an alternative's name in report.json and never changes.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "grader/base/core/notes/compute_sanitizer.hpp"
#include "grader/base/core/notes/device_tool.hpp"
#include "grader/base/core/notes/earlier.hpp"
#include "grader/base/core/notes/machine.hpp"
#include "grader/base/core/notes/not_sought.hpp"
#include "grader/base/core/notes/provenance.hpp"
#include "grader/base/core/notes/sources.hpp"
#include "grader/base/core/notes/times.hpp"

#undef OPGRADE_NOTE

namespace opgrade {

using NoteKind = std::variant<
    notes::EarlierNote, notes::NextStep, notes::WeakSandbox, notes::EmulatedInstead,
    notes::StageNotRun, notes::UnusedGpus, notes::GpuFailed, notes::MayOverlap, notes::NotRunAgain,
    notes::SameFiles, notes::PracticeRun, notes::GradeOfAssignment, notes::OpenMpIgnored,
    notes::WordsDecided, notes::DisagreeingCalls, notes::BusyCalls, notes::LateCalls,
    notes::TimedOnHost, notes::LaunchesOutside, notes::LaunchesUnknown, notes::LeakedMemory,
    notes::FindingsNotSought, notes::LayersNotWatched, notes::AccessesNotWatched,
    notes::NoThreadSanitizer, notes::RaceRunStopped, notes::RaceRunFailed, notes::SanitizersFailed,
    notes::SanitizerSaid, notes::SanitizerNeedsGpu, notes::NoComputeSanitizer,
    notes::SanitizerNotRun, notes::SanitizerPartLeftOut, notes::SanitizerPartCut,
    notes::SanitizerPartStopped, notes::SanitizerFoundNothing, notes::ToolMissing,
    notes::ToolNeedsGpu, notes::ToolNeedsNamespaces, notes::CountersKept, notes::KernelNotLaunched,
    notes::ToolWroteNothing, notes::ToolTimedOut, notes::ToolStopped, notes::ToolFileTooLarge,
    notes::ToolFileNotKept, notes::ToolFailed, notes::ToolWatched, notes::ToolSamples>;

template <class Type, class Variant>
inline constexpr bool is_alternative = false;
template <class Type, class... Types>
inline constexpr bool is_alternative<Type, std::variant<Types...>> = (std::same_as<Type, Types> ||
                                                                      ...);

/// Not an aggregate: a variant of aggregates would accept a text by brace elision.
struct Note {
  Note() = default;
  template <class Kind>
  requires is_alternative<Kind, NoteKind> Note(Kind kind) : what(std::move(kind)) {}

  NoteKind what;

  bool operator==(const Note&) const = default;

  template <class Kind>
  bool is() const {
    return std::holds_alternative<Kind>(what);
  }
};

/// The case that a note is about; empty if it is about none.
inline std::string_view case_id_of(const Note& note) {
  return std::visit(
      [](const auto& one) -> std::string_view {
        if constexpr (requires { one.case_id; }) return one.case_id;
        if constexpr (requires { one.watched; }) return one.watched;
        return {};
      },
      note.what);
}

/// Returns `note` with the case set, if its kind has one.
inline Note about_case(Note note, const std::string& id) {
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.case_id; }) one.case_id = id;
      },
      note.what);
  return note;
}

/// Returns `note` with the stage set, if its kind has one.
inline Note of_stage(Note note, const std::string& stage) {
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.stage; }) one.stage = stage;
      },
      note.what);
  return note;
}

/// True if compute-sanitizer ran, or the note says why it did not.
inline bool is_of_sanitizer(const Note& note) {
  return std::visit(
      []<class Kind>(const Kind&) {
        return is_alternative<
            Kind, std::variant<notes::SanitizerSaid, notes::SanitizerNeedsGpu,
                               notes::NoComputeSanitizer, notes::SanitizerNotRun,
                               notes::SanitizerPartLeftOut, notes::SanitizerPartCut,
                               notes::SanitizerPartStopped, notes::SanitizerFoundNothing>>;
      },
      note.what);
}

}  // namespace opgrade
