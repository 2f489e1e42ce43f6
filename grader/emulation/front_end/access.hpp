/// What an expression does with the variable that it names.
#pragma once

#include <clang/AST/Stmt.h>

#include <vector>

namespace opgrade::emulation {

struct Access {
  bool reads = false;
  bool writes = false;
};

using Ancestors = std::vector<const clang::Stmt*>;

/// `ancestors`: from the outermost to the parent. An address that a call or a variable takes may do
/// both.
Access access_of(const clang::Stmt* name, const Ancestors& ancestors);

}  // namespace opgrade::emulation
