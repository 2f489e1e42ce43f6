/// A call without a grader, for tools that watch a process from within.
#pragma once

namespace opgrade::harness {

/// One call of the submission at `path` on buffers of its own. Both lists are numbers with commas
/// between them: the sizes of the case, and the bytes of each buffer, the output's first.
/// Returns the exit code.
int unchecked_call(const char* path, const char* sizes, const char* bytes);

}  // namespace opgrade::harness
