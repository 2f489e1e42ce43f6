/// The facts from the tree that the translator needs. cuda-front-end prints them, one a line.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "grader/emulation/front_end/rules.hpp"

namespace opgrade::emulation {

/// The lines: kind, file without its folder, line, name and a number, with tabs between.
///   shared          a kernel, and the bytes of its __shared__ variables
///   parameter       of a kernel; 1 for a reference, 2 for an object with virtual functions
///   host-use        a __device__ or __constant__ variable in host code
///   both-use        the same in a function of both sides
///   address         a function whose address host code takes, and that a kernel could call by it
///   no-result       a device function that can reach its end without its result; 1 for a reference
class TreeFacts {
 public:
  TreeFacts(clang::ASTContext& context, const Sides& sides, Looked looked);

  std::vector<std::string> lines;
  std::vector<Refusal> refusals;  ///< more shared or constant memory than ptxas takes
  std::vector<Refusal> warnings;  ///< host code that reads or writes its copy of a device variable

 private:
  void check_constants(clang::ASTContext& context, const std::vector<clang::VarDecl*>& variables);
};

}  // namespace opgrade::emulation
