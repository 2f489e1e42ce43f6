#include "grader/build/preprocessed_text.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "grader/core/cpp_tokens.hpp"

namespace opgrade {
namespace {

/// Calls `take` with the token, or with each of a pragma's.
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
      if (!is_kept_) continue;
      const int line = first_line_ + token->line;
      split(whole, [&](std::string_view one) { add(one, line); });
      if (is_over_) return std::nullopt;
    }
    return std::move(source_);
  }

 private:
  /// A line marker.
  void enter(std::string_view marker, int line) {
    const auto open = marker.find('"'), close = marker.rfind('"');
    if (open == marker.npos) return;
    const std::string file =
        std::filesystem::path(marker.substr(open + 1, close - open - 1)).lexically_normal();
    first_line_ = std::atoi(marker.data() + 2) - line - 1;
    texts_ = file == files_.before   ? &source_.before
             : file == files_.behind ? &source_.behind
                                     : nullptr;
    is_kept_ = texts_ != nullptr || !files_.is_foreign(file);
    if (texts_ != nullptr || !is_kept_) return;
    const auto [known, is_new] = numbers_.try_emplace(file, source_.files.size());
    if (is_new) source_.files.push_back(file);
    file_ = known->second;
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
};

}  // namespace

std::optional<PreprocessedSource> read_preprocessed(std::string_view output,
                                                    const PreprocessedFiles& files,
                                                    TokenBudget& left) {
  return Reader(output, files, left).read();
}

std::vector<std::string> spelled_tokens(const std::string& text) {
  std::vector<std::string> all;
  CppLexer lexer(text);
  while (const auto token = lexer.next())
    split(token->in(text), [&](std::string_view one) { all.emplace_back(one); });
  return all;
}

}  // namespace opgrade
