#include "grader/grading/pipeline/hiding_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "grader/base/core/printable.hpp"

namespace opgrade {
namespace {

using SourceTokens = std::vector<SourceToken>;

template <class Words>
bool begins_with_one(std::string_view text, const Words& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.starts_with(word); });
}

/// Attributes by the beginnings of their names: those that take a function out of the
/// instrumentation (the first line), and those that make a second name or a name that may be
/// missing.
constexpr std::array<std::string_view, 12> kAttributes{"no_sanitize",
                                                       "no_address_safety_analysis",
                                                       "disable_sanitizer",
                                                       "no_instrument",
                                                       "naked",
                                                       "patchable_function_entry",
                                                       "copy",
                                                       "weak",
                                                       "alias",
                                                       "ifunc",
                                                       "section",
                                                       "symver"};
/// Forbidden in a stage with rules on counts. The counting build is not optimised, so that each
/// access that the source writes is counted, and it counts no arithmetic of a compiler's own
/// vectors.
constexpr std::array<std::string_view, 4> kUncounted{"optimize", "optnone", "vector_size",
                                                     "ext_vector_type"};

constexpr std::array<std::string_view, 3> kPragmas{"weak", "redefine_extname", "clang attribute"};
constexpr std::array<std::string_view, 2> kOptimisingPragmas{"GCC optimize", "clang optimize"};

/// Forbidden anywhere in a name, because compilers build mangled names of them.
constexpr std::array<std::string_view, 17> kInstrumentation{"__tsan",
                                                            "__asan",
                                                            "__ubsan",
                                                            "__lsan",
                                                            "__msan",
                                                            "__hwasan",
                                                            "__dfsan",
                                                            "__sancov",
                                                            "__sanitizer",
                                                            "__interceptor",
                                                            "__wrap_",
                                                            "__real_",
                                                            "opgrade_emulation",
                                                            "opgrade_adapter",
                                                            "opgrade_profiler",
                                                            "OPGRADE_EMULATION",
                                                            "__ehdr_start"};
/// Beginnings of names of the thread sanitizer and of libgomp.
constexpr std::array<std::string_view, 19> kRuntimes{"GOMP_",
                                                     "WTFAnnotate",
                                                     "AnnotateHappens",
                                                     "AnnotateIgnore",
                                                     "AnnotateRWLock",
                                                     "AnnotateBenignRace",
                                                     "AnnotateCondVar",
                                                     "AnnotateMutexIs",
                                                     "AnnotatePCQ",
                                                     "AnnotateNewMemory",
                                                     "AnnotateExpectRace",
                                                     "AnnotateEnableRaceDetection",
                                                     "AnnotateFlush",
                                                     "AnnotatePublish",
                                                     "AnnotateUnpublish",
                                                     "AnnotateMemoryIs",
                                                     "RunningOnValgrind",
                                                     "ValgrindSlowdown",
                                                     "ThreadSanitizerQuery"};
/// These find any name of the process at run time.
constexpr std::array<std::string_view, 10> kLookUps{
    "dlsym",   "dlvsym", "dlopen", "dlmopen",         "dladdr",
    "dladdr1", "dlinfo", "dlfcn",  "dl_iterate_phdr", "_r_debug"};

/// Instructions without an operand in memory: for waiting loops and clocks.
constexpr std::array<std::string_view, 17> kHarmless{
    "pause", "nop", "mfence", "lfence", "sfence", "rdtsc", "rdtscp", "cpuid", "rep",
    // ARM64's: "dmb ish", "mrs %0, cntvct_el0"
    "yield", "isb", "dmb", "dsb", "ish", "sy", "mrs", "cntvct_el0"};

bool is_identifier(std::string_view token) {
  return !token.empty() && (std::isalpha(static_cast<unsigned char>(token[0])) != 0 ||
                            token[0] == '_' || (token[0] & 0x80) != 0);
}

/// "__no_sanitize__" is "no_sanitize".
std::string_view without_underscores(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

class HidingReader {
 public:
  HidingReader(const PreprocessedSource& source, Device device, bool counted)
      : tokens_(source.tokens), files_(source.files), device_(device), counted_(counted) {}

  std::optional<Reason> first() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      std::string found;
      if (is(i, "__attribute__") || is(i, "__attribute"))
        found = attribute(i + 1, "__attribute__(({}))");
      else if (is(i, "[") && is(i + 1, "["))
        found = attribute(i, "[[{}]]");
      else if (is(i, "#") && is(i + 1, "pragma"))
        found = pragma(i + 2);
      else if (is(i, "asm") || is(i, "__asm__") || is(i, "__asm"))
        found = assembly(i + 1);
      else if (is_identifier(tokens_[i].text) && is_instrumentation(tokens_[i].text))
        found = fmt::format("the name {}", tokens_[i].text);
      if (!found.empty()) return reason(i, found);
    }
    return std::nullopt;
  }

 private:
  bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text;
  }

  /// Any name between the brackets that open at i counts, because attributes have few arguments
  /// with names.
  std::string attribute(std::size_t i, const char* form) const {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      const std::string_view text = tokens_[i].text;
      if (text == "(" || text == "[") ++depth;
      if ((text == ")" || text == "]") && --depth == 0) break;
      if (depth == 0) break;
      const std::string_view name = without_underscores(text);
      const bool hides =
          begins_with_one(name, kAttributes) || (counted_ && begins_with_one(name, kUncounted));
      if (is_identifier(text) && hides) return fmt::format(fmt::runtime(form), text);
    }
    return "";
  }

  std::string pragma(std::size_t i) const {
    const std::string words =
        is(i, "GCC") || is(i, "clang") ? tokens_[i].text + " " + text_at(i + 1) : text_at(i);
    const bool hides = begins_with_one(words, kPragmas) ||
                       (counted_ && begins_with_one(words, kOptimisingPragmas));
    return hides ? "#pragma " + words : "";
  }

  /// asm volatile("..." : ...), or the other name of `int x asm("name")`.
  std::string assembly(std::size_t i) const {
    while (i < tokens_.size() && is_identifier(tokens_[i].text)) ++i;  // volatile, goto, inline
    std::string code;
    for (++i; i < tokens_.size() && tokens_[i].text.ends_with('"'); ++i) {
      const auto open = tokens_[i].text.find('"');
      code += tokens_[i].text.substr(open + 1, tokens_[i].text.size() - open - 2);
    }
    const bool has_operands = is(i, ":");
    const bool may_be_name =
        !code.empty() && !has_operands && code.find_first_of(" ;\\%") == code.npos;
    if (device_ == Device::cpu ? !is_harmless(code) : may_be_name)
      return fmt::format("asm(\"{}\")", printable_line(code));
    return "";
  }

  static bool is_harmless(std::string_view code) {
    bool is_operand = false;  // an instruction stands before it
    while (!code.empty()) {
      // "\n" and "\t" as they are written.
      const auto begin = std::min(code.find_first_not_of(" ;"), code.size());
      if (code.substr(0, begin).find(';') != code.npos) is_operand = false;
      code.remove_prefix(begin);
      if (code.empty()) break;
      if (code.starts_with("\\n") || code.starts_with("\\t")) {
        is_operand = is_operand && code[1] == 't';
        code.remove_prefix(2);
        continue;
      }
      const auto end = std::min(code.find_first_of(" ;\\"), code.size());
      const bool is_named = is_operand && code[0] == '%';
      if (!is_named && std::ranges::find(kHarmless, code.substr(0, end)) == kHarmless.end())
        return false;
      is_operand = true;
      code.remove_prefix(end);
    }
    return true;
  }

  static bool is_instrumentation(std::string_view name) {
    const auto holds = [&](std::string_view part) { return name.find(part) != name.npos; };
    return std::ranges::any_of(kInstrumentation, holds) || begins_with_one(name, kRuntimes) ||
           std::ranges::find(kLookUps, name) != kLookUps.end();
  }

  std::string text_at(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string();
  }

  Reason reason(std::size_t i, const std::string& words) const {
    return why::HidesCode{
        words, Finding{.file = printable_line(files_[tokens_[i].file]), .line = tokens_[i].line}};
  }

  const SourceTokens& tokens_;
  const std::vector<std::string>& files_;
  const Device device_;
  const bool counted_;
};

}  // namespace

bool is_watched(const StageConfig& stage, Device device) {
  const bool openmp = std::ranges::find(stage.flags, "-fopenmp") != stage.flags.end();
  return device == Device::emulated || (device == Device::cpu && openmp) || !stage.counts.empty();
}

std::optional<Reason> hides_code(const std::vector<PreprocessedSource>& read, Device device,
                                 bool counted) {
  for (const PreprocessedSource& source : read)
    if (auto found = HidingReader(source, device, counted).first()) return found;
  return std::nullopt;
}

}  // namespace opgrade
