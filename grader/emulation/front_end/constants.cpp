#include "grader/emulation/front_end/constants.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>

namespace opgrade::emulation {
namespace {

/// Follows the functions and variables that a value depends on.
class CompilersAgree {
 public:
  bool on(const clang::Stmt* statement) {
    if (statement == nullptr) return true;
    if (llvm::isa<clang::PredefinedExpr, clang::SourceLocExpr>(statement)) return false;
    const clang::ValueDecl* named = nullptr;
    if (const auto* const reference = llvm::dyn_cast<clang::DeclRefExpr>(statement))
      named = reference->getDecl();
    else if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(statement))
      named = member->getMemberDecl();
    else if (const auto* const made = llvm::dyn_cast<clang::CXXConstructExpr>(statement))
      named = made->getConstructor();
    return on_declaration(named) &&
           std::ranges::all_of(statement->children(),
                               [&](const clang::Stmt* child) { return on(child); });
  }

 private:
  bool on_declaration(const clang::ValueDecl* named) {
    if (named == nullptr || !seen_.insert(named).second) return true;
    if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named))
      return on(variable->getAnyInitializer());
    const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(named);
    if (function == nullptr) return true;
    return function->getBuiltinID() == 0 && on(function->getBody());
  }

  std::set<const clang::ValueDecl*> seen_;
};

/// True if a jump can reach the statement, because it has a label or a case.
bool has_label(const clang::Stmt* statement) {
  if (statement == nullptr) return false;
  if (llvm::isa<clang::LabelStmt, clang::SwitchCase>(statement)) return true;
  return std::ranges::any_of(statement->children(), has_label);
}

bool ends_block(const clang::Stmt& statement) {
  return llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt, clang::GotoStmt>(
      statement);
}

std::vector<const clang::Stmt*> unlabelled_parts(const clang::Stmt& statement,
                                                 const clang::ASTContext& context) {
  if (const auto* const one = llvm::dyn_cast<clang::IfStmt>(&statement)) {
    const auto value = constant_condition(one->getCond(), context);
    if (value) return {*value ? one->getElse() : one->getThen()};
  } else if (const auto* const loop = llvm::dyn_cast<clang::WhileStmt>(&statement)) {
    if (constant_condition(loop->getCond(), context) == false) return {loop->getBody()};
  } else if (const auto* const counting = llvm::dyn_cast<clang::ForStmt>(&statement)) {
    if (constant_condition(counting->getCond(), context) == false)
      return {counting->getBody(), counting->getInc()};
  } else if (const auto* const choice = llvm::dyn_cast<clang::ConditionalOperator>(&statement)) {
    const auto value = constant_condition(choice->getCond(), context);
    if (value) return {*value ? choice->getFalseExpr() : choice->getTrueExpr()};
  } else if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(&statement)) {
    if (binary->isLogicalOp() &&
        constant_condition(binary->getLHS(), context) == (binary->getOpcode() == clang::BO_LOr))
      return {binary->getRHS()};
  } else if (llvm::isa<clang::CompoundStmt>(statement)) {
    std::vector<const clang::Stmt*> behind;
    bool ended = false;
    for (const clang::Stmt* const child : statement.children()) {
      ended = ended && !has_label(child);
      if (ended) behind.push_back(child);
      ended = ended || ends_block(*child);
    }
    return behind;
  }
  return {};
}

}  // namespace

std::optional<bool> constant_condition(const clang::Expr* condition,
                                       const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (condition == nullptr || condition->isValueDependent() ||
      !condition->EvaluateAsRValue(result, context) || result.HasSideEffects ||
      !result.Val.isInt() || !CompilersAgree().on(condition))
    return std::nullopt;
  return result.Val.getInt().getBoolValue();
}

std::optional<std::int64_t> constant_number(const clang::Expr* value,
                                            const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (value == nullptr || value->isValueDependent() || !value->EvaluateAsInt(result, context) ||
      !CompilersAgree().on(value))
    return std::nullopt;
  return result.Val.getInt().getExtValue();
}

std::vector<const clang::Stmt*> parts_that_do_not_run(const clang::Stmt& statement,
                                                      const clang::ASTContext& context) {
  std::vector<const clang::Stmt*> parts = unlabelled_parts(statement, context);
  std::erase_if(parts, has_label);
  return parts;
}

}  // namespace opgrade::emulation
