/// The submission's `__constant__`, `__device__` and `__managed__` variables.
#pragma once

#include <cstddef>

#include "opgrade_emulation/kernel.hpp"

namespace opgrade_emulation {

struct SymbolRange {
  const char* begin;
  std::size_t bytes;
  const char* name;
  SymbolKind kind;
};

/// Called when a variable is added: a kernel's own static variables are added when a thread first
/// passes them.
inline void (*symbol_came)() = nullptr;

/// Returns the device's address of a variable for the address of the host's copy; returns any other
/// address unchanged.
const void* device_side(const void* address);

/// Replaces the values of `__constant__` and `__device__` variables by those of `device`. A value
/// that neither a kernel nor a copy has changed there is the initial one.
void show_variables_of(int device);

/// The variable that contains the address, or null.
const SymbolRange* find_symbol(const void* address);
/// From the first variable's begin to the last one's end; without a name.
SymbolRange all_symbols();
bool has_managed_variables();
bool symbol_contains(const void* address, std::size_t bytes);
/// The variable that ends nearest before the address, at most `within` bytes away; null if there is
/// none.
const SymbolRange* symbol_before(const void* address, std::size_t within);

}  // namespace opgrade_emulation
