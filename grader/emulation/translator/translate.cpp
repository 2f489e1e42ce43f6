#include "grader/emulation/translator/translate.hpp"

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {

std::string Source::place(std::size_t token) const {
  const Token& t = lexed.tokens[token];
  return "\"" + lexed.files[static_cast<std::size_t>(t.file)] + "\", " + std::to_string(t.line);
}

bool Source::is_uncounted(std::size_t token) const {
  const Token& t = lexed.tokens[token];
  const std::string& file = lexed.files[static_cast<std::size_t>(t.file)];
  return !options.uncounted.empty() &&
         options.uncounted.contains({file.substr(file.rfind('/') + 1), t.line});
}

NamePlace Source::name_place(std::size_t token) const {
  const Token& t = lexed.tokens[token];
  const std::string& file = lexed.files[static_cast<std::size_t>(t.file)];
  return {file.substr(file.rfind('/') + 1), t.line, std::string(t.text)};
}

std::size_t Source::declared_shared(std::size_t token) const {
  const auto found = options.facts.shared_bytes.find(name_place(token));
  return found == options.facts.shared_bytes.end() ? 0 : found->second;
}

void Source::remark(Remark::Kind kind, std::size_t token, std::string text) {
  const Token& t = lexed.tokens[token];
  remarks.push_back(
      {kind, lexed.files[static_cast<std::size_t>(t.file)], t.line, t.column, std::move(text)});
}

Translation translate(std::string_view preprocessed, const TranslateOptions& options) {
  const LexedText lexed = lex(preprocessed, options.own_headers);
  const Cursor tokens(lexed.tokens);
  Source source{lexed, tokens, map_scopes(tokens), Edits(preprocessed, lexed), {}, options};
  // Whole declarations first, single words last, because the first of two edits at one place
  // counts.
  rewrite_shared(source);
  rewrite_device_variables(source);
  rewrite_kernels(source);
  if (options.count) rewrite_counted(source);
  rewrite_launches(source);
  rewrite_host_side(source);
  rewrite_missing_results(source);
  rewrite_heap(source);
  rewrite_words(source);
  std::string text = source.edits.apply();
  int number = 0;
  for (const auto& [file, line] : options.uncounted)
    text += "static const ::opgrade_emulation::Uncounted opgrade_uncounted_" +
            std::to_string(++number) + "(\"" + file + "\", " + std::to_string(line) + ");\n";
  return {std::move(text), std::move(source.remarks)};
}

}  // namespace opgrade::emulation
