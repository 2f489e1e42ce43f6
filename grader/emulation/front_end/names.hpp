/// Names of declarations, as constructs and the linker know them.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Mangle.h>

#include <string>

namespace opgrade::emulation {

/// Without arguments of templates and without inline namespaces: std::sort, cub::BlockReduce::Sum.
std::string whole_name(const clang::NamedDecl& declaration);

/// As the source that calls it and the one that has it both name it. A kernel's is that of its
/// stub, which a source without CUDA calls it by.
std::string linker_name(const clang::FunctionDecl& function, clang::MangleContext& names);

}  // namespace opgrade::emulation
