/// The functions of a submission that exist for nvcc, and the variables at file scope.
#pragma once

#include <clang/AST/RecursiveASTVisitor.h>

#include <vector>

#include "grader/emulation/front_end/sides.hpp"

namespace opgrade::emulation {

/// Collects definitions in the submission, including instances of templates and lambdas.
class Declarations : public clang::RecursiveASTVisitor<Declarations> {
 public:
  Declarations(clang::ASTContext& context, const Sides& sides) : sides_(sides) {
    TraverseAST(context);
  }

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldWalkTypesOfTypeLocs() const { return false; }

  bool TraverseDecl(clang::Decl* declaration) {
    // Skips other files, which are most of the text and have no declaration that counts.
    if (declaration != nullptr && declaration->getDeclContext() != nullptr &&
        declaration->getDeclContext()->getRedeclContext()->isFileContext() &&
        !llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration) &&
        !sides_.is_students(*declaration) && !llvm::isa<clang::TranslationUnitDecl>(declaration))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!sides_.is_students(*function)) return true;
    if (function->hasAttr<clang::CUDAGlobalAttr>()) kernels.push_back(function);
    if (function->isThisDeclarationADefinition() && function->hasBody())
      (function->isDependentContext() ? patterns : functions).push_back(function);
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
    clang::CXXMethodDecl* const call = lambda->getCallOperator();
    if (!call->isDependentContext()) functions.push_back(call);
    return RecursiveASTVisitor::TraverseLambdaExpr(lambda);
  }
  bool VisitParmVarDecl(clang::ParmVarDecl* parameter) {
    if (sides_.is_students(*parameter)) parameters.push_back(parameter);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (sides_.is_students(*variable) && !variable->isLocalVarDeclOrParm() &&
        !variable->getDeclContext()->isDependentContext())
      variables.push_back(variable);
    return true;
  }

  std::vector<clang::FunctionDecl*> functions, patterns, kernels;
  std::vector<clang::VarDecl*> variables;
  std::vector<clang::ParmVarDecl*> parameters;  ///< of every function, declared or defined

 private:
  const Sides& sides_;
};

}  // namespace opgrade::emulation
