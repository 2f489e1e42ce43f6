/// Functions that can reach their end without their result.
#pragma once

#include <clang/AST/Type.h>

namespace clang {
class ASTContext;
class FunctionDecl;
}  // namespace clang

namespace opgrade::emulation {

/// True if the function has a result, and a way through its body ends without `return`.
bool can_lack_result(clang::FunctionDecl& function);

/// True if the translator can make up a result of the type: a number, a pointer, a reference, or a
/// plain class that can be copied byte by byte. Another class may be made from anything, and a
/// deduced type would be deduced from what is made up.
bool can_make_up(clang::QualType result, const clang::ASTContext& context);

}  // namespace opgrade::emulation
