#include "grader/emulation/front_end/unit.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#if CLANG_VERSION_MAJOR > 18
#include <clang/Sema/SemaCUDA.h>
#endif
#include <clang/Sema/SemaConsumer.h>
#include <llvm/Config/llvm-config.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "grader/emulation/front_end/places.hpp"

namespace opgrade::emulation {
namespace {

constexpr auto kTargetGlobal =
#if CLANG_VERSION_MAJOR > 18
    static_cast<std::int64_t>(clang::CUDAFunctionTarget::Global);
#else
    static_cast<std::int64_t>(clang::Sema::CFT_Global);
#endif

/// True for errors of Clang in sources that nvcc refuses, too.
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

/// Separates refusals by CUDA's rules from other errors. The host compiler decides about other
/// errors, because it need not agree with Clang.
class Errors : public clang::DiagnosticConsumer {
 public:
  explicit Errors(UnitReading& reading) : reading_(reading) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override {
    if (is_about_call_of_kernel(diagnostic)) return refuse_last();
    if (level < clang::DiagnosticsEngine::Error) return;
    last_ = Refusal();
    llvm::SmallString<200> text;
    diagnostic.FormatDiagnostic(text);
    // A kernel that is declared twice: Clang was told to add the sides.
    if (diagnostic.getID() == clang::diag::err_attributes_are_not_compatible) return;
    if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid()) {
      if (reading_.first_error.empty()) reading_.first_error = text.str().str();
      return;
    }
    // The library declares operator new again, which Clang already has for each side.
    if (diagnostic.getID() == clang::diag::err_cuda_ovl_target &&
        diagnostic.getSourceManager().isInSystemHeader(diagnostic.getLocation()))
      return;
    Refusal refusal =
        refusal_at(diagnostic.getSourceManager(), diagnostic.getLocation(), text.str().str());
    if (is_rule(diagnostic.getID()) || is_shared_redeclared(diagnostic) ||
        is_wrong_launch_bound(diagnostic.getID(), refusal.text)) {
      reading_.refusals.push_back(std::move(refusal));
    } else if (reading_.first_error.empty()) {
      reading_.first_error =
          refusal.file + ":" + std::to_string(refusal.line) + ": " + refusal.text;
      last_ = std::move(refusal);
    }
  }

 private:
  /// True for the note behind an error that device code calls a kernel as a function.
  static bool is_about_call_of_kernel(const clang::Diagnostic& diagnostic) {
    constexpr unsigned kTargetOfCallee = 3;
    return diagnostic.getID() == clang::diag::note_ovl_candidate_bad_target &&
           diagnostic.getArgKind(kTargetOfCallee) == clang::DiagnosticsEngine::ak_sint &&
           diagnostic.getArgSInt(kTargetOfCallee) == kTargetGlobal;
  }

  void refuse_last() {
    if (last_.text.empty()) return;
    last_.text = "a __global__ function call must be configured: " + last_.text;
    reading_.first_error.clear();
    reading_.refusals.push_back(std::exchange(last_, Refusal()));
  }

  /// True for a wrong __launch_bounds__. Attributes that are no words of CUDA have the same
  /// diagnostic, but follow the host compiler's rules.
  static bool is_wrong_launch_bound(unsigned id, std::string_view text) {
    return id == clang::diag::err_attribute_argument_n_type && text.starts_with("'launch_bounds'");
  }

  /// True for two `extern __shared__` declarations of different types. The emulated device gives
  /// each its own memory.
  static bool is_shared_redeclared(const clang::Diagnostic& diagnostic) {
    if (diagnostic.getID() != clang::diag::err_redeclaration_different_type) return false;
    return source_line(diagnostic.getSourceManager(), diagnostic.getLocation())
               .find("__shared__") != std::string::npos;
  }

  UnitReading& reading_;
  Refusal last_;  ///< the error in reading_.first_error, until the next error
};

/// Records whether a file of the source has the word __CUDA_ARCH__. Also hides CUDA's macro
/// __noinline__ in headers of the C++ library, which write __attribute__((__noinline__)).
class Files : public clang::PPCallbacks {
 public:
  Files(clang::Preprocessor& preprocessor, UnitReading& reading)
      : preprocessor_(preprocessor), reading_(reading) {}

  void FileChanged(clang::SourceLocation place, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind kind, clang::FileID) override {
    clang::IdentifierInfo* const word = preprocessor_.getIdentifierInfo("__noinline__");
    const bool in_system = clang::SrcMgr::isSystem(kind);
    if (in_system && word->hasMacroDefinition()) {
      macro_ = preprocessor_.getMacroInfo(word);
      preprocessor_.appendMacroDirective(
          word, new (preprocessor_.getPreprocessorAllocator()) clang::UndefMacroDirective(place));
    } else if (!in_system && macro_ != nullptr && !word->hasMacroDefinition()) {
      preprocessor_.appendDefMacroDirective(word, macro_, place);
    }
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    if (reason == EnterFile && !in_system && !sources.isWrittenInBuiltinFile(place) &&
        sources.getBufferData(sources.getFileID(place)).contains("__CUDA_ARCH__"))
      reading_.asks_for_device = true;
  }

 private:
  clang::Preprocessor& preprocessor_;
  UnitReading& reading_;
  clang::MacroInfo* macro_ = nullptr;
};

/// Restricts the macros of headers to headers, because in an expanded source the build has expanded
/// its own macros. A function of the build's compiler, such as _mm_shuffle_ps, may be a macro of
/// Clang.
class MacrosOfHeaders : public clang::PPCallbacks {
 public:
  MacrosOfHeaders(clang::Preprocessor& preprocessor, const UnitRequest& request)
      : preprocessor_(preprocessor), request_(request) {}

  void FileChanged(clang::SourceLocation place, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override {
    if (reason != EnterFile && reason != ExitFile) return;
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    if (sources.getFileID(place) == sources.getMainFileID()) {
      hide(place);
    } else {
      for (const auto& [name, macro] : hidden_)
        preprocessor_.appendDefMacroDirective(name, macro, place);
      hidden_.clear();
    }
  }

 private:
  void hide(clang::SourceLocation place) {
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    for (const auto& entry : preprocessor_.macros()) {
      auto* const name = const_cast<clang::IdentifierInfo*>(entry.first);
      clang::MacroInfo* const macro = preprocessor_.getMacroInfo(name);
      if (macro == nullptr || macro->isBuiltinMacro()) continue;
      const llvm::StringRef file = sources.getFilename(macro->getDefinitionLoc());
      if (file == request_.words ||
          (macro->isFunctionLike() && std::string_view(file).starts_with(request_.clang_headers)))
        continue;
      hidden_.emplace_back(name, macro);
    }
    for (const auto& [name, macro] : hidden_)
      preprocessor_.appendMacroDirective(
          name, new (preprocessor_.getPreprocessorAllocator()) clang::UndefMacroDirective(place));
  }

  clang::Preprocessor& preprocessor_;
  const UnitRequest& request_;
  std::vector<std::pair<clang::IdentifierInfo*, clang::MacroInfo*>> hidden_;
};

class Tree : public clang::SemaConsumer {
 public:
  Tree(bool takes_part, const UnitReading& reading, const std::function<void(clang::Sema&)>& visit)
      : takes_part_(takes_part), reading_(reading), visit_(visit) {}

  void InitializeSema(clang::Sema& sema) override {
    sema_ = &sema;
    if (!sema.getLangOpts().CUDA) return;
#if CLANG_VERSION_MAJOR < 19
    sema.PushForceCUDAHostDevice();
#else
    sema.CUDA().PushForceHostDevice();
#endif
  }
  void HandleTranslationUnit(clang::ASTContext&) override {
    if (takes_part_ || reading_.first_error.empty()) visit_(*sema_);
  }
  bool shouldSkipFunctionBody(clang::Decl* declaration) override {
    // Skips bodies that neither a constant nor a deduced type can need.
    const clang::FunctionDecl* const function = declaration->getAsFunction();
    return function != nullptr && !function->isConstexpr() &&
           function->getReturnType()->getContainedDeducedType() == nullptr &&
           is_of_system(sema_->getSourceManager(), function->getLocation());
  }

 private:
  const bool takes_part_;
  const UnitReading& reading_;
  const std::function<void(clang::Sema&)>& visit_;
  clang::Sema* sema_ = nullptr;
};

class Read : public clang::ASTFrontendAction {
 public:
  Read(const UnitRequest& request, UnitReading& reading,
       const std::function<void(clang::Sema&)>& visit)
      : request_(request), reading_(reading), visit_(visit) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(std::make_unique<Files>(preprocessor, reading_));
    if (request_.expanded)
      preprocessor.addPPCallbacks(std::make_unique<MacrosOfHeaders>(preprocessor, request_));
    return std::make_unique<Tree>(request_.expanded, reading_, visit_);
  }

 private:
  const UnitRequest& request_;
  UnitReading& reading_;
  const std::function<void(clang::Sema&)>& visit_;
};

std::vector<std::string> clang_arguments(const UnitRequest& request) {
  std::vector<std::string> arguments{
      "-triple",
      LLVM_HOST_TRIPLE,
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
  // An expanded source no longer contains `#define private public` before a header.
  if (request.expanded) arguments.push_back("-fno-access-control");
  // Before the headers that the flags include, as for nvcc.
  if (!request.plain) arguments.insert(arguments.end(), {"-include", request.words});
  arguments.insert(arguments.end(), request.flags.begin(), request.flags.end());
  arguments.insert(arguments.end(), {"-internal-isystem", request.own_headers});
  for (const std::string& folder : request.system_folders)
    arguments.insert(arguments.end(), {"-internal-isystem", folder});
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
    Read action(request, reading, visit);
    reading.complete = compiler.ExecuteAction(action);
  }
  reading.complete = reading.first_error.empty();
  return reading;
}

}  // namespace opgrade::emulation
