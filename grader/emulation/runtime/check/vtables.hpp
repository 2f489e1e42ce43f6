/// Checks objects with virtual functions. A GPU has its own tables for them, so an object works
/// only on the side that made it, and a copy made by the host does not work in a kernel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opgrade_emulation {

/// Call this when the host has written [begin, begin + bytes) of device memory or of a kernel's
/// parameters. Records which words there point to a table.
void remember_host_objects(const void* begin, std::size_t bytes);
/// Call this when device memory was copied to the host, with the objects that kernels made there.
void copied_to_host(const void* to, const void* from, std::size_t bytes);
/// Call this when the running code has written a pointer to a table.
void object_made(const void* at);
void forget_objects(const void* begin, std::size_t bytes);

/// Call this when host code reads eight bytes, because it may call a virtual function of an object
/// that a kernel made.
void host_reads_word(const void* at, const void* site);
bool any_object_of_device();

/// `variable` is the name of a table that a kernel reads. True if no object with this table that
/// the host made is in device memory or a parameter.
bool is_devices_own_table(const char* variable);

/// "_ZTV" and what follows: the name of a table of virtual functions.
bool names_table(const char* variable);

}  // namespace opgrade_emulation
