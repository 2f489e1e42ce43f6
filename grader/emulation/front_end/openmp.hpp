/// What a directive of OpenMP gives threads to do.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtOpenMP.h>

namespace opgrade::emulation {

/// Not one that stands alone, nor one on an empty block or loop, or of a single thread.
bool shares_work(const clang::OMPExecutableDirective& directive, const clang::ASTContext& context);

}  // namespace opgrade::emulation
