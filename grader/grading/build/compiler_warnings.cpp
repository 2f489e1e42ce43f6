#include "grader/grading/build/compiler_warnings.hpp"

#include <algorithm>
#include <regex>
#include <string_view>

#include "grader/base/core/finding_kind.hpp"

namespace opgrade {
namespace {

bool says(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// -Wuninitialized and -Wmaybe-uninitialized; nvcc's number 549 and its words.
bool is_about_values(std::string_view message) {
  return says(message, "uninitialized") || says(message, "is used before its value is set");
}

}  // namespace

std::vector<Finding> compiler_warnings(const std::string& output,
                                       const std::vector<std::string>& files) {
  // "file:3:5: warning: ..." and nvcc's "file(3): warning #549-D: ..."
  static const std::regex kWarning(
      R"(^(?:\./)?([^:()\s][^:()]{0,200})(?::(\d{1,7})(?::\d{1,7})?|\((\d{1,7})\)):? )"
      R"(warning(?: #[\w-]{1,20})?: (.*)$)");
  constexpr std::size_t kLongest = 500;  // std::regex recurses per character
  constexpr std::size_t kMost = 20;
  std::vector<Finding> warnings;
  for (std::size_t start = 0; start < output.size() && warnings.size() < kMost;) {
    const auto end = std::min(output.find('\n', start), output.size());
    const std::string line = output.substr(start, std::min(end - start, kLongest));
    start = end + 1;
    std::smatch match;
    if (!std::regex_match(line, match, kWarning)) continue;
    const std::string file = match[1];
    if (std::ranges::find(files, file) == files.end()) continue;
    Finding warning;
    warning.message = match[4];
    warning.kind = is_about_values(warning.message) ? "uninitialized_variable" : "compiler_warning";
    warning.file = file;
    warning.line = std::stoi(match[2].matched ? match[2].str() : match[3].str());
    if (!is_listed(warnings, warning)) warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace opgrade
