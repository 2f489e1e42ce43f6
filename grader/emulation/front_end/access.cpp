#include "grader/emulation/front_end/access.hpp"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

namespace opgrade::emulation {

Access access_of(const clang::Stmt* name, const Ancestors& ancestors) {
  constexpr Access kNone{}, kBoth{true, true};
  const clang::Stmt* at = name;
  bool decayed = false;
  for (auto i = ancestors.rbegin(); i != ancestors.rend(); ++i) {
    const clang::Stmt* const parent = *i;
    if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(parent)) {
      if (cast->getCastKind() == clang::CK_ToVoid) return kNone;
      if (cast->getCastKind() == clang::CK_LValueToRValue) return {true, false};
      if (cast->getCastKind() == clang::CK_ArrayToPointerDecay)
        decayed = true;
      else if (cast->getCastKind() != clang::CK_NoOp)
        return kBoth;
    } else if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(parent)) {
      if (element->getBase() != at) return kBoth;
      decayed = false;
    } else if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(parent)) {
      if (!llvm::isa<clang::FieldDecl>(member->getMemberDecl())) return kBoth;
    } else if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(parent)) {
      if (decayed || binary->getLHS() != at || !binary->isAssignmentOp()) return kBoth;
      return {binary->isCompoundAssignmentOp(), true};
    } else if (llvm::isa<clang::CompoundStmt>(parent)) {
      return kNone;
    } else if (!llvm::isa<clang::ParenExpr, clang::ExprWithCleanups>(parent)) {
      return kBoth;
    }
    at = parent;
  }
  return kNone;
}

}  // namespace opgrade::emulation
