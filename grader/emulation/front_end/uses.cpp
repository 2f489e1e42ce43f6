#include "grader/emulation/front_end/uses.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenMP.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "grader/emulation/front_end/access.hpp"
#include "grader/emulation/front_end/constants.hpp"
#include "grader/emulation/front_end/functions.hpp"
#include "grader/emulation/front_end/names.hpp"
#include "grader/emulation/front_end/openmp.hpp"
#include "grader/emulation/front_end/places.hpp"

namespace opgrade::emulation {
namespace {

class Walk {
 public:
  Walk(clang::ASTContext& context, const Sides& sides, const std::set<std::string>& needed)
      : context_(context),
        sources_(context.getSourceManager()),
        sides_(sides),
        declarations_(context, sides),
        needed_(needed),
        names_(context.createMangleContext()) {}

  std::set<std::string> lines() {
    for (const clang::Decl* const one : context_.getTranslationUnitDecl()->decls())
      if (sides_.is_students(*one)) add_other_names(*one);
    for (const clang::FunctionDecl* const function : declarations_.functions)
      if (is_root(*function)) reach(*function);
    for (const clang::VarDecl* const variable : declarations_.variables) {
      meet(variable->getType());
      walk(variable->getInit());
    }
    while (!reached_.empty()) {
      function_ = reached_.back();
      reached_.pop_back();
      if (const auto* const made = llvm::dyn_cast<clang::CXXConstructorDecl>(function_))
        for (const clang::CXXCtorInitializer* const one : made->inits()) walk(one->getInit());
      walk(function_->getBody());
    }
    for (const auto& [place, access] : shared_)
      if (access.reads && access.writes) use(place, "__shared__");
    for (const auto* const all : {&declarations_.functions, &declarations_.patterns})
      for (const clang::FunctionDecl* const function : *all) {
        // Clang does not see the calls of such a function.
        if (function->getIdentifier() != nullptr && function->getIdentifier()->hasMacroDefinition())
          add("partial", "", 0, 0, "");
        if (!places_.contains(function->getLocation())) {
          dead(function->getSourceRange());
          if (function->isExternallyVisible() && is_device_only(sides_.of(*function)))
            add("offered", "", 0, 0, linker_name(*function, *names_));
        }
      }
    for (const char* const name : {
#define X(name, sides) #name,
#include "grader/emulation/names/cuda_names.inc"
#undef X
         })
      if (is_cudas_function(name)) add("known", "", 0, 0, name);
    if (context_.getLangOpts().OpenMP != 0) add("known", "", 0, 0, "#pragma omp");
    return std::move(lines_);
  }

 private:
  /// True if code outside the source can call the function: code linked with the submission, the
  /// C++ library through an operator, or the start of the program.
  bool is_root(const clang::FunctionDecl& function) const {
    if (function.hasAttr<clang::ConstructorAttr>() || function.hasAttr<clang::DestructorAttr>() ||
        function.hasAttr<clang::UsedAttr>() || needed_.contains(linker_name(function, *names_)))
      return true;
    if (is_device_only(sides_.of(function))) return false;
    const auto kind = function.getTemplateSpecializationKind();
    if (kind == clang::TSK_ImplicitInstantiation) return false;
    if (!llvm::isa<clang::CXXMethodDecl>(function) && function.isOverloadedOperator()) return true;
    return function.isExternallyVisible() &&
           (!function.isInlined() || kind == clang::TSK_ExplicitInstantiationDefinition);
  }

  /// Records second names, because they make the linker keep a function that no code refers to.
  void add_other_names(const clang::Decl& declaration) {
    if (const auto* const block = llvm::dyn_cast<clang::LinkageSpecDecl>(&declaration))
      for (const clang::Decl* const one : block->decls()) add_other_names(*one);
    if (const auto* const space = llvm::dyn_cast<clang::NamespaceDecl>(&declaration))
      for (const clang::Decl* const one : space->decls()) add_other_names(*one);
    if (const auto* const alias = declaration.getAttr<clang::AliasAttr>())
      needed_.insert(alias->getAliasee().str());
    if (const auto* const chosen = declaration.getAttr<clang::IFuncAttr>())
      needed_.insert(chosen->getResolver().str());
  }

  bool is_cudas_function(const char* name) const {
    const auto found = context_.getTranslationUnitDecl()->lookup(&context_.Idents.get(name));
    return !found.empty() && std::ranges::all_of(found, [&](const clang::NamedDecl* one) {
      return one->getAsFunction() != nullptr && !sides_.is_students(*one);
    });
  }

  void reach(const clang::FunctionDecl& function) {
    const clang::FunctionDecl* definition = nullptr;
    if (!function.hasBody(definition)) {
      if (sides_.is_students(function)) add("needed", "", 0, 0, linker_name(function, *names_));
      return;
    }
    if (!sides_.is_students(*definition)) return;
    if (!known_.insert(definition).second) return;
    places_.insert(definition->getLocation());
    reached_.push_back(definition);
  }

  void reach_all(const clang::CXXRecordDecl& record) {
    const clang::CXXRecordDecl* const whole = record.getDefinition();
    if (whole == nullptr || !records_.insert(whole).second) return;
    for (const clang::CXXBaseSpecifier& base : whole->bases()) meet(base.getType());
    for (const clang::FieldDecl* const field : whole->fields()) meet(field->getType());
    for (const clang::Decl* const member : whole->decls()) {
      if (const auto* const pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(member)) {
        for (const clang::FunctionDecl* const instance : pattern->specializations())
          reach(*instance);
      } else if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(member)) {
        reach(*function);
      }
    }
  }

  /// Call this for a type of which there is an object. Its template arguments may have objects,
  /// too.
  void meet(clang::QualType type) {
    if (type.isNull()) return;
    type = type.getNonReferenceType().getCanonicalType();
    if (type->isDependentType() || !types_.insert(type.getTypePtr()).second) return;
    if (const auto* const array = context_.getAsArrayType(type)) meet(array->getElementType());
    const clang::CXXRecordDecl* const record = type->getAsCXXRecordDecl();
    if (record == nullptr) return;
    reach_all(*record);
    if (const auto* const instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record))
      meet(instance->getTemplateArgs().asArray());
  }

  void meet(llvm::ArrayRef<clang::TemplateArgument> arguments) {
    for (const clang::TemplateArgument& one : arguments) {
      if (one.getKind() == clang::TemplateArgument::Type) meet(one.getAsType());
      if (one.getKind() == clang::TemplateArgument::Pack) meet(one.getPackAsArray());
      if (one.getKind() == clang::TemplateArgument::Declaration)
        if (const auto* const function = one.getAsDecl()->getAsFunction()) reach(*function);
    }
  }

  void walk(const clang::Stmt* statement) {
    if (statement == nullptr) return;
    // The operands of these expressions are not evaluated.
    if (llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(statement)) return;
    if (const auto* const type = llvm::dyn_cast<clang::CXXTypeidExpr>(statement);
        type != nullptr && !type->isPotentiallyEvaluated())
      return;
    meet(*statement);
    const auto dead_parts = parts_that_do_not_run(*statement, context_);
    ancestors_.push_back(statement);
    for (const clang::Stmt* const child : statement->children()) {
      if (child != nullptr && std::ranges::find(dead_parts, child) != dead_parts.end())
        dead(child->getSourceRange());
      else
        walk(child);
    }
    ancestors_.pop_back();
  }

  void meet(const clang::Stmt& statement) {
    const clang::SourceLocation place = statement.getBeginLoc();
    if (const auto* const expression = llvm::dyn_cast<clang::Expr>(&statement))
      meet(expression->getType());
    if (const auto* const reference = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
      refer(*reference->getDecl(), reference->getLocation(), statement);
    } else if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(&statement)) {
      refer(*member->getMemberDecl(), member->getMemberLoc(), statement);
    } else if (const auto* const made = llvm::dyn_cast<clang::CXXConstructExpr>(&statement)) {
      refer(*made->getConstructor(), made->getLocation(), statement);
      use(made->getLocation(), whole_name(*made->getConstructor()->getParent()));
    } else if (const auto* const lambda = llvm::dyn_cast<clang::LambdaExpr>(&statement)) {
      reach_all(*lambda->getLambdaClass());
    } else if (const auto* const given = llvm::dyn_cast<clang::CXXDefaultArgExpr>(&statement)) {
      walk(given->getExpr());
    } else if (const auto* const set = llvm::dyn_cast<clang::CXXDefaultInitExpr>(&statement)) {
      walk(set->getExpr());
    } else if (const auto* const declared = llvm::dyn_cast<clang::DeclStmt>(&statement)) {
      for (const clang::Decl* const one : declared->decls())
        if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(one)) declare(*variable);
    } else if (const auto* const deleted = llvm::dyn_cast<clang::CXXDeleteExpr>(&statement)) {
      meet(deleted->getDestroyedType());
    } else if (const auto* const fresh = llvm::dyn_cast<clang::CXXNewExpr>(&statement)) {
      meet(fresh->getAllocatedType());
    } else if (const auto* const taken = llvm::dyn_cast<clang::CapturedStmt>(&statement)) {
      walk(taken->getCapturedStmt());
    } else if (const auto* const pragma =
                   llvm::dyn_cast<clang::OMPExecutableDirective>(&statement)) {
      if (shares_work(*pragma, context_)) use(place, "#pragma omp");
      const auto kind = pragma->getDirectiveKind();
      use(place, "#pragma omp " + llvm::omp::getOpenMPDirectiveName(kind).str());
    }
  }

  /// Records the type of a variable, and the names that lead to the type.
  void declare(const clang::VarDecl& variable) {
    meet(variable.getType());
    if (const auto* const end = variable.getAttr<clang::CleanupAttr>())
      refer(*end->getFunctionDecl(), variable.getLocation(), *ancestors_.back());
    clang::QualType type = context_.getBaseElementType(variable.getType());
    while (const auto* const alias = type->getAs<clang::TypedefType>()) {
      use(variable.getLocation(), whole_name(*alias->getDecl()));
      type = alias->desugar();
    }
    if (const clang::TagDecl* const tag = type->getAsTagDecl())
      use(variable.getLocation(), whole_name(*tag));
  }

  void refer(const clang::ValueDecl& declaration, clang::SourceLocation place,
             const clang::Stmt& name) {
    if (const auto* const function = declaration.getAsFunction()) {
      reach(*function);
      if (const auto* const arguments = function->getTemplateSpecializationArgs())
        meet(arguments->asArray());
      if (!sides_.is_students(*function)) use(place, whole_name(*function));
      return;
    }
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    if (variable == nullptr) return;
    if (!sides_.is_students(*variable)) use(place, whole_name(*variable));
    if (has_word(*variable, "shared")) {
      const Access access = access_of(&name, ancestors_);
      Access& all = shared_[variable->getCanonicalDecl()->getLocation()];
      all.reads = all.reads || access.reads;
      all.writes = all.writes || access.writes;
    }
    if (has_word(*variable, "constant") && function_ != nullptr &&
        runs_on_device(sides_.of(*function_)) && access_of(&name, ancestors_).reads)
      use(place, "__constant__");
  }

  void use(clang::SourceLocation place, const std::string& name) {
    const auto [file, line] = place_of(place);
    add("use", file, line, line, name);
  }

  void dead(clang::SourceRange range) {
    const auto [file, first] = place_of(range.getBegin());
    const auto [other, last] = place_of(range.getEnd());
    if (file == other) add("dead", file, first, last, "");
  }

  std::pair<std::string, unsigned> place_of(clang::SourceLocation place) const {
    const clang::PresumedLoc at = written_at(sources_, place);
    return at.isValid() ? std::pair<std::string, unsigned>(at.getFilename(), at.getLine())
                        : std::pair<std::string, unsigned>();
  }

  void add(const char* kind, std::string file, unsigned first, unsigned last,
           const std::string& name) {
    std::ranges::replace_if(
        file, [](unsigned char c) { return c < ' '; }, '?');
    lines_.insert(std::string(kind) + "\t" + file + "\t" + std::to_string(first) + "\t" +
                  std::to_string(last) + "\t" + name);
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const Sides& sides_;
  const Declarations declarations_;
  std::set<std::string> needed_;
  const std::unique_ptr<clang::MangleContext> names_;
  std::set<std::string> lines_;
  std::set<const clang::FunctionDecl*> known_;
  std::vector<const clang::FunctionDecl*> reached_;  ///< reached, but not walked yet
  std::set<clang::SourceLocation> places_;           ///< of the reached ones: instances share them
  std::set<const clang::CXXRecordDecl*> records_;
  std::set<const clang::Type*> types_;
  std::map<clang::SourceLocation, Access> shared_;
  const clang::FunctionDecl* function_ = nullptr;
  Ancestors ancestors_;
};

}  // namespace

std::vector<std::string> lines_of_uses(clang::ASTContext& context, const Sides& sides,
                                       const std::set<std::string>& needed) {
  const std::set<std::string> lines = Walk(context, sides, needed).lines();
  return {lines.begin(), lines.end()};
}

std::vector<std::string> merged_uses(const std::vector<std::string>& host,
                                     const std::vector<std::string>& device) {
  std::vector<std::string> merged;
  const auto is_dead = [](const std::string& line) { return line.starts_with("dead"); };
  for (const std::string& line : host)
    if (!is_dead(line) || std::ranges::binary_search(device, line)) merged.push_back(line);
  for (const std::string& line : device)
    if (!is_dead(line) && !std::ranges::binary_search(host, line)) merged.push_back(line);
  return merged;
}

}  // namespace opgrade::emulation
