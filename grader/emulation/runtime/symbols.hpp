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

/// Called after a variable came: a kernel's own static ones come when a thread passes them first.
inline void (*symbol_came)() = nullptr;

/// The variable's address on the device, of that of the host's copy; any other address as it is.
const void* device_side(const void* address);

/// Puts the values of a device's `__constant__` and `__device__` variables in place of another's.
/// What neither a kernel nor a copy has changed there is as the program begins.
void show_variables_of(int device);

/// The variable that holds the address, or null.
const SymbolRange* find_symbol(const void* address);
/// From the first variable's begin to the last one's end; without a name.
SymbolRange all_symbols();
bool has_managed_variables();
bool symbol_contains(const void* address, std::size_t bytes);
/// The variable that ends nearest before the address, at most `within` bytes away, or null.
const SymbolRange* symbol_before(const void* address, std::size_t within);

}  // namespace opgrade_emulation
