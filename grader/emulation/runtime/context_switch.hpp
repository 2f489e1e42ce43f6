/// Switches between stacks, the only part of a fiber that needs assembly.
#pragma once

namespace opgrade_emulation {

/// Saves the caller's registers on its stack and the stack pointer in `*save`; continues where
/// `load` was saved. Takes about 2 ns, because a kernel's barrier needs nothing else that a general
/// switch saves (signal mask, floating-point control); Boost.Context's switch takes 6 ns.
extern "C" void opgrade_emulation_switch(void** save, void* load);

/// The stack pointer of a fresh stack whose first switch enters `entry`, which must never return.
void* prepare_stack(void* top, void (*entry)());

}  // namespace opgrade_emulation
