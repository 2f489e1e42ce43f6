/// Reads inline PTX: its template, its operands, and the instructions among them that are emulated.
#pragma once

#include <optional>
#include <string>

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {

/// Calls of the stand-in functions for `asm(...)`, whose brackets are at `open` and `close`;
/// nothing where one of its instructions is not emulated.
std::optional<std::string> emulated_ptx(const Source& source, std::size_t open, std::size_t close);

}  // namespace opgrade::emulation
