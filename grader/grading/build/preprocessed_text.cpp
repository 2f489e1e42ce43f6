#include "grader/grading/build/preprocessed_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "grader/base/core/cpp_tokens.hpp"

namespace opgrade {
namespace {

/// Calls `take` with the token, or with each token of a pragma.
template <class Take>
void split(std::string_view token, const Take& take) {
  if (!token.starts_with("#pragma")) return take(token);
  take(token.substr(0, 1));
  const std::string_view rest = token.substr(1);
  CppLexer words(rest, CppLexer::Directives::none);
  while (const auto word = words.next()) take(word->in(rest));
}

class Reader {
 public:
  Reader(std::string_view output, const PreprocessedFiles& files, TokenBudget& left)
      : output_(output), files_(files), left_(left) {
    source_.before.resize(files.texts);
    source_.behind.resize(files.texts);
  }

  std::optional<PreprocessedSource> read() {
    CppLexer lexer(output_);
    while (const auto token = lexer.next()) {
      const auto whole = token->in(output_);
      if (whole.starts_with("# ")) {
        enter(whole, token->line);
        continue;
      }
      const int line = first_line_ + token->line;
      if (is_in_text_) write(whole, line, token->begin);
      if (is_kept_) split(whole, [&](std::string_view one) { add(one, line); });
      if (is_over_) return std::nullopt;
    }
    if (has_own_in_foreign_) source_.text.clear();
    return std::move(source_);
  }

 private:
  /// Follows a line marker.
  void enter(std::string_view marker, int line) {
    const auto open = marker.find('"'), close = marker.rfind('"');
    if (open == marker.npos) return;
    quoted_ = marker.substr(open, close + 1 - open);
    const std::string file =
        std::filesystem::path(marker.substr(open + 1, close - open - 1)).lexically_normal();
    first_line_ = std::atoi(marker.data() + 2) - line - 1;
    texts_ = file == files_.before   ? &source_.before
             : file == files_.behind ? &source_.behind
                                     : nullptr;
    is_kept_ = texts_ != nullptr || !files_.is_foreign(file);
    if (texts_ != nullptr) {
      is_in_text_ = false;
      return;
    }
    // The merged text of both sides has code of its own.
    const bool is_in_text = is_kept_ || file.starts_with('<') || files_.is_adapter(file);
    const bool includes = marker.substr(close + 1).starts_with(" 1");
    if (includes && is_in_text && is_in_header_) has_own_in_foreign_ = true;
    if (includes && !is_in_text && !is_in_header_) include(file);
    is_in_header_ = !is_in_text;
    is_in_text_ = is_in_text;
    written_line_ = 0;
    if (!is_kept_) return;
    // Compilers have names such as <built-in> for code of their own.
    if (file.starts_with('<')) quoted_.insert(1, "./");
    const auto [known, is_new] = numbers_.try_emplace(file, source_.files.size());
    if (is_new) source_.files.push_back(file);
    file_ = known->second;
  }

  /// Includes the header by its name in a folder of headers, because another compiler may have its
  /// own.
  void include(const std::string& file) {
    const auto folder = file.rfind("/include");
    const auto behind = folder == file.npos ? file.npos : file.find('/', folder + 1);
    std::string_view name = file;
    if (behind != file.npos) name.remove_prefix(behind + 1);
    const auto version = name.find('/', 4);
    if (name.starts_with("c++/") && version != name.npos) name.remove_prefix(version + 1);
    source_.text += fmt::format("\n#include <{}>\n", name);
  }

  /// Writes a token. Tokens that touched still touch, because they may be one.
  void write(std::string_view token, int line, std::size_t begin) {
    constexpr int kMostBlankLines = 8;
    const bool is_directive = token.starts_with('#');
    const int lines = written_line_ == 0 ? -1 : line - written_line_;
    if (lines < 0 || lines > kMostBlankLines) {
      const std::string marker = fmt::format("\n# {} {}\n", line, quoted_);
      is_over_ = is_over_ || left_.bytes < marker.size();
      if (is_over_) return;
      left_.bytes -= marker.size();
      source_.text += marker;
    } else if (lines > 0) {
      source_.text.append(static_cast<std::size_t>(lines), '\n');
    } else if (is_directive) {
      source_.text += '\n';
    } else if (begin != written_end_) {
      source_.text += ' ';
    }
    source_.text += token;
    if (is_directive) source_.text += '\n';
    // A raw string may have lines.
    written_line_ = is_directive ? 0 : line + static_cast<int>(std::ranges::count(token, '\n'));
    written_end_ = begin + token.size();
  }

  void add(std::string_view token, int line) {
    is_over_ = is_over_ || left_.tokens == 0 || left_.bytes < token.size();
    if (is_over_) return;
    --left_.tokens;
    left_.bytes -= token.size();
    if (texts_ == nullptr)
      source_.tokens.push_back({std::string(token), file_, line});
    else if (line >= 1 && line <= static_cast<int>(texts_->size()))
      (*texts_)[static_cast<std::size_t>(line) - 1].emplace_back(token);
  }

  const std::string_view output_;
  const PreprocessedFiles& files_;
  TokenBudget& left_;
  PreprocessedSource source_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::vector<std::string>>* texts_ = nullptr;  ///< whose lines these are
  std::size_t file_ = 0;
  int first_line_ = 0;  ///< of the file: that of the output's first line
  bool is_kept_ = false;
  bool is_over_ = false;

  std::string quoted_;  ///< the file's name as the marker has it
  bool is_in_text_ = false, is_in_header_ = false, has_own_in_foreign_ = false;
  int written_line_ = 0;  ///< of the last token of the text; 0 if the next one needs a marker
  std::size_t written_end_ = 0;  ///< of that token in the output
};

bool is_literal(std::string_view token) {
  return token.ends_with('"') || std::isdigit(static_cast<unsigned char>(token.front())) != 0;
}

bool is_marker(std::string_view token) { return token.starts_with("# "); }

}  // namespace

std::optional<PreprocessedSource> read_preprocessed(std::string_view output,
                                                    const PreprocessedFiles& files,
                                                    TokenBudget& left) {
  return Reader(output, files, left).read();
}

std::optional<std::string> with_places_of(std::string_view text, std::string_view places) {
  CppLexer own(text), others(places);
  std::string result;
  for (std::size_t copied = 0;;) {
    auto one = own.next();
    while (one && is_marker(one->in(text))) one = own.next();
    auto other = others.next();
    while (other && is_marker(other->in(places))) other = others.next();
    if (!one || !other) {
      if (one || other) return std::nullopt;
      return result.append(places.substr(copied));
    }
    const std::string_view token = one->in(text), same = other->in(places);
    if (token != same && !(is_literal(token) && is_literal(same))) return std::nullopt;
    result.append(places.substr(copied, other->begin - copied)).append(token);
    copied = other->begin + other->size;
  }
}

std::vector<std::string> spelled_tokens(const std::string& text) {
  std::vector<std::string> all;
  CppLexer lexer(text);
  while (const auto token = lexer.next())
    split(token->in(text), [&](std::string_view one) { all.emplace_back(one); });
  return all;
}

}  // namespace opgrade
