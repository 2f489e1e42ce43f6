/// Functions that can reach their end without their result.
#pragma once

namespace clang {
class FunctionDecl;
}

namespace opgrade::emulation {

/// The function has a result, and a way through its body ends without `return`. False if the
/// translator cannot make up a result of the type: a class that is no aggregate may be made from
/// anything, and a deduced type would be deduced from what is made up.
bool can_lack_result(clang::FunctionDecl& function);

}  // namespace opgrade::emulation
