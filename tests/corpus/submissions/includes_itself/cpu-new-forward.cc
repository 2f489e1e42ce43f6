// A macro bomb in one file that includes itself.
#include "cpu-new-forward.cc"
