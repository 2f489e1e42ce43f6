#include "grader/emulation/front_end/facts.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "grader/emulation/front_end/functions.hpp"
#include "grader/emulation/front_end/missing_results.hpp"
#include "grader/emulation/front_end/places.hpp"

namespace opgrade::emulation {
namespace {

constexpr std::size_t kMostStaticShared = 48 * 1024;
constexpr std::size_t kMostConstant = 64 * 1024;

using Visit = std::function<void(const clang::Stmt&, const clang::Stmt* parent)>;

/// Visits every statement and expression below, including initialisers of local variables.
void each_statement(const clang::Stmt* statement, const clang::Stmt* parent, const Visit& visit) {
  if (statement == nullptr) return;
  visit(*statement, parent);
  for (const clang::Stmt* const child : statement->children())
    each_statement(child, statement, visit);
}

const clang::FunctionDecl* definition_of(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* definition = nullptr;
  return function.hasBody(definition) ? definition : nullptr;
}

/// The __shared__ variables that a function and its callees use: nvcc drops all others.
class SharedVariables {
 public:
  explicit SharedVariables(clang::ASTContext& context) : context_(context) {}

  std::size_t bytes_of(const clang::FunctionDecl& kernel) {
    met_.clear();
    functions_.clear();
    visit(kernel);
    std::size_t bytes = 0;
    for (const clang::VarDecl* const variable : met_)
      bytes +=
          static_cast<std::size_t>(context_.getTypeSizeInChars(variable->getType()).getQuantity());
    return bytes;
  }

 private:
  void visit(const clang::FunctionDecl& function) {
    const clang::FunctionDecl* const definition = definition_of(function);
    if (definition == nullptr || !functions_.insert(definition).second) return;
    each_statement(definition->getBody(), nullptr,
                   [&](const clang::Stmt& statement, const clang::Stmt*) { meet(statement); });
  }

  void meet(const clang::Stmt& statement) {
    if (const auto* const reference = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
      if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
        meet(*variable);
      if (const auto* const called = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()))
        visit(*called);
    } else if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(&statement)) {
      if (const auto* const called = llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl()))
        visit(*called);
    } else if (const auto* const made = llvm::dyn_cast<clang::CXXConstructExpr>(&statement)) {
      visit(*made->getConstructor());
    }
  }

  void meet(const clang::VarDecl& variable) {
    const clang::QualType type = variable.getType();
    if (has_word(variable, "shared") && !variable.hasExternalStorage() &&
        type->isConstantSizeType() && !type->isIncompleteType() && !type->isDependentType())
      met_.insert(&variable);
  }

  clang::ASTContext& context_;
  std::set<const clang::VarDecl*> met_;
  std::set<const clang::FunctionDecl*> functions_;
};

/// True for a variable of which host and device each have a copy.
bool is_doubled(const clang::VarDecl& variable, const Sides& sides) {
  return variable.hasGlobalStorage() && !variable.isStaticLocal() && sides.is_students(variable) &&
         (has_word(variable, "device") || has_word(variable, "constant")) &&
         !has_word(variable, "managed") && !has_word(variable, "shared") &&
         !variable.getType().isConstQualified() && !variable.isStaticDataMember() &&
         variable.getDefinition() != nullptr && variable.getDescribedVarTemplate() == nullptr;
}

/// The variable that the expression is, or is a member or an element of.
const clang::VarDecl* variable_in(const clang::Expr& expression) {
  const clang::Expr* at = expression.IgnoreParenImpCasts();
  for (;;) {
    if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(at);
        member != nullptr && !member->isArrow()) {
      at = member->getBase()->IgnoreParenImpCasts();
    } else if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(at);
               element != nullptr &&
               element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) {
      at = element->getBase()->IgnoreParenImpCasts();
    } else {
      break;
    }
  }
  const auto* const reference = llvm::dyn_cast<clang::DeclRefExpr>(at);
  return reference != nullptr ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

/// "read" or "written": what the statement does directly to `what`; else null.
const char* direct_use(const clang::Stmt& statement, const clang::Expr*& what) {
  if (const auto* const cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&statement)) {
    what = cast->getSubExpr();
    return cast->getCastKind() == clang::CK_LValueToRValue ? "read" : nullptr;
  }
  if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(&statement)) {
    what = binary->getLHS();
    return binary->isAssignmentOp() ? "written" : nullptr;
  }
  if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(&statement)) {
    what = unary->getSubExpr();
    return unary->isIncrementDecrementOp() ? "written" : nullptr;
  }
  return nullptr;
}

/// True if the object or a part of it has virtual functions.
bool has_virtual_functions(clang::QualType type) {
  const clang::CXXRecordDecl* const record =
      type->isDependentType() ? nullptr : type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return false;
  return record->isDynamicClass() ||
         std::ranges::any_of(record->bases(),
                             [](const clang::CXXBaseSpecifier& base) {
                               return has_virtual_functions(base.getType());
                             }) ||
         std::ranges::any_of(record->fields(), [](const clang::FieldDecl* field) {
           return has_virtual_functions(field->getType());
         });
}

/// True if the name identifies the function without its parameters' types.
bool is_named_alone(const clang::FunctionDecl& function) {
  return !function.isTemplateInstantiation() && !function.isVariadic() &&
         !llvm::isa<clang::CXXMethodDecl>(function) && function.getIdentifier() != nullptr &&
         function.getDeclContext()
             ->getRedeclContext()
             ->lookup(function.getDeclName())
             .isSingleResult();
}

/// The name as its first token is written.
std::string first_token_of_name(const clang::FunctionDecl& function) {
  return function.getIdentifier() != nullptr ? function.getNameAsString() : "operator";
}

/// The file without its folder, and the line, by which the translator knows a name; nullopt if the
/// place is in no file.
std::optional<std::pair<std::string, unsigned>> line_of(const clang::SourceManager& sources,
                                                        clang::SourceLocation place) {
  const clang::PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(place));
  if (at.isInvalid()) return std::nullopt;
  const std::string file = at.getFilename();
  return std::pair(file.substr(file.rfind('/') + 1), at.getLine());
}

/// The device functions that can lack their result, if the translator can make it up. The
/// translator knows a function by its line and name, so all functions with these, such as the
/// instances of a template, must have results that can be made up in the same way.
std::vector<const clang::FunctionDecl*> lacking_results(const Declarations& declarations,
                                                        const Sides& sides,
                                                        const clang::ASTContext& context) {
  struct Group {
    std::vector<const clang::FunctionDecl*> lacking;
    std::set<bool> by_reference;
    bool can_be_made_up = true;
  };
  const clang::SourceManager& sources = context.getSourceManager();
  std::map<std::tuple<std::string, unsigned, std::string>, Group> groups;
  for (clang::FunctionDecl* const function : declarations.functions) {
    const auto at = line_of(sources, function->getLocation());
    if (!at) continue;
    Group& group = groups[{at->first, at->second, first_token_of_name(*function)}];
    const clang::QualType result = function->getReturnType();
    const bool is_for_device = runs_on_device(sides.of(*function));
    group.by_reference.insert(result->isReferenceType());
    group.can_be_made_up = group.can_be_made_up && is_for_device && can_make_up(result, context);
    if (group.can_be_made_up && can_lack_result(*function)) group.lacking.push_back(function);
  }
  std::vector<const clang::FunctionDecl*> all;
  for (const auto& [place, group] : groups)
    if (group.can_be_made_up && group.by_reference.size() == 1)
      all.insert(all.end(), group.lacking.begin(), group.lacking.end());
  return all;
}

}  // namespace

void TreeFacts::check_constants(clang::ASTContext& context,
                                const std::vector<clang::VarDecl*>& variables) {
  std::size_t bytes = 0;
  for (const clang::VarDecl* const variable : variables) {
    if (!has_word(*variable, "constant") || variable->getDefinition() != variable ||
        variable->getType()->isIncompleteType())
      continue;
    bytes +=
        static_cast<std::size_t>(context.getTypeSizeInChars(variable->getType()).getQuantity());
    if (bytes <= kMostConstant) continue;
    refusals.push_back(refusal_at(context.getSourceManager(), variable->getLocation(),
                                  "the file uses too much global constant data: with \"" +
                                      variable->getNameAsString() + "\" " + std::to_string(bytes) +
                                      " bytes, 65536 max"));
    return;
  }
}

TreeFacts::TreeFacts(clang::ASTContext& context, const Sides& sides, Looked looked) {
  const clang::SourceManager& sources = context.getSourceManager();
  const Declarations declarations(context, sides);
  const auto line = [&](const char* kind, clang::SourceLocation place, const std::string& name,
                        std::size_t number) {
    const auto at = line_of(sources, place);
    if (!at) return;
    std::string text = std::string(kind) + "\t" + at->first + "\t" + std::to_string(at->second) +
                       "\t" + name + "\t" + std::to_string(number);
    if (std::ranges::find(lines, text) == lines.end()) lines.push_back(std::move(text));
  };

  if (looked != Looked::host) {
    check_constants(context, declarations.variables);
    SharedVariables shared(context);
    std::map<clang::SourceLocation, std::set<std::size_t>> bytes;
    std::map<clang::SourceLocation, std::string> names;
    for (const clang::FunctionDecl* const kernel : declarations.functions) {
      if (!kernel->hasAttr<clang::CUDAGlobalAttr>()) continue;
      const std::size_t own = shared.bytes_of(*kernel);
      bytes[kernel->getLocation()].insert(own);
      names[kernel->getLocation()] = kernel->getNameAsString();
      if (own <= kMostStaticShared) continue;
      Refusal refusal = refusal_at(sources, kernel->getLocation(),
                                   "the kernel \"" + kernel->getNameAsString() +
                                       "\" uses too much shared data (" + std::to_string(own) +
                                       " bytes, 49152 max)");
      if (std::ranges::find(refusals, refusal) == refusals.end())
        refusals.push_back(std::move(refusal));
    }
    // Skipped if instances of a template differ, because the translator cannot tell them apart.
    for (const auto& [place, each] : bytes)
      if (each.size() == 1 && *each.begin() > 0) line("shared", place, names[place], *each.begin());
  }

  for (const clang::FunctionDecl* const kernel : declarations.kernels)
    for (const clang::ParmVarDecl* const parameter : kernel->parameters())
      if (parameter->getIdentifier() != nullptr)
        line("parameter", parameter->getLocation(), parameter->getNameAsString(),
             parameter->getType()->isReferenceType()       ? 1
             : has_virtual_functions(parameter->getType()) ? 2
                                                           : 0);

  for (const clang::FunctionDecl* const function : lacking_results(declarations, sides, context)) {
    line("no-result", function->getLocation(), first_token_of_name(*function),
         function->getReturnType()->isReferenceType() ? 1 : 0);
    // In nvcc's words. The host compiler sees the result that is made up.
    Refusal warning = refusal_at(sources, function->getBody()->getEndLoc(),
                                 "missing return statement at end of non-void function \"" +
                                     function->getNameAsString() + "\"");
    if (std::ranges::find(warnings, warning) == warnings.end())
      warnings.push_back(std::move(warning));
  }

  // Types of functions that device code calls through a pointer.
  std::set<const clang::Type*> called;
  for (const auto* const all : {&declarations.functions, &declarations.patterns})
    for (const clang::FunctionDecl* const function : *all) {
      if (!runs_on_device(sides.of(*function))) continue;
      each_statement(function->getBody(), nullptr,
                     [&](const clang::Stmt& statement, const clang::Stmt*) {
                       const auto* const call = llvm::dyn_cast<clang::CallExpr>(&statement);
                       if (call == nullptr || call->getDirectCallee() != nullptr) return;
                       const clang::QualType type = call->getCallee()->getType();
                       if (type->isFunctionPointerType())
                         called.insert(type->getPointeeType().getCanonicalType().getTypePtr());
                     });
    }

  const auto look_at = [&](const clang::Stmt* body, Side side) {
    each_statement(body, nullptr, [&](const clang::Stmt& statement, const clang::Stmt* parent) {
      const clang::Expr* what = nullptr;
      if (const char* const use = direct_use(statement, what);
          use != nullptr && side == Side::host) {
        const clang::VarDecl* const variable = variable_in(*what);
        if (variable != nullptr && is_doubled(*variable, sides)) {
          Refusal warning = refusal_at(
              sources, what->getExprLoc(),
              std::string("a ") +
                  (has_word(*variable, "constant") ? "__constant__" : "__device__") +
                  " variable \"" + variable->getNameAsString() + "\" cannot be directly " + use +
                  " in a host function: this is the host's own copy");
          if (std::ranges::find(warnings, warning) == warnings.end())
            warnings.push_back(std::move(warning));
        }
      }
      const auto* const reference = llvm::dyn_cast<clang::DeclRefExpr>(&statement);
      if (reference == nullptr) return;
      if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl())) {
        if (is_doubled(*variable, sides))
          line(side == Side::host ? "host-use" : "both-use", reference->getLocation(),
               variable->getNameAsString(), 0);
        return;
      }
      const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
      const auto* const cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
      const auto* const unary = llvm::dyn_cast_or_null<clang::UnaryOperator>(parent);
      const bool taken =
          (cast != nullptr && cast->getCastKind() == clang::CK_FunctionToPointerDecay) ||
          (unary != nullptr && unary->getOpcode() == clang::UO_AddrOf);
      if (function == nullptr || side != Side::host || !taken || !sides.is_students(*function) ||
          function->hasAttr<clang::CUDAGlobalAttr>() || !is_named_alone(*function) ||
          !called.contains(function->getType().getCanonicalType().getTypePtr()))
        return;
      line("address", reference->getLocation(), function->getNameAsString(), 0);
    });
  };
  if (looked == Looked::device) return;
  for (const auto* const all : {&declarations.functions, &declarations.patterns})
    for (const clang::FunctionDecl* const function : *all) {
      const Side side = sides.of(*function);
      if (side == Side::host || side == Side::both) look_at(function->getBody(), side);
    }
  for (const clang::VarDecl* const variable : declarations.variables)
    if (!has_word(*variable, "device") && !has_word(*variable, "constant") &&
        !has_word(*variable, "managed"))
      look_at(variable->getInit(), Side::host);
}

}  // namespace opgrade::emulation
