#include "reference/isa.hpp"

namespace opgrade {

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return "baseline";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  return "unknown";
}

const std::vector<Isa>& available_isas() {
  static const std::vector<Isa> isas = [] {
    std::vector<Isa> found{Isa::baseline};
#if defined(OPGRADE_REFERENCE_X86)
    // The compiler's own check also asks the operating system whether it saves the wide registers.
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
    if (avx2) found.push_back(Isa::avx2);
    if (avx512) found.push_back(Isa::avx512);
#endif
    return found;
  }();
  return isas;
}

Isa best_isa(Isa limit) {
  Isa best = Isa::baseline;
  for (const Isa isa : available_isas())
    if (isa <= limit) best = isa;
  return best;
}

}  // namespace opgrade
