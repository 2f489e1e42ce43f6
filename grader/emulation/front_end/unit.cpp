#include "grader/emulation/front_end/unit.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Basic/CharInfo.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <llvm/Support/Host.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "grader/emulation/front_end/places.hpp"

namespace opgrade::emulation {
namespace {

/// Errors by which Clang refuses what nvcc refuses as well.
bool is_rule(unsigned id) {
  switch (id) {
    case clang::diag::err_global_call_not_config:
    case clang::diag::err_kern_call_not_global_function:
    case clang::diag::err_kern_type_not_void_return:
    case clang::diag::err_kern_is_nonstatic_method:
    case clang::diag::err_cuda_device_exceptions:
      return true;
    default:
      return false;
  }
}

/// Sorts errors into refusals by CUDA's rules and others. The host compiler decides about others:
/// it need not agree with Clang.
class Errors : public clang::DiagnosticConsumer {
 public:
  explicit Errors(UnitReading& reading) : reading_(reading) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override {
    if (level < clang::DiagnosticsEngine::Error) return;
    llvm::SmallString<200> text;
    diagnostic.FormatDiagnostic(text);
    // A kernel that is declared twice: the sides that Clang was told to add.
    if (diagnostic.getID() == clang::diag::err_attributes_are_not_compatible) return;
    if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid()) {
      if (reading_.first_error.empty()) reading_.first_error = text.str().str();
      return;
    }
    // The library declares operator new again, which Clang has for each side.
    if (diagnostic.getID() == clang::diag::err_cuda_ovl_target &&
        diagnostic.getSourceManager().isInSystemHeader(diagnostic.getLocation()))
      return;
    Refusal refusal =
        refusal_at(diagnostic.getSourceManager(), diagnostic.getLocation(), text.str().str());
    if (is_rule(diagnostic.getID()) || is_shared_redeclared(diagnostic)) {
      reading_.refusals.push_back(std::move(refusal));
    } else if (reading_.first_error.empty()) {
      reading_.first_error =
          refusal.file + ":" + std::to_string(refusal.line) + ": " + refusal.text;
    }
  }

 private:
  /// `extern __shared__` of two types. The emulated device gives each its own.
  static bool is_shared_redeclared(const clang::Diagnostic& diagnostic) {
    if (diagnostic.getID() != clang::diag::err_redeclaration_different_type) return false;
    return source_line(diagnostic.getSourceManager(), diagnostic.getLocation())
               .find("__shared__") != std::string::npos;
  }

  UnitReading& reading_;
};

/// A name that compilers predefine, as far as they may differ in it. CUDA's are set for all, and a
/// header's guard is the header's own.
bool may_differ(llvm::StringRef name) {
  const bool is_reserved =
      name.size() > 1 && name[0] == '_' &&
      (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])) != 0);
  if (!is_reserved || name.startswith("__CUDA") || name.startswith("__NVCC")) return false;
  const llvm::StringRef bare = name.rtrim('_').rtrim("0123456789").rtrim('_');
  for (const char* end : {"_H", "_HPP", "_CUH", "_HH", "_H_INCLUDED", "_INCLUDED"})
    if (bare.endswith(end)) return false;
  for (const char* same : {"__cplusplus", "__FILE__", "__LINE__", "__DATE__", "__TIME__",
                           "__COUNTER__", "__BASE_FILE__", "_WIN32", "_WIN64", "_MSC_VER",
                           "__APPLE__", "__linux__", "__VA_ARGS__", "_Pragma", "_OPENMP"})
    if (name == same) return false;
  return true;
}

/// Headers of the C++ library write __attribute__((__noinline__)), which CUDA's word must not
/// change.
class Files : public clang::PPCallbacks {
 public:
  Files(clang::CompilerInstance& compiler, UnitReading& reading)
      : compiler_(compiler), reading_(reading) {}

  void FileChanged(clang::SourceLocation place, FileChangeReason,
                   clang::SrcMgr::CharacteristicKind kind, clang::FileID) override {
    clang::Preprocessor& preprocessor = compiler_.getPreprocessor();
    clang::IdentifierInfo* const word = preprocessor.getIdentifierInfo("__noinline__");
    in_system_ = clang::SrcMgr::isSystem(kind);
    if (in_system_ && word->hasMacroDefinition()) {
      macro_ = preprocessor.getMacroInfo(word);
      preprocessor.appendMacroDirective(
          word, new (preprocessor.getPreprocessorAllocator()) clang::UndefMacroDirective(place));
    } else if (!in_system_ && macro_ != nullptr && !word->hasMacroDefinition()) {
      preprocessor.appendDefMacroDirective(word, macro_, place);
    }
  }

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& macro,
                    clang::SourceRange, const clang::MacroArgs*) override {
    const clang::MacroInfo* const info = macro.getMacroInfo();
    const bool is_predefined =
        info != nullptr &&
        (info->isBuiltinMacro() ||
         compiler_.getSourceManager().isWrittenInBuiltinFile(info->getDefinitionLoc()));
    note(name, is_predefined);
  }
  void Defined(const clang::Token& name, const clang::MacroDefinition&,
               clang::SourceRange) override {
    note(name);
  }
  void Ifdef(clang::SourceLocation, const clang::Token& name,
             const clang::MacroDefinition&) override {
    note(name);
  }
  void Ifndef(clang::SourceLocation, const clang::Token& name,
              const clang::MacroDefinition&) override {
    note(name);
  }
  /// An unknown name in #if is 0, and no callback tells of it.
  void If(clang::SourceLocation, clang::SourceRange condition, ConditionValueKind) override {
    note(condition);
  }
  void Elif(clang::SourceLocation, clang::SourceRange condition, ConditionValueKind,
            clang::SourceLocation) override {
    note(condition);
  }

 private:
  void note(const clang::Token& name, bool is_asked = true) {
    const clang::IdentifierInfo* const word = name.getIdentifierInfo();
    if (in_system_ || word == nullptr) return;
    if (word->getName() == "__CUDA_ARCH__") reading_.asks_for_device = true;
    if (is_asked && may_differ(word->getName())) reading_.asks_for_compiler = true;
  }
  void note(clang::SourceRange condition) {
    if (in_system_) return;
    const auto text =
        clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(condition),
                                    compiler_.getSourceManager(), compiler_.getLangOpts());
    if (text.contains("__CUDA_ARCH__")) reading_.asks_for_device = true;
    for (std::size_t i = 0; i < text.size();) {
      const llvm::StringRef rest = text.substr(i);
      const llvm::StringRef word =
          rest.take_while([](char c) { return clang::isAsciiIdentifierContinue(c); });
      if (may_differ(word)) reading_.asks_for_compiler = true;
      i += std::max<std::size_t>(word.size(), 1);
    }
  }

  clang::CompilerInstance& compiler_;
  UnitReading& reading_;
  clang::MacroInfo* macro_ = nullptr;
  bool in_system_ = false;
};

class Tree : public clang::SemaConsumer {
 public:
  Tree(const UnitReading& reading, const std::function<void(clang::Sema&)>& visit)
      : reading_(reading), visit_(visit) {}

  void InitializeSema(clang::Sema& sema) override {
    sema_ = &sema;
    if (sema.getLangOpts().CUDA) sema.PushForceCUDAHostDevice();
  }
  void HandleTranslationUnit(clang::ASTContext&) override {
    if (reading_.first_error.empty()) visit_(*sema_);
  }
  bool shouldSkipFunctionBody(clang::Decl* declaration) override {
    // Bodies that neither a constant nor a deduced type can need.
    const clang::FunctionDecl* const function = declaration->getAsFunction();
    return function != nullptr && !function->isConstexpr() &&
           function->getReturnType()->getContainedDeducedType() == nullptr &&
           is_of_system(sema_->getSourceManager(), function->getLocation());
  }

 private:
  const UnitReading& reading_;
  const std::function<void(clang::Sema&)>& visit_;
  clang::Sema* sema_ = nullptr;
};

class Read : public clang::ASTFrontendAction {
 public:
  Read(UnitReading& reading, const std::function<void(clang::Sema&)>& visit)
      : reading_(reading), visit_(visit) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Files>(compiler, reading_));
    return std::make_unique<Tree>(reading_, visit_);
  }

 private:
  UnitReading& reading_;
  const std::function<void(clang::Sema&)>& visit_;
};

std::vector<std::string> clang_arguments(const UnitRequest& request) {
  std::vector<std::string> arguments{
      "-triple",
      llvm::sys::getProcessTriple(),
      "-target-cpu",
      "x86-64",
      "-fsyntax-only",
      "-x",
      request.plain ? "c++" : "cuda",
      "-fgnuc-version=4.2.1",
      "-fcxx-exceptions",
      "-fexceptions",
      "-fdeprecated-macro",
      "-w",
      "-ferror-limit",
      "0",
      "-pthread",
      "-nostdsysteminc",
      "-resource-dir",
      request.clang_headers.substr(0, request.clang_headers.rfind('/'))};
#if !defined(__x86_64__)
  arguments.erase(arguments.begin() + 2, arguments.begin() + 4);
#endif
  if (!request.plain)
    arguments.insert(
        arguments.end(),
        {"-target-sdk-version=11.5", "-fcuda-allow-variadic-functions", "-D__CUDACC__=1",
         "-D__NVCC__=1", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
         "-D__CUDACC_VER_BUILD__=0", "-D__CUDA_ARCH_LIST__=900"});
  if (request.device) arguments.push_back("-D__CUDA_ARCH__=900");
  arguments.insert(arguments.end(), request.flags.begin(), request.flags.end());
  arguments.insert(arguments.end(), {"-internal-isystem", request.own_headers});
  for (const std::string& folder : request.system_folders)
    arguments.insert(arguments.end(), {"-internal-isystem", folder});
  if (!request.plain) arguments.insert(arguments.end(), {"-include", request.words});
  arguments.push_back(request.source);
  return arguments;
}

}  // namespace

UnitReading read_unit(const UnitRequest& request, const std::function<void(clang::Sema&)>& visit) {
  UnitReading reading;
  std::vector<const char*> arguments;
  const std::vector<std::string> texts = clang_arguments(request);
  std::ranges::transform(texts, std::back_inserter(arguments),
                         [](const std::string& text) { return text.c_str(); });
  clang::CompilerInstance compiler;
  compiler.createDiagnostics(new Errors(reading));
  clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), arguments,
                                            compiler.getDiagnostics());
  clang::FrontendOptions& options = compiler.getInvocation().getFrontendOpts();
  options.SkipFunctionBodies = true;
  options.DisableFree = true;  // the process ends soon
  if (reading.first_error.empty()) {
    Read action(reading, visit);
    reading.complete = compiler.ExecuteAction(action);
  }
  reading.complete = reading.first_error.empty();
  return reading;
}

}  // namespace opgrade::emulation
