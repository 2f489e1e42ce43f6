#include "grader/report/words/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <regex>

#include "grader/base/core/finding_kind.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade::report {
namespace {

/// Compilers may write "./" before a name.
std::string path_of(const StageReport& stage, const std::string& file) {
  std::string name = file;
  while (name.starts_with("./")) name.erase(0, 2);
  if (std::ranges::find(stage.files, name) == stage.files.end()) return {};
  return stage.folder.empty() || stage.folder == "." ? name : stage.folder + "/" + name;
}

void set_place(Diagnostic& d, const StageReport& stage, const std::string& file, int line,
               const std::string& message) {
  d.path = path_of(stage, file);
  d.line = d.path.empty() ? 0 : std::max(line, 0);
  d.message = d.path.empty() ? fmt::format("{}:{}: {}", file, line, message) : message;
}

/// Adds errors as g++, clang and nvcc print them: "file:3:5: error: ..." and "file(3): error: ...".
void add_compiler_errors(std::vector<Diagnostic>& out, const StageReport& stage, std::size_t most) {
  const std::string& output = stage.build.compiler_output;
  static const std::regex kError(
      R"(^([^:()\s][^:()]{0,200})(?::(\d{1,7})(?::\d{1,7})?|\((\d{1,7})\)):? ?)"
      R"((?:fatal )?error:? ?(.*)$)");
  constexpr std::size_t kLongest = 500;  // std::regex recurses per character
  for (std::size_t start = 0; start < output.size() && out.size() < most;) {
    const auto end = std::min(output.find('\n', start), output.size());
    const std::string line = output.substr(start, std::min(end - start, kLongest));
    start = end + 1;
    std::smatch match;
    if (!std::regex_match(line, match, kError)) continue;
    const std::string number = match[2].matched ? match[2].str() : match[3].str();
    Diagnostic& d = out.emplace_back();
    d.rule = std::string(words(Outcome::build_failed).id);
    set_place(d, stage, match[1].str(), std::stoi(number), match[4].str());
  }
}

}  // namespace

std::string fingerprint_of(const Diagnostic& d) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, 64 bits
  for (const char c : fmt::format("{}\n{}\n{}\n{}", d.rule, d.path, d.line, d.message)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

std::vector<Diagnostic> diagnostics_of(const Grade& view, std::size_t max_compiler_errors) {
  std::vector<Diagnostic> out;
  for (const auto& stage : view.stages) {
    if (stage.build.outcome == Outcome::build_failed) {
      add_compiler_errors(out, stage, max_compiler_errors);
    }
    for (const auto& c : stage.cases) {
      for (const auto& f : c.findings) {
        Diagnostic& d = out.emplace_back();
        d.rule = f.kind;
        d.case_id = c.id;
        set_place(d, stage, f.file, f.line, f.message);
        if (!is_mistake(f) || is_undecided(c.outcome) || c.outcome == Outcome::passed)
          d.severity = Severity::warning;
        if (c.advice) d.severity = Severity::notice;
      }
    }
  }
  return out;
}

CodePlace place_in(const StageReport& stage, const Finding& finding) {
  CodePlace place{path_of(stage, finding.file), finding.line};
  return place.line > 0 && !place.path.empty() ? place : CodePlace{};
}

CodePlace first_compiler_error(const StageReport& stage) {
  constexpr std::size_t kLookedAt = 8;
  std::vector<Diagnostic> errors;
  add_compiler_errors(errors, stage, kLookedAt);
  for (const Diagnostic& d : errors)
    if (d.line > 0) return {d.path, d.line};
  return {};
}

std::string why_not_built(const BuildReport& build) {
  StageReport stage;
  stage.build = build;
  std::vector<Diagnostic> errors;
  add_compiler_errors(errors, stage, 1);
  std::string why = sentence_of(build.reason);
  if (!errors.empty()) why += ": " + errors.front().message;
  return why;
}

}  // namespace opgrade::report
