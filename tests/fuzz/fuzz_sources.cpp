// Students' sources and what compilers print about them, wherever opgrade reads them itself:
// tokens, the one function of an edited file, directives that name lines, preprocessors' output,
// messages, and the translator of the emulated device. Whatever the bytes, the readers stay in
// them.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "grader/base/core/cpp_tokens.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/utf8.hpp"
#include "grader/emulation/driver/missing_feature.hpp"
#include "grader/emulation/translator/translate.hpp"
#include "grader/grading/build/build_hint.hpp"
#include "grader/grading/build/compiler_warnings.hpp"
#include "grader/grading/build/line_markers.hpp"
#include "grader/grading/build/preprocessed_text.hpp"
#include "grader/grading/profile/address_sanitizer.hpp"
#include "grader/grading/profile/sanitizer.hpp"
#include "grader/task/folder/edited_function.hpp"

using namespace opgrade;

namespace {

void demand(bool right) {
  if (!right) std::abort();
}

void read_tokens(const std::string& text) {
  std::size_t end = 0;
  int line = 1;
  for (const auto& token : cpp_tokens(text)) {
    demand(token.size > 0 && token.begin >= end && token.begin + token.size <= text.size());
    demand(token.line >= line);
    end = token.begin + token.size;
    line = token.line;
  }
  demand(without_line_markers(text).size() == text.size());
}

void read_edited(const std::string& text) {
  static const std::string given = "#include \"a.h\"\nint two() { return 2; }\nint one() {\n}\n";
  for (const std::string& base : {given, text}) {
    try {
      demand(with_function_of(base, text, "one").size() >= base.size() / 2);
    } catch (const std::invalid_argument&) {
    }
  }
}

void read_output(const std::string& text) {
  TokenBudget left{.tokens = 500, .bytes = 4000};
  const auto source = read_preprocessed(
      text,
      {.before = "b",
       .behind = "e",
       .texts = 2,
       .is_foreign = [](const std::string& file) { return file.starts_with('/'); },
       .is_adapter = [](const std::string& file) { return file.starts_with("/a/"); }},
      left);
  demand(!source || source->tokens.size() <= 500);
  demand(with_places_of(text, text).has_value());
  if (source)
    for (const auto& token : source->tokens)
      demand(token.file < source->files.size() || token.file == 0);
}

void read_messages(const std::string& text) {
  demand(is_utf8(printable(text)));
  demand(compiler_warnings(text, {"a.cu", "b.h"}).size() <= 20);
  undefined_functions(text);
  static constexpr std::string_view kFunctions[] = {"solve"};
  Interface interface;
  interface.functions = kFunctions;
  without_adapter_lines(interface, text);
  const TakenFiles files{".", {{"a.cu", text}}};
  build_reason(interface, Device::cpu, files, {"a.cu"},
               "a.cu: undefined reference to `solve(float*)'\n" + text);
  emulation::find_missing_feature(text);
  const auto is_own = [](const std::string& path) { return path.starts_with("/usr"); };
  read_address_sanitizer(text, is_own);
  read_thread_sanitizer(text, is_own);
  demand(read_sanitizer(text, "memcheck").findings.size() <= 50);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  read_tokens(text);
  read_edited(text);
  read_output(text);
  read_messages(text);
  for (const bool counts : {false, true})
    emulation::translate("# 1 \"a.cu\"\n" + text, {.own_headers = "/opgrade", .count = counts});
  return 0;
}
