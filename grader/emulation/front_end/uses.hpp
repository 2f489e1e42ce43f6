/// What the code of a submission uses, by what it is and not by how it is spelled.
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
/// Code can run if a function refers to it that the submission shows to others, or an initialiser.
/// A class of which there is an object can have any of its functions called. A kernel or a device
/// function is shown to others only if it is one of `needed`: what other sources need.
std::vector<std::string> lines_of_uses(clang::ASTContext& context, const Sides& sides,
                                       const std::set<std::string>& needed);

/// Lines that both passes have of those that exist in one alone, and all others.
std::vector<std::string> merged_uses(const std::vector<std::string>& host,
                                     const std::vector<std::string>& device);

}  // namespace opgrade::emulation
