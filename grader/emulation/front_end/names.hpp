/// Names of declarations, as construct rules and the linker use them.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Mangle.h>

#include <string>

namespace opgrade::emulation {

/// The name without template arguments and inline namespaces: std::sort, cub::BlockReduce::Sum.
std::string whole_name(const clang::NamedDecl& declaration);

/// The name by which both the calling and the defining source refer to the function. For a kernel
/// the name of its stub, which a source without CUDA calls.
std::string linker_name(const clang::FunctionDecl& function, clang::MangleContext& names);

}  // namespace opgrade::emulation
