#include "grader/emulation/front_end/names.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/GlobalDecl.h>
#include <llvm/Support/raw_ostream.h>

namespace opgrade::emulation {

std::string whole_name(const clang::NamedDecl& declaration) {
  std::string name = declaration.getNameAsString();
  for (const clang::DeclContext* at = declaration.getDeclContext(); at != nullptr;
       at = at->getParent()) {
    const auto* const space = llvm::dyn_cast<clang::NamespaceDecl>(at);
    if (space != nullptr && (space->isInline() || space->isAnonymousNamespace())) continue;
    if (const auto* const named = llvm::dyn_cast<clang::NamedDecl>(at);
        named != nullptr && (space != nullptr || llvm::isa<clang::RecordDecl>(at)))
      name = named->getNameAsString() + "::" + name;
  }
  return name;
}

std::string linker_name(const clang::FunctionDecl& function, clang::MangleContext& names) {
  if (function.isDependentContext()) return {};
  if (llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(function))
    return whole_name(function);
  // g++ gives a static function in an extern "C" block its plain name, too.
  if (!names.shouldMangleDeclName(&function) ||
      (function.isInExternCContext() && !function.hasAttr<clang::AsmLabelAttr>()))
    return function.getNameAsString();
  std::string name;
  llvm::raw_string_ostream out(name);
  names.mangleName(function.hasAttr<clang::CUDAGlobalAttr>()
                       ? clang::GlobalDecl(&function, clang::KernelReferenceKind::Kernel)
                       : clang::GlobalDecl(&function),
                   out);
  return out.str();
}

}  // namespace opgrade::emulation
