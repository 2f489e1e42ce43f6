#include "grader/emulation/front_end/openmp.hpp"

#include <algorithm>

#include "grader/emulation/front_end/constants.hpp"

namespace opgrade::emulation {
namespace {

/// True if something is called or written. What a loop's head does is not counted as work.
bool does_work(const clang::Stmt* statement) {
  if (statement == nullptr) return false;
  if (const auto* const loop = llvm::dyn_cast<clang::ForStmt>(statement))
    return does_work(loop->getBody());
  if (const auto* const taken = llvm::dyn_cast<clang::CapturedStmt>(statement))
    return does_work(taken->getCapturedStmt());
  if (llvm::isa<clang::CallExpr>(statement)) return true;
  if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(statement))
    if (binary->isAssignmentOp()) return true;
  if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(statement))
    if (unary->isIncrementDecrementOp()) return true;
  return std::ranges::any_of(statement->children(), does_work);
}

}  // namespace

bool shares_work(const clang::OMPExecutableDirective& directive, const clang::ASTContext& context) {
  if (!directive.hasAssociatedStmt()) return false;
  for (const clang::OMPClause* const clause : directive.clauses()) {
    if (const auto* const threads = llvm::dyn_cast<clang::OMPNumThreadsClause>(clause))
      if (constant_number(threads->getNumThreads(), context) == 1) return false;
    if (const auto* const condition = llvm::dyn_cast<clang::OMPIfClause>(clause))
      if (constant_condition(condition->getCondition(), context) == false) return false;
  }
  if (const auto* const loop = llvm::dyn_cast<clang::OMPLoopDirective>(&directive)) {
    const auto iterations = constant_number(loop->getNumIterations(), context);
    if (iterations && *iterations <= 1) return false;
  }
  return does_work(directive.getAssociatedStmt());
}

}  // namespace opgrade::emulation
