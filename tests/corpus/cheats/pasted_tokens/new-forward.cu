// C61: makes its side stream through pasted tokens, against a filter of words
#include "honest.cuh"

#define PASTE(a, b) a##b

HONEST_PROLOG
HONEST_EPILOG

CONV {
  static PASTE(cuda, Stream_t) hidden = nullptr;
  if (!hidden) PASTE(cudaStr, eamCreateWithFlags)(&hidden, PASTE(cudaStre, amNonBlocking));
  slow_conv(y, x, k, B, M, C, H, W, K, hidden);
}
