/// The rewriting passes; each looks for one thing and adds its edits.
#pragma once

#include "grader/emulation/translator/edits.hpp"
#include "grader/emulation/translator/scopes.hpp"
#include "grader/emulation/translator/translate.hpp"

namespace opgrade::emulation {

struct Source {
  const LexedText& lexed;
  Cursor tokens;
  ScopeMap scopes;
  Edits edits;
  std::vector<Remark> remarks;
  const TranslateOptions& options;

  /// `"file", line` of a token, as two arguments of a call.
  std::string place(std::size_t token) const;
  bool is_uncounted(std::size_t token) const;
  void remark(Remark::Kind kind, std::size_t token, std::string text);
};

/// `__global__ void k(..) { body }` becomes a function whose call, under a launch configuration,
/// runs the body once a thread.
void rewrite_kernels(Source& source);
/// `k<..><<<grid, block, ..>>>(args)` becomes `(Configuration(grid, block, ..), k<..>(args))`.
void rewrite_launches(Source& source);
/// `__shared__` declarations become references into the block's shared memory.
void rewrite_shared(Source& source);
/// `__constant__` and `__device__` variables become registered globals.
void rewrite_device_variables(Source& source);
/// malloc, free, new and delete in device functions use the device's heap.
void rewrite_heap(Source& source);
/// Loops and arithmetic of device code call counting.hpp.
void rewrite_counted(Source& source);
/// The remaining CUDA words: taken out or replaced by attributes; inline PTX by a stop.
void rewrite_words(Source& source);

}  // namespace opgrade::emulation
