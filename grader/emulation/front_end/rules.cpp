#include "grader/emulation/front_end/rules.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "grader/emulation/front_end/functions.hpp"
#include "grader/emulation/front_end/places.hpp"

namespace opgrade::emulation {
namespace {

bool is_device_variable(const clang::VarDecl& variable) {
  return has_word(variable, "device") || has_word(variable, "constant") ||
         has_word(variable, "managed") || has_word(variable, "shared");
}

constexpr std::size_t kMostParameters = 32764;  // since CUDA 12.1, on compute capability 7.0 and up

bool is_scalar(clang::QualType type) {
  return type->isArithmeticType() || type->isEnumeralType() || type->isPointerType() ||
         type->isNullPtrType() || type->isMemberPointerType();
}

std::string quoted(const clang::NamedDecl& declaration) {
  std::string text;
  llvm::raw_string_ostream out(text);
  declaration.printQualifiedName(out);
  return "\"" + out.str() + "\"";
}

class Rules {
 public:
  Rules(clang::ASTContext& context, const Sides& sides, Looked looked, const RuleFlags& flags)
      : context_(context),
        sources_(context.getSourceManager()),
        sides_(sides),
        looked_(looked),
        flags_(flags) {}

  void check(const Declarations& declarations) {
    for (const clang::FunctionDecl* const kernel : declarations.kernels) check_kernel(*kernel);
    for (const clang::VarDecl* const variable : declarations.variables) check_global(*variable);
    for (const clang::ParmVarDecl* const parameter : declarations.parameters)
      check_grid_constant(*parameter);
    for (const clang::FunctionDecl* const function : declarations.functions) {
      check_bound(*function);
      check_override(*function);
      if (looked_ != Looked::device) check_named_kernels(function->getBody());
      check_function(*function);
    }
  }

  std::vector<Refusal> refusals;

 private:
  void refuse(clang::SourceLocation place, std::string text) {
    Refusal refusal = refusal_at(sources_, place, std::move(text));
    if (std::ranges::find(refusals, refusal) == refusals.end())
      refusals.push_back(std::move(refusal));
  }

  void check_kernel(const clang::FunctionDecl& kernel) {
    const clang::SourceLocation place = kernel.getLocation();
    if (llvm::isa<clang::CXXMethodDecl>(kernel))
      refuse(place, "a __global__ function or function template cannot be a member function");
    if (kernel.isVariadic()) refuse(place, "a __global__ function cannot have ellipsis");
    if (has_word(kernel, "device") || has_word(kernel, "host"))
      refuse(place, "a __global__ function cannot be __device__ or __host__ as well");
    for (const clang::ParmVarDecl* const parameter : kernel.parameters())
      check_parameter(*parameter);
    if (kernel.getDeclaredReturnType()->getContainedDeducedType() != nullptr)
      refuse(place, "a __global__ function must not have a deduced return type");
    const std::size_t bytes = parameter_bytes(kernel);
    if (bytes > kMostParameters)
      refuse(place, "formal parameter space overflowed (" + std::to_string(bytes) +
                        " bytes required, max " + std::to_string(kMostParameters) +
                        " bytes allowed)");
  }

  void check_parameter(const clang::ParmVarDecl& parameter) {
    const clang::QualType type = parameter.getType();
    const clang::SourceLocation place = parameter.getLocation();
    if (type->isDependentType()) return;
    if (type->isRValueReferenceType())
      refuse(place, "a __global__ function cannot have a parameter with rvalue reference type");
    const clang::CXXRecordDecl* const record = type->getAsCXXRecordDecl();
    if (record != nullptr && record->isInStdNamespace() && record->getIdentifier() != nullptr &&
        record->getName() == "initializer_list")
      refuse(place,
             "a __global__ function cannot have a parameter with type std::initializer_list");
    if (!has_word(parameter, "grid_constant")) return;
    if (type->isReferenceType())
      refuse(place, "a parameter annotated with __grid_constant__ must not have reference type");
    else if (!type.isConstQualified())
      refuse(place, "a parameter annotated with __grid_constant__ must have const-qualified type");
  }

  void check_grid_constant(const clang::ParmVarDecl& parameter) {
    const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
    if (function != nullptr && !function->hasAttr<clang::CUDAGlobalAttr>() &&
        has_word(parameter, "grid_constant"))
      refuse(
          parameter.getLocation(),
          "__grid_constant__ annotation is only allowed on a parameter of a __global__ function");
  }

  std::size_t parameter_bytes(const clang::FunctionDecl& kernel) const {
    if (kernel.isDependentContext()) return 0;
    std::size_t bytes = 0;
    for (const clang::ParmVarDecl* const parameter : kernel.parameters()) {
      const clang::QualType type = parameter->getType();
      if (type->isDependentType() || type->isIncompleteType()) return 0;
      const auto align = static_cast<std::size_t>(
          context_.getTypeAlignInChars(type.getNonReferenceType()).getQuantity());
      const std::size_t size =
          type->isReferenceType()
              ? sizeof(void*)
              : static_cast<std::size_t>(context_.getTypeSizeInChars(type).getQuantity());
      bytes = (bytes + align - 1) / align * align + size;
    }
    return bytes;
  }

  void check_global(const clang::VarDecl& variable) {
    if (variable.isStaticDataMember() && is_device_variable(variable))
      return refuse(variable.getLocation(), "memory qualifier on data member is not allowed");
    const char* const word = has_word(variable, "constant")  ? "__constant__"
                             : has_word(variable, "managed") ? "__managed__"
                             : has_word(variable, "device")  ? "__device__"
                                                             : nullptr;
    if (word == nullptr) return;
    if (has_word(variable, "managed") &&
        (has_word(variable, "constant") || has_word(variable, "shared")))
      refuse(variable.getLocation(), "a variable has one kind of memory: __managed__, " +
                                         std::string(word) + " and others exclude each other");
    if (has_dynamic_value(variable))
      refuse(variable.getLocation(),
             std::string("dynamic initialization is not supported for a ") + word + " variable");
  }

  static bool has_dynamic_value(const clang::VarDecl& variable) {
    const clang::Expr* const init = variable.getInit();
    return init != nullptr && !init->isValueDependent() && !is_empty_construction(*init) &&
           !variable.hasConstantInitialization();
  }

  /// True for a constructor that does nothing: it has no word in the source and no work at run
  /// time.
  static bool is_empty_construction(const clang::Expr& init) {
    const auto* const construction = llvm::dyn_cast<clang::CXXConstructExpr>(init.IgnoreImplicit());
    if (construction == nullptr || construction->getNumArgs() != 0) return false;
    const clang::CXXConstructorDecl* const constructor = construction->getConstructor();
    const auto* const body = llvm::dyn_cast_or_null<clang::CompoundStmt>(constructor->getBody());
    return constructor->isTrivial() ||
           (body != nullptr && body->body_empty() && constructor->getNumCtorInitializers() == 0);
  }

  void check_function(const clang::FunctionDecl& function) {
    side_ = sides_.is_relaxed(function) ? Side::host : sides_.of(function);
    if (looked_ == Looked::host && side_ != Side::host && side_ != Side::both) return;
    if (looked_ == Looked::device && side_ == Side::host) return;
    // Each of the two readings shows what a function of both sides does on one side.
    if (looked_ == Looked::host && side_ == Side::both) side_ = Side::host;
    // nvcc drops functions that this file does not call and no other file can call.
    if (!function.isUsed(false) && !function.isReferenced() && side_ != Side::kernel &&
        (!function.isExternallyVisible() || function.isInlined()))
      return;
    function_ = &function;
    if (const auto* const constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function))
      for (const clang::CXXCtorInitializer* const initializer : constructor->inits())
        walk(initializer->getInit());
    walk(function.getBody());
  }

  void walk_children(const clang::Stmt& statement) {
    for (const clang::Stmt* const child : statement.children()) walk(child);
  }

  /// Checks a constant expression, because nvcc checks calls there, too.
  void walk_constant(const clang::Expr* expression) {
    const bool outer = std::exchange(in_constant_, true);
    if (const auto* const constant = llvm::dyn_cast_or_null<clang::ConstantExpr>(expression))
      expression = constant->getSubExpr();
    walk(expression);
    in_constant_ = outer;
  }

  /// Checks sizes of arrays, and values that are arguments of a class template.
  void walk_type(clang::TypeLoc type) {
    for (; !type.isNull(); type = type.getNextTypeLoc()) {
      if (const auto array = type.getAs<clang::ArrayTypeLoc>();
          array && !array.getType()->isVariableArrayType())
        walk_constant(array.getSizeExpr());
      if (const auto special = type.getAs<clang::TemplateSpecializationTypeLoc>())
        for (unsigned i = 0; i < special.getNumArgs(); ++i)
          if (special.getArgLoc(i).getArgument().getKind() == clang::TemplateArgument::Expression)
            walk_constant(special.getArgLoc(i).getSourceExpression());
    }
  }

  void walk_template_arguments(const clang::DeclRefExpr& reference) {
    for (const clang::TemplateArgumentLoc& argument : reference.template_arguments())
      if (argument.getArgument().getKind() == clang::TemplateArgument::Expression)
        walk_constant(argument.getSourceExpression());
  }

  void walk(const clang::Stmt* statement) {
    if (statement == nullptr) return;
    if (const auto* const constant = llvm::dyn_cast<clang::ConstantExpr>(statement))
      return walk_constant(constant->getSubExpr());
    if (llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::LambdaExpr>(
            statement)) {
      if (const auto* const lambda = llvm::dyn_cast<clang::LambdaExpr>(statement)) {
        check_lambda(*lambda);
        for (const clang::Expr* const init : lambda->capture_inits()) walk(init);
      }
      return;
    }
    if (const auto* const declaration = llvm::dyn_cast<clang::DeclStmt>(statement)) {
      for (const clang::Decl* const each : declaration->decls()) {
        if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(each))
          check_local(*variable);
        if (const auto* const assertion = llvm::dyn_cast<clang::StaticAssertDecl>(each))
          walk_constant(assertion->getAssertExpr());
      }
      return;
    }
    if (const auto* const call = llvm::dyn_cast<clang::CUDAKernelCallExpr>(statement)) {
      check_launch(*call);
      for (const clang::Expr* const argument : call->getConfig()->arguments()) walk(argument);
      for (const clang::Expr* const argument : call->arguments()) walk(argument);
      return;
    }
    if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(statement)) {
      check_call(*call);
      return;
    }
    if (const auto* const construction = llvm::dyn_cast<clang::CXXConstructExpr>(statement)) {
      check_callee(*construction->getConstructor(), construction->getLocation());
      if (copies_constant(*construction)) return;
    }
    if (const auto* const reference = llvm::dyn_cast<clang::DeclRefExpr>(statement)) {
      walk_template_arguments(*reference);
      if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
        check_variable(*variable, reference->getLocation());
      if (const auto* const used = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()))
        check_address(*used, reference->getLocation());
    }
    if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(statement)) {
      if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl()))
        check_variable(*variable, member->getMemberLoc());
    }
    if (runs_on_device(side_)) check_device_statement(*statement);
    const auto* const read = llvm::dyn_cast<clang::ImplicitCastExpr>(statement);
    if (read != nullptr && read->getCastKind() == clang::CK_LValueToRValue)
      return walk_value(*read->getSubExpr());
    walk_children(*statement);
  }

  /// Checks an expression whose value is used, not its address.
  void walk_value(const clang::Expr& expression) {
    const clang::Expr& inner = *expression.IgnoreParens();
    if (const auto* const choice = llvm::dyn_cast<clang::ConditionalOperator>(&inner)) {
      walk(choice->getCond());
      walk_value(*choice->getTrueExpr());
      walk_value(*choice->getFalseExpr());
      return;
    }
    const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(&inner);
    if (binary != nullptr && binary->getOpcode() == clang::BO_Comma) {
      walk(binary->getLHS());
      walk_value(*binary->getRHS());
      return;
    }
    if (!is_constant_value(inner)) walk(&inner);
  }

  static bool is_null(const clang::VarDecl& variable) {
    return variable.getAnyInitializer()->isNullPointerConstant(
               variable.getASTContext(), clang::Expr::NPC_ValueDependentIsNull) !=
           clang::Expr::NPCK_NotNull;
  }

  /// True for a constant of the host, or a struct's member, whose value nvcc knows.
  static bool is_constant_value(const clang::Expr& expression) {
    const clang::Expr* at = expression.IgnoreParens();
    while (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(at)) {
      if (llvm::isa<clang::VarDecl>(member->getMemberDecl())) break;
      if (member->isArrow()) return false;
      at = member->getBase()->IgnoreParens();
    }
    const clang::VarDecl* variable = nullptr;
    if (const auto* const reference = llvm::dyn_cast<clang::DeclRefExpr>(at))
      variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(at))
      variable = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl());
    return variable != nullptr && variable->getType().isConstQualified() &&
           variable->getAnyInitializer() != nullptr && is_scalar(expression.getType()) &&
           (!expression.getType()->isPointerType() || is_null(*variable)) &&
           (variable->getAnyInitializer()->isValueDependent() ||
            variable->getAnyInitializer()->isEvaluatable(variable->getASTContext()));
  }

  void check_lambda(const clang::LambdaExpr& lambda) {
    const clang::CXXMethodDecl& call = *lambda.getCallOperator();
    if (!flags_.extended_lambda && (has_word(call, "device") || has_word(call, "host")))
      refuse(lambda.getBeginLoc(),
             "__host__ or __device__ annotation on lambda requires --extended-lambda nvcc flag");
  }

  /// Checks the call of the destructor, which is not visible in the source.
  void check_end(const clang::VarDecl& variable) {
    const clang::CXXRecordDecl* const record =
        variable.getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition() || variable.isStaticLocal()) return;
    const clang::CXXDestructorDecl* const destructor = record->getDestructor();
    if (destructor != nullptr && destructor->isUserProvided())
      check_callee(*destructor, variable.getLocation());
  }

  void check_local(const clang::VarDecl& variable) {
    check_end(variable);
    const clang::SourceLocation place = variable.getLocation();
    const bool shared = has_word(variable, "shared");
    if (shared && !variable.hasExternalStorage()) {
      if (side_ == Side::host || side_ == Side::both)
        refuse(place,
               "a static \"__shared__\" variable declaration is not allowed inside a host function "
               "body");
      if (variable.getInit() != nullptr && is_written(variable))
        refuse(place, "initializer not allowed for __shared__ variable");
    }
    if (runs_on_device(side_) && variable.isStaticLocal() && !shared && has_dynamic_value(variable))
      refuse(place,
             "dynamic initialization is not supported for a function-scope static __device__ "
             "variable within a __device__/__global__ function");
    if (runs_on_device(side_) && variable.getTLSKind() != clang::VarDecl::TLS_None)
      refuse(place, "thread-local storage is not allowed in device code");
    for (const char* const word : {"constant", "device", "managed"})
      if (has_word(variable, word) && !variable.isStaticLocal() && !variable.hasExternalStorage())
        refuse(place, std::string("an automatic \"__") + word +
                          "__\" variable declaration is not allowed inside a function body");
    if (runs_on_device(side_) && variable.getType()->isVariableArrayType())
      refuse(place, "expression must have a constant value: the size of an array in device code");
    if (variable.getTypeSourceInfo() != nullptr)
      walk_type(variable.getTypeSourceInfo()->getTypeLoc());
    if (variable.getInit() == nullptr) return;
    if (variable.isConstexpr())
      walk_constant(variable.getInit());
    else
      walk(variable.getInit());
  }

  /// True if `= value`, `{value}` or `(value)` stands in the source.
  static bool is_written(const clang::VarDecl& variable) {
    const clang::Expr* const init = variable.getInit()->IgnoreImplicit();
    const auto* const construction = llvm::dyn_cast<clang::CXXConstructExpr>(init);
    return construction == nullptr || construction->getParenOrBraceRange().isValid() ||
           construction->getNumArgs() != 0;
  }

  void check_launch(const clang::CUDAKernelCallExpr& call) {
    if (is_device_only(side_) && !flags_.separate)
      refuse(call.getBeginLoc(),
             "kernel launch from __device__ or __global__ functions requires separate compilation "
             "mode");
  }

  /// Checks kernels that are only named, because nvcc makes an instance of them even in a function
  /// that it drops.
  void check_named_kernels(const clang::Stmt* statement) {
    if (statement == nullptr) return;
    if (const auto* const reference = llvm::dyn_cast<clang::DeclRefExpr>(statement))
      if (const auto* const named = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
          named != nullptr && named->hasAttr<clang::CUDAGlobalAttr>())
        check_template_arguments(*named, reference->getBeginLoc());
    for (const clang::Stmt* const child : statement->children()) check_named_kernels(child);
  }

  void check_template_arguments(const clang::FunctionDecl& kernel, clang::SourceLocation place) {
    if (kernel.getTemplateSpecializationArgs() == nullptr) return;
    for (const clang::TemplateArgument& argument :
         kernel.getTemplateSpecializationArgs()->asArray())
      check_template_argument(kernel, argument, place);
  }

  void check_template_argument(const clang::FunctionDecl& kernel,
                               const clang::TemplateArgument& argument,
                               clang::SourceLocation place) {
    switch (argument.getKind()) {
      case clang::TemplateArgument::Type:
        return check_type_argument(kernel, argument.getAsType(), place);
      case clang::TemplateArgument::Pack:
        for (const clang::TemplateArgument& each : argument.pack_elements())
          check_template_argument(kernel, each, place);
        return;
      case clang::TemplateArgument::Template: {
        const clang::TemplateDecl* const named = argument.getAsTemplate().getAsTemplateDecl();
        if (named != nullptr) check_access(*named, place);
        return;
      }
      default:
        return;
    }
  }

  /// Checks every type that the argument is made of, as nvcc does.
  void check_type_argument(const clang::FunctionDecl& kernel, clang::QualType written,
                           clang::SourceLocation place) {
    const clang::QualType type = written.getCanonicalType();
    const auto check_inner = [&](clang::QualType inner) {
      check_type_argument(kernel, inner, place);
    };
    if (const auto* const array = type->getAsArrayTypeUnsafe())
      return check_inner(array->getElementType());
    if (const auto* const function = type->getAs<clang::FunctionProtoType>()) {
      check_inner(function->getReturnType());
      for (const clang::QualType parameter : function->param_types()) check_inner(parameter);
      return;
    }
    if (!type->getPointeeType().isNull()) return check_inner(type->getPointeeType());
    const clang::TagDecl* const tag = type->getAsTagDecl();
    if (tag == nullptr) return;
    check_tag(kernel, *tag, place);
    if (const auto* const special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(tag))
      for (const clang::TemplateArgument& argument : special->getTemplateArgs().asArray())
        check_template_argument(kernel, argument, place);
  }

  void check_tag(const clang::FunctionDecl& kernel, const clang::TagDecl& tag,
                 clang::SourceLocation place) {
    const auto* const record = llvm::dyn_cast<clang::CXXRecordDecl>(&tag);
    if (record != nullptr && record->isLambda()) {
      if (sides_.of(*record->getLambdaCallOperator()) == Side::host)
        refuse(place,
               "the closure type of a __host__ lambda cannot be used in the template argument type "
               "of a __global__ function template instantiation (" +
                   quoted(kernel) + ")");
      return;
    }
    const clang::DeclContext* around = &tag;
    for (; llvm::isa<clang::TagDecl>(around); around = around->getParent())
      check_access(*llvm::cast<clang::TagDecl>(around), place);
    const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(around);
    if (function != nullptr && sides_.of(*function) == Side::host)
      refuse(place, "a type defined inside a __host__ function (" + quoted(tag) +
                        ") cannot be used in the template argument type of a __global__ "
                        "function template instantiation");
  }

  /// Checks only the student's types, because classes of the library have private parts.
  void check_access(const clang::NamedDecl& named, clang::SourceLocation place) {
    const auto* const special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&named);
    const clang::AccessSpecifier access =
        special != nullptr ? special->getSpecializedTemplate()->getAccess() : named.getAccess();
    if ((access == clang::AS_private || access == clang::AS_protected) && sides_.is_students(named))
      refuse(place, "a type that is defined inside a class and has private or protected access (" +
                        quoted(named) +
                        ") cannot be used in the template argument type of a __global__ "
                        "function template instantiation");
  }

  void check_call(const clang::CallExpr& call) {
    const clang::Expr* const callee = call.getCallee()->IgnoreParenImpCasts();
    const clang::FunctionDecl* const function = call.getDirectCallee();
    const bool direct =
        function != nullptr && llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(callee);
    if (direct) {
      check_callee(*function, callee->getExprLoc());
      if (const auto* const reference = llvm::dyn_cast<clang::DeclRefExpr>(callee))
        walk_template_arguments(*reference);
      if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(callee);
          member != nullptr && !(function->isConstexpr() && is_constant_object(*member->getBase())))
        walk(member->getBase());
    } else {
      walk(call.getCallee());
    }
    for (const clang::Expr* const argument : call.arguments()) walk(argument);
  }

  void check_callee(const clang::FunctionDecl& callee, clang::SourceLocation place) {
    const Side side = sides_.of(callee);
    // check_launch() reports the line at which a host lambda becomes a kernel's.
    const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
    if (method != nullptr && method->getParent()->isLambda() &&
        function_->isTemplateInstantiation())
      return;
    const bool device_calls_host = is_device_only(side_) && side == Side::host;
    // nvcc accepts such a call in an instance of a template, because the caller chose the
    // arguments.
    const bool host_calls_device =
        side == Side::device && !function_->isTemplateInstantiation() &&
        (side_ == Side::host || (side_ == Side::both && looked_ == Looked::both));
    if (!device_calls_host && !host_calls_device) return;
    if (callee.getIdentifier() != nullptr &&
        std::string_view(callee.getName()).starts_with("__cuda"))
      return;
    refuse(place, std::string("calling a ") +
                      (device_calls_host && callee.isConstexpr() ? "constexpr " : "") +
                      word_of(side) + " function (" + quoted(callee) + ") from a " +
                      word_of(side_) + " function (" + quoted(*function_) + ") is not allowed" +
                      (device_calls_host && callee.isConstexpr()
                           ? ". The experimental flag '--expt-relaxed-constexpr' can be used to "
                             "allow this."
                           : ""));
  }

  /// Checks a function whose address is taken. Host code may take the address of a device function.
  void check_address(const clang::FunctionDecl& function, clang::SourceLocation place) {
    if (is_device_only(side_) && sides_.of(function) == Side::host && sides_.is_students(function))
      refuse(place, "identifier " + quoted(function) + " is undefined in device code");
  }

  void check_variable(const clang::VarDecl& variable, clang::SourceLocation place) {
    if (!runs_on_device(side_) || in_constant_ || !variable.hasGlobalStorage() ||
        variable.isStaticLocal() || is_device_variable(variable) || !is_visible_to_rules(variable))
      return;
    refuse(place, "identifier " + quoted(variable) + " is undefined in device code");
  }

  static bool is_constant_object(const clang::Expr& expression) {
    const auto* const reference =
        llvm::dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts());
    const auto* const variable =
        reference != nullptr ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    return variable != nullptr && is_constant_record(*variable);
  }

  static bool copies_constant(const clang::CXXConstructExpr& construction) {
    const clang::CXXConstructorDecl& constructor = *construction.getConstructor();
    if (!constructor.isCopyConstructor() || !constructor.isTrivial()) return false;
    const auto* const reference =
        llvm::dyn_cast<clang::DeclRefExpr>(construction.getArg(0)->IgnoreParenImpCasts());
    const auto* const variable =
        reference != nullptr ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    return variable != nullptr && is_constant_record(*variable);
  }

  void check_override(const clang::FunctionDecl& function) {
    const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    if (method == nullptr || method->isImplicit() || method->isDefaulted()) return;
    // Uses only the written words: --expt-relaxed-constexpr changes who may call a function, but
    // not what it overrides.
    const Side side = Sides::written(*method);
    for (const clang::CXXMethodDecl* const overridden : method->overridden_methods()) {
      const Side other = Sides::written(*overridden);
      if (side == other || overridden->isImplicit() || overridden->isDefaulted()) continue;
      refuse(method->getCanonicalDecl()->getLocation(),
             "execution space mismatch: overridden entity (" + quoted(*overridden) + ") is a " +
                 word_of(other) + " function, but overriding entity (" + quoted(*method) +
                 ") is a " + word_of(side) + " function");
    }
  }

  void check_bound(const clang::FunctionDecl& function) {
    if (function.hasAttr<clang::CUDALaunchBoundsAttr>() &&
        !function.hasAttr<clang::CUDAGlobalAttr>())
      refuse(function.getLocation(), "__launch_bounds__ is for __global__ functions alone");
  }

  /// True for a constant of a class type, whose value nvcc copies.
  static bool is_constant_record(const clang::VarDecl& variable) {
    return variable.getType().isConstQualified() && variable.getType()->isRecordType() &&
           variable.getAnyInitializer() != nullptr &&
           (variable.getAnyInitializer()->isValueDependent() ||
            variable.getAnyInitializer()->isEvaluatable(variable.getASTContext()));
  }

  /// False for variables of headers, such as threadIdx and std::cout, for which nvcc has its own
  /// rules.
  bool is_visible_to_rules(const clang::VarDecl& variable) const {
    return sides_.is_students(variable) && !llvm::isa<clang::ParmVarDecl>(variable) &&
           !variable.isTemplated();
  }

  void check_device_statement(const clang::Stmt& statement) {
    if (is_device_only(side_)) {
      if (llvm::isa<clang::CXXThrowExpr, clang::CXXTryStmt>(statement))
        refuse(statement.getBeginLoc(), "device code does not support exception handling");
      if (llvm::isa<clang::CXXDynamicCastExpr>(statement))
        refuse(statement.getBeginLoc(),
               "the operator 'dynamic_cast' is not allowed in device code");
      if (llvm::isa<clang::CXXTypeidExpr>(statement))
        refuse(statement.getBeginLoc(), "the operator 'typeid' is not allowed in device code");
    }
    const clang::Expr* written = nullptr;
    if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(&statement)) {
      if (binary->isAssignmentOp()) written = binary->getLHS();
    } else if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(&statement)) {
      if (unary->isIncrementDecrementOp()) written = unary->getSubExpr();
    }
    if (written != nullptr && is_read_only(*written))
      refuse(written->getExprLoc(), "expression must be a modifiable lvalue");
  }

  /// True for a __constant__ variable, or a part of threadIdx and its like. nvcc accepts a write to
  /// a part of a __constant__ variable; the checks find such a write when it runs.
  static bool is_read_only(const clang::Expr& expression) {
    const clang::Expr* at = expression.IgnoreParenImpCasts();
    for (auto* member = llvm::dyn_cast<clang::MemberExpr>(at); member != nullptr;
         member = llvm::dyn_cast<clang::MemberExpr>(at)) {
      if (member->isArrow()) return false;
      at = member->getBase()->IgnoreParenImpCasts();
    }
    const auto* const reference = llvm::dyn_cast<clang::DeclRefExpr>(at);
    if (reference == nullptr) return false;
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable == nullptr || !variable->hasGlobalStorage()) return false;
    if (has_word(*variable, "constant")) return reference == expression.IgnoreParenImpCasts();
    static const std::set<llvm::StringRef> kIndices{"threadIdx", "blockIdx", "blockDim", "gridDim"};
    return variable->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
           kIndices.contains(variable->getName());
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const Sides& sides_;
  Looked looked_;
  RuleFlags flags_;
  Side side_ = Side::host;
  bool in_constant_ = false;  ///< a value that is known at compile time
  const clang::FunctionDecl* function_ = nullptr;
};

}  // namespace

std::vector<Refusal> broken_rules(clang::ASTContext& context, const Sides& sides, Looked looked,
                                  const RuleFlags& flags) {
  const Declarations declarations(context, sides);
  Rules rules(context, sides, looked, flags);
  rules.check(declarations);
  std::ranges::stable_sort(rules.refusals, {}, [](const Refusal& refusal) {
    return std::tie(refusal.file, refusal.line, refusal.column);
  });
  return std::move(rules.refusals);
}

}  // namespace opgrade::emulation
