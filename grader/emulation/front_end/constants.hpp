/// Values that every compiler knows when it compiles, and code that so cannot run.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace opgrade::emulation {

/// Nothing of a value that compilers need not agree on: __PRETTY_FUNCTION__ and builtin functions
/// tell them apart.
std::optional<bool> constant_condition(const clang::Expr* condition,
                                       const clang::ASTContext& context);
std::optional<std::int64_t> constant_number(const clang::Expr* value,
                                            const clang::ASTContext& context);

/// Those parts of a statement that cannot run: behind a condition that is a constant, or behind a
/// jump. None of them has a label.
std::vector<const clang::Stmt*> parts_that_do_not_run(const clang::Stmt& statement,
                                                      const clang::ASTContext& context);

}  // namespace opgrade::emulation
