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
  warns,      ///< no points if a varied run is wrong, or if a config says `findings: decide`
  undecided,  ///< the case needs a GPU
  explains,   ///< a note; if something fails, the likely reason
  untidy,     ///< a note
};

/// The names of all kinds.
std::span<const std::string_view> finding_kinds();

/// Returns `decides` for an unknown kind.
FindingWeight weight_of(std::string_view kind);

/// Sorts by weight, and within a weight puts causes before symptoms.
void sort_by_cause(std::vector<Finding>& findings);

bool decides(const Finding& finding);
bool warns(const Finding& finding);
bool is_note(const Finding& finding);

/// True for a note on a value that nothing wrote. It does no harm if the value is not used, as is
/// common in a halo; otherwise the outputs differ from device to device.
bool reads_unset(const Finding& finding);

/// True for a finding whose harm depends on the order of threads.
bool is_race(const Finding& finding);

/// True if one of `findings` has the kind and the place of `finding`.
bool is_listed(const std::vector<Finding>& findings, const Finding& finding);

/// True for a finding that decides or warns.
bool is_mistake(const Finding& finding);

/// The mistake to fix first in a passed case, because it may fail on a GPU. Null if there is none,
/// or if the case has not passed.
const Finding* warning_of(const CaseReport& report);

/// A sentence on what happens on a GPU, whether or not the outputs are right here.
std::string_view on_a_gpu(std::string_view kind);

/// "file:line", "file" or an empty text.
std::string place_of(const Finding& finding);

/// The place, then the sentence.
std::string text_of(const Finding& finding);

}  // namespace opgrade
