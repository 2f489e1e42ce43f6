/// Finds what an expression does with the variable that it names.
#pragma once

#include <clang/AST/Stmt.h>

#include <vector>

namespace opgrade::emulation {

struct Access {
  bool reads = false;
  bool writes = false;
};

using Ancestors = std::vector<const clang::Stmt*>;

/// `ancestors`: from the outermost to the parent. If the variable's address goes to a call or
/// another variable, it counts as both read and written.
Access access_of(const clang::Stmt* name, const Ancestors& ancestors);

}  // namespace opgrade::emulation
