/// Asynchronous copies of a kernel's threads (cp.async, memcpy_async). They are made at once. With
/// Variation::late a thread's copy is made only when that thread waits for it, and never if the
/// thread does not wait.
#pragma once

namespace opgrade_emulation {

/// Reports each place whose copies no thread waited for, and returns false if there is none. The
/// grader uses these findings if outputs are wrong.
bool report_copies_without_wait();

}  // namespace opgrade_emulation
