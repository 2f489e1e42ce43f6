#include "grader/grading/build/build_hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "grader/base/core/printable.hpp"
#include "grader/grading/build/cuda_names.hpp"
#include "grader/grading/build/odd_character.hpp"

namespace opgrade {
namespace {

/// All texts between `before` and `after` on a line, each once.
std::vector<std::string> quoted(const std::string& messages, std::string_view before,
                                std::string_view after) {
  std::vector<std::string> found;
  for (auto at = messages.find(before); at != messages.npos; at = messages.find(before, at)) {
    at += before.size();
    const auto end = messages.find(after, at);
    if (end == messages.npos) break;
    std::string text = messages.substr(at, end - at);
    if (text.find('\n') == text.npos && std::ranges::find(found, text) == found.end())
      found.push_back(std::move(text));
  }
  return found;
}

/// Headers that g++, clang or nvcc did not find, as the source names them.
std::vector<std::string> missing_headers(const std::string& messages) {
  std::vector<std::string> missing;
  for (const char* const reason : {": No such file or directory", ": Permission denied"}) {
    auto names = quoted(messages, "fatal error: ", reason);
    missing.insert(missing.end(), names.begin(), names.end());
  }
  auto clang = quoted(messages, "fatal error: '", "' file not found");
  missing.insert(missing.end(), clang.begin(), clang.end());
  return missing;
}

/// A character that the student cannot see, or takes for another one, as the cause of an error.
std::optional<Reason> odd_character(const TakenFiles& taken, const std::string& messages) {
  for (const auto& file : taken.files) {
    if (messages.find(file.name) == messages.npos) continue;
    const auto odd = find_odd_character(file.bytes, file.name, messages);
    if (!odd) continue;
    return why::OddCharacter{.place = {.kind = "odd_character",
                                       .file = printable_line(file.name),
                                       .line = odd->line,
                                       .message = fmt::format("column {}", odd->column)},
                             .character = odd->name,
                             .instead = odd->instead};
  }
  return std::nullopt;
}

Reason without_headers(const TakenFiles& taken, const std::vector<std::string>& missing) {
  for (const auto& header : missing) {
    const auto name = std::filesystem::path(header).filename();
    for (const auto& file : taken.left_out) {
      if (std::filesystem::path(file.name).filename() == name)
        return why::LeftOutHeader{{printable_line(file.name), file.why}};
    }
  }
  return why::MissingHeaders{printable_lines(missing), taken.folder};
}

/// The first place in the taken files where `name` is followed by parameters, with that line: "void
/// conv_forward_cpu(float *y)".
std::optional<Finding> found_declaration(const TakenFiles& taken,
                                         const std::vector<std::string>& sources,
                                         const std::string& name) {
  constexpr std::size_t kLongest = 400;
  for (const auto& file : taken.files) {
    if (std::ranges::find(sources, file.name) == sources.end()) continue;
    const std::string& text = file.bytes;
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
      const auto open = text.find_first_not_of(" \t\r\n", at + name.size());
      if (open == text.npos || text[open] != '(') continue;
      // Looks no farther than is shown: a source may name the function in each place of a long
      // line.
      const std::string_view near =
          std::string_view(text).substr(at - std::min(at, kLongest), 3 * kLongest);
      const auto here = std::min(at, kLongest);
      const auto line_end = near.rfind('\n', here);
      if (line_end == near.npos && here < at) continue;
      const auto start = at - here + line_end + 1;  // npos + 1 is the start
      const auto close = at - here + near.find(')', std::min(here + (open - at), near.size()));
      if (close < open || close - start > kLongest) continue;
      std::string line;
      for (const char c : text.substr(start, close + 1 - start)) {
        const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
        if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
      }
      const auto number =
          1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      return Finding{.kind = "declaration",
                     .file = printable_line(file.name),
                     .line = static_cast<int>(number),
                     .message = printable_line(line)};
    }
  }
  return {};
}

/// "GPUInterface::conv_forward_gpu(float*, int)" without its parameters.
std::string name_of(const std::string& function) {
  return printable_line(function.substr(0, function.find_first_of("(<")));
}

/// Left out files that may hold a function. More than these would bury the sentence.
std::vector<LeftOutFile> left_out_sources(const TakenFiles& taken) {
  constexpr std::size_t kNamed = 5;
  std::vector<LeftOutFile> sources;
  for (const auto& file : taken.left_out) {
    const auto ending = std::filesystem::path(file.name).extension();
    if (ending != ".cu" && ending != ".cc" && ending != ".cpp" && ending != ".cxx" &&
        ending != ".c")
      continue;
    if (sources.size() == kNamed) break;
    sources.push_back({printable_line(file.name), file.why});
  }
  return sources;
}

}  // namespace

std::vector<std::string> printable_lines(std::vector<std::string> names) {
  for (auto& name : names) name = printable_line(name);
  return names;
}

std::vector<std::string> undefined_functions(const std::string& messages) {
  auto names = quoted(messages, "undefined reference to `", "'");
  for (auto& name : quoted(messages, "undefined symbol: ", "\n"))
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

std::string without_adapter_lines(const Interface& interface, const std::string& messages) {
  std::string kept;
  for (std::size_t start = 0; start < messages.size();) {
    const auto end = std::min(messages.find('\n', start), messages.size());
    std::string line = messages.substr(start, end - start);
    start = end + 1;
    const auto undefined = line.find("undefined reference to `");
    if (undefined != line.npos && is_interface_function(interface, line)) {
      line.erase(0, undefined);
      if (kept.find(line) != kept.npos) continue;
    } else if (line.find(": in function `(anonymous namespace)::") != line.npos &&
               line.find("(opgrade_call*)") != line.npos) {
      continue;
    }
    kept += line + "\n";
  }
  return kept;
}

bool is_interface_function(const Interface& interface, const std::string& function) {
  return std::ranges::any_of(interface.functions, [&](std::string_view own) {
    return function.find(own) != function.npos;
  });
}

Reason build_reason(const Interface& interface, Device device, const TakenFiles& taken,
                    const std::vector<std::string>& sources, const std::string& messages) {
  const auto undefined = undefined_functions(messages);
  std::vector<std::string> own;
  for (const auto& function : undefined)
    if (is_interface_function(interface, function)) own.push_back(name_of(function));
  if (!own.empty()) {
    const auto declared = found_declaration(taken, sources, own.front());
    return why::MissingFunctions{
        .functions = std::move(own),
        .expected =
            std::string(device == Device::cpu ? interface.cpu_signature : interface.gpu_signature),
        .declaration = declared};
  }
  if (!undefined.empty())
    return why::UndefinedNames{.undefined = printable_lines(undefined),
                               .sources = sources,
                               .left_out = left_out_sources(taken)};
  if (auto odd = odd_character(taken, messages)) return *std::move(odd);
  // Permission denied counts, too: without mounts, a file that the sandbox does not let through is
  // seen to be there.
  const auto missing = missing_headers(messages);
  if (!missing.empty() || messages.find("No such file or directory") != std::string::npos ||
      messages.find("Permission denied") != std::string::npos)
    return without_headers(taken, missing);
  why::CompilerError error;
  if (const auto removed = find_removed_name(messages); removed && device != Device::cpu)
    error = {removed->name, std::string(removed->successor)};
  return error;
}

std::string wide_encoding(const std::string& bytes) {
  using namespace std::string_view_literals;
  const std::string_view text = bytes;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) return "UTF-16";
  // Without a mark, every second byte of ASCII text is 0. An object file has zeros in both halves.
  constexpr std::size_t kLooked = 512, kLeast = 16;
  const auto start = text.substr(0, kLooked);
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < start.size(); ++i) zeros[i % 2] += start[i] == '\0';
  const std::size_t half = start.size() / 2;
  const bool wide = half >= kLeast && std::min(zeros[0], zeros[1]) == 0 &&
                    std::max(zeros[0], zeros[1]) * 10 >= half * 9;
  return wide ? "UTF-16" : "";
}

}  // namespace opgrade
