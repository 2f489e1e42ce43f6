/// Asynchronous copies of a kernel's threads (cp.async, memcpy_async). They are made at once. With
/// Variation::late a thread's copy is made when that thread waits for it, and never if it does not.
#pragma once

namespace opgrade_emulation {

/// A finding for each place whose copies no thread waited for. The grader uses it if outputs are
/// wrong. False if there is none.
bool report_copies_without_wait();

}  // namespace opgrade_emulation
