#include "cpu-new-forward.h"

void conv_forward_cpu(float*, const float*, const float*, const int, const int, const int,
                      const int, const int, const int) {
  __builtin_trap();
}
