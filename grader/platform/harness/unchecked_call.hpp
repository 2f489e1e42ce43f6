/// A call without a grader, for tools that watch a process from within.
#pragma once

namespace opgrade::harness {

/// Makes one call of the submission at `path` on buffers of its own. Both lists are numbers
/// separated by commas: the sizes of the case, and the bytes of each buffer, the output first.
/// Returns the exit code.
int unchecked_call(const char* path, const char* sizes, const char* bytes);

}  // namespace opgrade::harness
