#pragma once

/// One call on buffers of its own, without a grader: for tools that watch a process from within.
/// Both lists are numbers with commas between: the sizes of the case, and the elements of each
/// buffer, the output's first.
int unchecked_call(const char* path, const char* sizes, const char* elements);
