/// What findings say about accesses.
#pragma once

#include <cstdint>
#include <string>

#include "grader/emulation/runtime/check/context.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/source_lines.hpp"

namespace opgrade_emulation {

const char* verb(Access access);  ///< "writes"
bool is_shared(std::uintptr_t address);

/// The line of an access in a cell, see short_site().
SourceLine place_at(std::uint32_t site);

/// The thread of the running block that a cell names: "thread (1,0,0)".
std::string thread_text(Cell cell);

/// Text on an access of the running thread that is not ordered after the earlier access.
std::string text_of_race(std::uintptr_t address, Cell cell, std::uint32_t site, Access access,
                         bool other_block, const void* here);

/// Text on a plain access that is not ordered with the atomic operation at `atomic_site`.
std::string text_of_mixed_race(std::uintptr_t address, Access plain, SourceLine plain_place,
                               bool other_block, std::uint32_t atomic_site);

/// Reports a finding of a thread that ran before.
void report_of(const uint3& block, const uint3& thread, Finding finding);

}  // namespace opgrade_emulation
