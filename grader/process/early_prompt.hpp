/// Gives a person the prompt when the report is there. Behind it a grading frees its device and
/// gigabytes of memory and ends its processes, which takes some tenths of a second.
#pragma once

namespace opgrade::early_prompt {

/// The caller goes on in a child; this process waits, and exits with the code of release(), or as
/// the child ends. Before any thread is started. Without it release() does nothing.
void begin();

/// begin() on a terminal: what scripts run is over when it returns.
void begin_on_terminal();

/// All output was written. The waiting process exits with `code`, and this one goes on without
/// input and output.
void release(int code);

}  // namespace opgrade::early_prompt
