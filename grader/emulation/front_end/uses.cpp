#include "grader/emulation/front_end/uses.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenMP.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "grader/emulation/front_end/functions.hpp"
#include "grader/emulation/front_end/places.hpp"

namespace opgrade::emulation {
namespace {

using Ancestors = std::vector<const clang::Stmt*>;

/// Without arguments of templates and without inline namespaces: std::sort, cub::BlockReduce::Sum.
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

/// A jump can come to a statement that has a label or a case.
bool has_label(const clang::Stmt* statement) {
  if (statement == nullptr) return false;
  if (llvm::isa<clang::LabelStmt, clang::SwitchCase>(statement)) return true;
  return std::ranges::any_of(statement->children(), has_label);
}

bool ends_block(const clang::Stmt& statement) {
  return llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt, clang::GotoStmt>(
      statement);
}

/// What an expression does with the variable that it names.
struct Access {
  bool reads = false;
  bool writes = false;
};

/// `ancestors`: from the outermost to the parent. An address that a call or a variable takes may do
/// both.
Access access_of(const clang::Stmt* name, const Ancestors& ancestors) {
  constexpr Access kNone{}, kBoth{true, true};
  const clang::Stmt* at = name;
  bool decayed = false;
  for (auto i = ancestors.rbegin(); i != ancestors.rend(); ++i) {
    const clang::Stmt* const parent = *i;
    if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(parent)) {
      if (cast->getCastKind() == clang::CK_ToVoid) return kNone;
      if (cast->getCastKind() == clang::CK_LValueToRValue) return {true, false};
      if (cast->getCastKind() == clang::CK_ArrayToPointerDecay)
        decayed = true;
      else if (cast->getCastKind() != clang::CK_NoOp)
        return kBoth;
    } else if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(parent)) {
      if (element->getBase() != at) return kBoth;
      decayed = false;
    } else if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(parent)) {
      if (!llvm::isa<clang::FieldDecl>(member->getMemberDecl())) return kBoth;
    } else if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(parent)) {
      if (decayed || binary->getLHS() != at || !binary->isAssignmentOp()) return kBoth;
      return {binary->isCompoundAssignmentOp(), true};
    } else if (llvm::isa<clang::CompoundStmt>(parent)) {
      return kNone;
    } else if (!llvm::isa<clang::ParenExpr, clang::ExprWithCleanups>(parent)) {
      return kBoth;
    }
    at = parent;
  }
  return kNone;
}

/// Something is called or written. What a loop's head does is no work of the loop.
bool does_work(const clang::Stmt* statement) {
  if (statement == nullptr) return false;
  if (const auto* const loop = llvm::dyn_cast<clang::ForStmt>(statement))
    return does_work(loop->getBody());
  if (const auto* const taken = llvm::dyn_cast<clang::CapturedStmt>(statement))
    return does_work(taken->getCapturedStmt());
  if (llvm::isa<clang::CallExpr>(statement)) return true;
  if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(statement))
    if (binary->isAssignmentOp()) return true;
  if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(statement))
    if (unary->isIncrementDecrementOp()) return true;
  return std::ranges::any_of(statement->children(), does_work);
}

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
      for (const clang::FunctionDecl* const function : *all)
        if (!places_.contains(function->getLocation())) {
          dead(function->getSourceRange());
          if (function->isExternallyVisible() && is_device_only(sides_.of(*function)))
            add("offered", "", 0, 0, linker_name(*function));
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
  /// Others can call it: those that are linked with the submission, the C++ library by an operator,
  /// the start of the program.
  bool is_root(const clang::FunctionDecl& function) const {
    if (function.hasAttr<clang::ConstructorAttr>() || function.hasAttr<clang::DestructorAttr>() ||
        function.hasAttr<clang::UsedAttr>() || needed_.contains(linker_name(function)))
      return true;
    if (is_device_only(sides_.of(function))) return false;
    const auto kind = function.getTemplateSpecializationKind();
    if (kind == clang::TSK_ImplicitInstantiation) return false;
    if (!llvm::isa<clang::CXXMethodDecl>(function) && function.isOverloadedOperator()) return true;
    return function.isExternallyVisible() &&
           (!function.isInlined() || kind == clang::TSK_ExplicitInstantiationDefinition);
  }

  /// As the source that calls it and the one that has it both name it. A kernel's is that of its
  /// stub, which a source without CUDA calls it by.
  std::string linker_name(const clang::FunctionDecl& function) const {
    if (function.isDependentContext()) return {};
    if (llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(function))
      return whole_name(function);
    // g++ gives a static function in a block of extern "C" its plain name, too.
    if (!names_->shouldMangleDeclName(&function) ||
        (function.isInExternCContext() && !function.hasAttr<clang::AsmLabelAttr>()))
      return function.getNameAsString();
    std::string name;
    llvm::raw_string_ostream out(name);
    names_->mangleName(function.hasAttr<clang::CUDAGlobalAttr>()
                           ? clang::GlobalDecl(&function, clang::KernelReferenceKind::Kernel)
                           : clang::GlobalDecl(&function),
                       out);
    return out.str();
  }

  /// A second name makes the linker keep a function that no code refers to.
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
      if (sides_.is_students(function)) add("needed", "", 0, 0, linker_name(function));
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

  /// There is an object of the type, and perhaps of those that it is a template of.
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

  std::optional<bool> constant(const clang::Expr* condition) const {
    clang::Expr::EvalResult result;
    if (condition == nullptr || condition->isValueDependent() ||
        !condition->EvaluateAsRValue(result, context_) || result.HasSideEffects ||
        !result.Val.isInt())
      return std::nullopt;
    return result.Val.getInt().getBoolValue();
  }

  std::optional<std::int64_t> number(const clang::Expr* value) const {
    clang::Expr::EvalResult result;
    if (value == nullptr || value->isValueDependent() || !value->EvaluateAsInt(result, context_))
      return std::nullopt;
    return result.Val.getInt().getExtValue();
  }

  /// Not one that stands alone, nor one on an empty block or loop, or of a single thread.
  bool shares_work(const clang::OMPExecutableDirective& directive) const {
    if (!directive.hasAssociatedStmt()) return false;
    for (const clang::OMPClause* const clause : directive.clauses()) {
      if (const auto* const threads = llvm::dyn_cast<clang::OMPNumThreadsClause>(clause))
        if (number(threads->getNumThreads()) == 1) return false;
      if (const auto* const condition = llvm::dyn_cast<clang::OMPIfClause>(clause))
        if (constant(condition->getCondition()) == false) return false;
    }
    if (const auto* const loop = llvm::dyn_cast<clang::OMPLoopDirective>(&directive)) {
      const auto iterations = number(loop->getNumIterations());
      if (iterations && *iterations <= 1) return false;
    }
    return does_work(directive.getAssociatedStmt());
  }

  /// Those parts of a statement that cannot run, as its condition is a constant.
  std::vector<const clang::Stmt*> parts_that_do_not_run(const clang::Stmt& statement) const {
    if (const auto* const one = llvm::dyn_cast<clang::IfStmt>(&statement)) {
      const auto value = constant(one->getCond());
      if (value) return {*value ? one->getElse() : one->getThen()};
    } else if (const auto* const loop = llvm::dyn_cast<clang::WhileStmt>(&statement)) {
      if (constant(loop->getCond()) == false) return {loop->getBody()};
    } else if (const auto* const counting = llvm::dyn_cast<clang::ForStmt>(&statement)) {
      if (constant(counting->getCond()) == false) return {counting->getBody(), counting->getInc()};
    } else if (const auto* const choice = llvm::dyn_cast<clang::ConditionalOperator>(&statement)) {
      const auto value = constant(choice->getCond());
      if (value) return {*value ? choice->getFalseExpr() : choice->getTrueExpr()};
    } else if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(&statement)) {
      if (binary->isLogicalOp() &&
          constant(binary->getLHS()) == (binary->getOpcode() == clang::BO_LOr))
        return {binary->getRHS()};
    } else if (llvm::isa<clang::CompoundStmt>(statement)) {
      std::vector<const clang::Stmt*> behind;
      bool ended = false;
      for (const clang::Stmt* const child : statement.children()) {
        ended = ended && !has_label(child);
        if (ended) behind.push_back(child);
        ended = ended || ends_block(*child);
      }
      return behind;
    }
    return {};
  }

  void walk(const clang::Stmt* statement) {
    if (statement == nullptr) return;
    // Nothing of these is evaluated.
    if (llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(statement)) return;
    if (const auto* const type = llvm::dyn_cast<clang::CXXTypeidExpr>(statement);
        type != nullptr && !type->isPotentiallyEvaluated())
      return;
    meet(*statement);
    std::vector<const clang::Stmt*> dead_parts = parts_that_do_not_run(*statement);
    std::erase_if(dead_parts, has_label);
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
      use(place, "delete");
    } else if (const auto* const fresh = llvm::dyn_cast<clang::CXXNewExpr>(&statement)) {
      meet(fresh->getAllocatedType());
      use(place, "new");
    } else if (llvm::isa<clang::CUDAKernelCallExpr>(statement)) {
      use(place, "<<<");
    } else if (llvm::isa<clang::ForStmt, clang::CXXForRangeStmt>(statement)) {
      use(place, "for");
    } else if (llvm::isa<clang::WhileStmt>(statement)) {
      use(place, "while");
    } else if (llvm::isa<clang::DoStmt>(statement)) {
      use(place, "do");
    } else if (llvm::isa<clang::GotoStmt>(statement)) {
      use(place, "goto");
    } else if (const auto* const taken = llvm::dyn_cast<clang::CapturedStmt>(&statement)) {
      walk(taken->getCapturedStmt());
    } else if (const auto* const pragma =
                   llvm::dyn_cast<clang::OMPExecutableDirective>(&statement)) {
      if (shares_work(*pragma)) use(place, "#pragma omp");
      const auto kind = pragma->getDirectiveKind();
      use(place, "#pragma omp " + llvm::omp::getOpenMPDirectiveName(kind).str());
    }
  }

  /// The type of a variable, by the names that lead to it.
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
    const auto [file, line] = real_place(place);
    add("use", file, line, line, name);
  }

  void dead(clang::SourceRange range) {
    const auto [file, first] = real_place(range.getBegin());
    const auto [other, last] = real_place(range.getEnd());
    if (file == other) add("dead", file, first, last, "");
  }

  /// As the file itself counts its lines: what the source says by #line does not matter.
  std::pair<std::string, unsigned> real_place(clang::SourceLocation place) const {
    const clang::SourceLocation at = sources_.isMacroArgExpansion(place)
                                         ? sources_.getFileLoc(place)
                                         : sources_.getExpansionLoc(place);
    return {sources_.getFilename(at).str(), sources_.getExpansionLineNumber(at)};
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
  std::vector<const clang::FunctionDecl*> reached_;  ///< and not walked yet
  std::set<clang::SourceLocation> places_;           ///< of those reached: instances share them
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
