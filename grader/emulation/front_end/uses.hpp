/// Finds what the code of a submission uses, by meaning and not by spelling.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "grader/emulation/front_end/sides.hpp"

namespace clang {
class ASTContext;
}

namespace opgrade::emulation {

/// The lines: kind, file, first line, last line and name, with tabs between.
///   use     a name with its namespaces and classes, or a word such as __shared__, that code uses
///           which can run
///   dead    lines of a function that nothing refers to, or of a statement that cannot run
///   known   a function of CUDA's: if no `use` names it, no code that can run calls it
///   needed  a function of another source, by its name for the linker, that code uses which can run
///   offered a kernel or device function that another source could use and that nothing here uses
///
/// Code can run if an initialiser refers to it, or a function that the submission shows to others.
/// If there is an object of a class, any function of the class may be called. A kernel or a device
/// function is shown to others only if it is one of `needed`, which other sources need.
std::vector<std::string> lines_of_uses(clang::ASTContext& context, const Sides& sides,
                                       const std::set<std::string>& needed);

/// Merges the lines of both passes: a `dead` line is kept only if both have it, all others always.
std::vector<std::string> merged_uses(const std::vector<std::string>& host,
                                     const std::vector<std::string>& device);

}  // namespace opgrade::emulation
