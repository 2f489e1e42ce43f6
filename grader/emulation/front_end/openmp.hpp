/// Finds whether a directive of OpenMP gives work to threads.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtOpenMP.h>

namespace opgrade::emulation {

/// False for a directive that stands alone, has an empty block or loop, or is for a single thread.
bool shares_work(const clang::OMPExecutableDirective& directive, const clang::ASTContext& context);

}  // namespace opgrade::emulation
