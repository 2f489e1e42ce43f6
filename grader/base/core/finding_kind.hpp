/// The meaning of each kind of finding for a verdict: the table in docs/emulation.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade {

enum class FindingWeight {
  decides,    ///< no points, although the outputs are right
  warns,      ///< no points where a varied run is wrong, or by a config's `findings: decide`
  undecided,  ///< the case needs a GPU
  explains,   ///< a note; where something fails it is a likely reason
  untidy,     ///< a note
};

/// The names of all kinds.
std::span<const std::string_view> finding_kinds();

/// An unknown kind decides.
FindingWeight weight_of(std::string_view kind);

/// By weight, and within a weight causes before symptoms.
void sort_by_cause(std::vector<Finding>& findings);

bool decides(const Finding& finding);
bool warns(const Finding& finding);
bool is_note(const Finding& finding);

/// A note on a value that nothing wrote. Without harm if the value is not used, as that of a halo
/// often is; otherwise the outputs differ from device to device.
bool reads_unset(const Finding& finding);

/// One whose harm depends on the order of threads.
bool is_race(const Finding& finding);

/// True if one of `findings` has the kind and the place of `finding`.
bool is_listed(const std::vector<Finding>& findings, const Finding& finding);

/// One that decides or warns.
bool is_mistake(const Finding& finding);

/// The mistake to mend first in a case that has its points: a GPU may hide it. Null where there is
/// none, or the case has another outcome.
const Finding* warning_of(const CaseReport& report);

/// A sentence on what a GPU does there, whether the outputs are right here or not.
std::string_view on_a_gpu(std::string_view kind);

/// "file:line", "file" or nothing.
std::string place_of(const Finding& finding);

/// The place and the sentence.
std::string text_of(const Finding& finding);

}  // namespace opgrade
