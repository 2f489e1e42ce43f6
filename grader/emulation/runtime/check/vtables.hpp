/// Objects with virtual functions. A GPU has tables of its own for them, so an object works on the
/// side that made it, and a copy of the host's does not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opgrade_emulation {

/// The host has written [begin, begin + bytes) of device memory or of a kernel's parameters: which
/// words there lead to a table is remembered.
void remember_host_objects(const void* begin, std::size_t bytes);
/// Device memory was copied to the host, with the objects that kernels made there.
void copied_to_host(const void* to, const void* from, std::size_t bytes);
/// The running code has written a pointer to a table there.
void object_made(const void* at);
void forget_objects(const void* begin, std::size_t bytes);

/// Host code reads eight bytes: it may call a virtual function of an object that a kernel made.
void host_reads_word(const void* at, const void* site);
bool any_object_of_device();

/// `variable` is the name of a table that a kernel reads. True if neither device memory
/// nor a parameter holds an object with this table that the host made.
bool is_devices_own_table(const char* variable);

/// "_ZTV" and what follows: the name of a table of virtual functions.
bool names_table(const char* variable);

}  // namespace opgrade_emulation
