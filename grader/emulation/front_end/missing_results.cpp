#include "grader/emulation/front_end/missing_results.hpp"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Analysis/Analyses/ReachableCode.h>
#include <clang/Analysis/AnalysisDeclContext.h>
#include <clang/Analysis/CFG.h>
#include <llvm/ADT/BitVector.h>

#include <algorithm>

namespace opgrade::emulation {
namespace {

/// The block's last statement, or null.
const clang::Stmt* last_statement(const clang::CFGBlock& block) {
  for (auto element = block.rbegin(); element != block.rend(); ++element)
    if (const auto statement = element->getAs<clang::CFGStmt>()) return statement->getStmt();
  return nullptr;
}

}  // namespace

// Decides as Clang's -Wreturn-type. That warning itself does not come after any error, and the
// front end ignores some errors.
bool can_lack_result(clang::FunctionDecl& function) {
  const clang::QualType result = function.getReturnType();
  if (result->isVoidType() || function.isDependentContext()) return false;
  clang::AnalysisDeclContext analysis(nullptr, &function);
  analysis.getCFGBuildOptions().PruneTriviallyFalseEdges = true;
  analysis.getCFGBuildOptions().AddImplicitDtors = true;
  const clang::CFG* const graph = analysis.getCFG();
  if (graph == nullptr) return false;
  llvm::BitVector live(graph->getNumBlockIDs());
  clang::reachable_code::ScanReachableFromBlock(&graph->getEntry(), live);
  return std::ranges::any_of(graph->getExit().preds(), [&](const clang::CFGBlock* block) {
    if (block == nullptr || !live[block->getBlockID()] || block->hasNoReturnElement()) return false;
    const clang::Stmt* const last = last_statement(*block);
    return last == nullptr || !llvm::isa<clang::ReturnStmt, clang::CXXThrowExpr>(last);
  });
}

bool can_make_up(clang::QualType result, const clang::ASTContext& context) {
  if (result->isVoidType() || result->getContainedDeducedType() != nullptr) return false;
  const clang::CXXRecordDecl* const record = result->getAsCXXRecordDecl();
  return record == nullptr ||
         (record->hasDefinition() && record->isAggregate() &&
          result.isTriviallyCopyableType(context) && record->hasSimpleCopyConstructor());
}

}  // namespace opgrade::emulation
