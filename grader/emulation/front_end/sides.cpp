#include "grader/emulation/front_end/sides.hpp"

#include <clang/AST/Attr.h>

#include <string_view>
#include <unordered_map>

#include "grader/emulation/front_end/places.hpp"

namespace opgrade::emulation {
namespace {

/// The sides that may call a function of the toolkit's headers: "h", "d", "hd"; empty if the
/// headers have no such function.
std::string_view toolkit_sides(llvm::StringRef name) {
  static const std::unordered_map<std::string_view, std::string_view> kNames{
#define X(name, sides) {#name, sides},
#include "grader/emulation/names/cuda_names.inc"
#undef X
  };
  const auto found = kNames.find(std::string_view(name.data(), name.size()));
  return found == kNames.end() ? std::string_view() : found->second;
}

Side side_of(std::string_view sides) {
  return sides == "h" ? Side::host : sides == "d" ? Side::device : Side::both;
}

llvm::StringRef name_of(const clang::FunctionDecl& function) {
  return function.getIdentifier() != nullptr ? function.getName() : llvm::StringRef();
}

/// True for functions that nvcc has for both sides, although the C++ library declares them for the
/// host.
bool is_for_both_in_library(const clang::FunctionDecl& function) {
  if (function.isOverloadedOperator()) {
    const auto kind = function.getOverloadedOperator();
    if (kind == clang::OO_New || kind == clang::OO_Delete || kind == clang::OO_Array_New ||
        kind == clang::OO_Array_Delete)
      return true;
  }
  const llvm::StringRef name = name_of(function);
  if (name == "move" || name == "forward" || name == "move_if_noexcept" || name == "addressof")
    return true;
  if (const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function))
    return method->getParent()->getIdentifier() != nullptr &&
           method->getParent()->getName() == "initializer_list";
  // Templates of <cmath> belong to the host, except pow, which the toolkit has, too.
  return !toolkit_sides(name).empty() && toolkit_sides(name) != "h" &&
         (!function.isTemplateInstantiation() || name == "pow");
}

/// The template's function for an instance; any other function itself.
const clang::FunctionDecl& as_written(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* const pattern = function.getTemplateInstantiationPattern();
  return pattern != nullptr ? *pattern : function;
}

}  // namespace

const char* word_of(Side side) {
  switch (side) {
    case Side::host:
      return "__host__";
    case Side::device:
      return "__device__";
    case Side::kernel:
      return "__global__";
    case Side::both:
      return "__host__ __device__";
  }
  return "";
}

bool has_word(const clang::Decl& declaration, const char* word) {
  for (const auto* const attribute : declaration.specific_attrs<clang::AnnotateAttr>())
    if (attribute->getAnnotation() == word) return true;
  return false;
}

bool Sides::is_own_header(const clang::Decl& declaration) const {
  const std::string_view file =
      sources_.getFilename(sources_.getExpansionLoc(declaration.getLocation()));
  return file.starts_with(own_headers_);
}

bool Sides::is_students(const clang::Decl& declaration) const {
  const clang::SourceLocation place = sources_.getExpansionLoc(declaration.getLocation());
  return place.isValid() && !is_of_system(sources_, place) && !is_own_header(declaration) &&
         !sources_.isWrittenInBuiltinFile(place) && !sources_.isWrittenInCommandLineFile(place);
}

Side Sides::written(const clang::FunctionDecl& function) {
  if (function.hasAttr<clang::CUDAGlobalAttr>()) return Side::kernel;
  const clang::FunctionDecl& declared = as_written(function);
  const bool device = has_word(function, "device") || has_word(declared, "device");
  const bool host = has_word(function, "host") || has_word(declared, "host");
  return !device ? Side::host : host ? Side::both : Side::device;
}

bool Sides::is_relaxed(const clang::FunctionDecl& function) const {
  return relaxed_ && of(function) == Side::both &&
         Sides(sources_, own_headers_, false).of(function) == Side::host;
}

Side Sides::of(const clang::FunctionDecl& function) const {
  const clang::FunctionDecl* const declared = &as_written(function);
  if (const Side side = written(function); side != Side::host) return side;
  if (has_word(function, "host") || has_word(*declared, "host")) return Side::host;
  if (const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(declared)) {
    const clang::CXXRecordDecl& record = *method->getParent();
    if (record.isLambda()) {
      const auto* const around = llvm::dyn_cast_or_null<clang::FunctionDecl>(
          record.getDeclContext()->getNonClosureAncestor());
      if (around == nullptr) return Side::host;
      const Side side = of(*around);
      return side == Side::kernel ? Side::device : side;
    }
  }
  if (function.isImplicit() || function.isDefaulted() || function.isDeleted() ||
      function.isTrivial())
    return Side::both;
  const std::string_view name = name_of(function);
  if (name.starts_with("__builtin_") || name.starts_with("__sync_") ||
      name.starts_with("__atomic_"))
    return Side::both;
  if (relaxed_ && function.isConstexpr()) return Side::both;
  if (is_own_header(function)) {
    const auto* const context = function.getDeclContext()->getRedeclContext();
    return context->isTranslationUnit() ? side_of(toolkit_sides(name)) : Side::both;
  }
  if (!is_students(function) && is_for_both_in_library(function)) return Side::both;
  return Side::host;
}

}  // namespace opgrade::emulation
