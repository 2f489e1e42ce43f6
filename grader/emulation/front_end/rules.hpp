/// Checks nvcc's rules about the two sides of a program and about CUDA's words, on Clang's tree.
#pragma once

#include <vector>

#include "grader/emulation/front_end/sides.hpp"
#include "grader/emulation/front_end/unit.hpp"

namespace clang {
class ASTContext;
}

namespace opgrade::emulation {

/// The sides whose functions are checked. A source that depends on __CUDA_ARCH__ is read twice.
enum class Looked { both, host, device };

/// What nvcc's flags allow.
struct RuleFlags {
  bool separate = false;         ///< -rdc=true: kernels may launch kernels
  bool extended_lambda = false;  ///< --extended-lambda: lambdas may be __device__
};

/// Returns the broken rules in the source's order, each line and text once.
std::vector<Refusal> broken_rules(clang::ASTContext& context, const Sides& sides, Looked looked,
                                  const RuleFlags& flags);

}  // namespace opgrade::emulation
