#include "grader/app/constructs.hpp"

#include <algorithm>

#include "grader/core/printable.hpp"

namespace opgrade {
namespace {

using Tokens = std::vector<std::string>;

/// The first place where the tokens stand in a row, by Knuth, Morris and Pratt: the wanted tokens
/// are a macro's expansion, and so may be as many as those that are searched.
const SourceToken* find(const PreprocessedSource& source, const Tokens& wanted) {
  if (wanted.empty()) return nullptr;
  // Where to go on after a mismatch behind the first i tokens.
  std::vector<std::size_t> next(wanted.size() + 1);
  const auto matched = [&](std::size_t so_far, const std::string& token) {
    while (so_far > 0 && wanted[so_far] != token) so_far = next[so_far];
    return wanted[so_far] == token ? so_far + 1 : so_far;
  };
  for (std::size_t i = 1; i < wanted.size(); ++i) next[i + 1] = matched(next[i], wanted[i]);
  std::size_t so_far = 0;
  for (const SourceToken& token : source.tokens) {
    so_far = matched(so_far, token.text);
    if (so_far == wanted.size()) return &token - (wanted.size() - 1);
  }
  return nullptr;
}

/// As it is written, or as the compiler reads it: a word may be a macro of the toolkit's. Of a
/// forbidden one also what it means at the end of the source, where more headers are known. There a
/// required one could be a macro of the submission's own.
const SourceToken* find(const PreprocessedSource& source, std::size_t number,
                        const std::string& construct, bool forbidden) {
  if (const auto* const found = find(source, spelled_tokens(construct))) return found;
  if (const auto* const found = find(source, source.before[number])) return found;
  return forbidden ? find(source, source.behind[number]) : nullptr;
}

std::optional<Reason> broken(const StageConfig& stage, std::size_t number,
                             const std::vector<std::string>& sources,
                             const std::vector<PreprocessedSource>& read) {
  const ConstructConfig& construct = stage.constructs[number];
  const bool forbids = !construct.forbidden.empty();
  const std::string& tokens = tokens_of(construct);
  for (const auto& source : read) {
    const SourceToken* const found = find(source, number, tokens, forbids);
    if (found == nullptr) continue;
    if (!forbids) return std::nullopt;
    return why::ConstructForbidden{
        tokens, Finding{.file = printable_line(source.files[found->file]), .line = found->line}};
  }
  if (forbids) return std::nullopt;
  return why::ConstructMissing{tokens, sources};
}

}  // namespace

const std::string& tokens_of(const ConstructConfig& construct) {
  return construct.forbidden.empty() ? construct.required : construct.forbidden;
}

BrokenConstructs broken_constructs(const StageConfig& stage,
                                   const std::vector<std::string>& sources,
                                   const std::vector<PreprocessedSource>& read) {
  BrokenConstructs all;
  for (std::size_t i = 0; i < stage.constructs.size(); ++i)
    all.push_back(broken(stage, i, sources, read));
  return all;
}

std::optional<Reason> refused_construct(const StageConfig& stage, const BrokenConstructs& broken) {
  for (std::size_t i = 0; i < broken.size(); ++i)
    if (stage.constructs[i].points <= 0 && stage.constructs[i].case_name.empty() && broken[i])
      return broken[i];
  return std::nullopt;
}

}  // namespace opgrade
