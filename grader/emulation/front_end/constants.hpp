/// Finds values that every compiler knows at compile time, and code that therefore cannot run.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace opgrade::emulation {

/// nullopt if compilers may disagree on the value: __PRETTY_FUNCTION__ and builtin functions tell
/// compilers apart.
std::optional<bool> constant_condition(const clang::Expr* condition,
                                       const clang::ASTContext& context);
std::optional<std::int64_t> constant_number(const clang::Expr* value,
                                            const clang::ASTContext& context);

/// The parts of a statement that cannot run, because they follow a constant condition or a jump.
/// None of them has a label.
std::vector<const clang::Stmt*> parts_that_do_not_run(const clang::Stmt& statement,
                                                      const clang::ASTContext& context);

}  // namespace opgrade::emulation
