#include "grader/app/constructs.hpp"

#include <algorithm>

#include "grader/core/printable.hpp"

namespace opgrade {
namespace {

using Tokens = std::vector<std::string>;

/// The line of the first place where the tokens stand in a row; 0 for none.
const SourceToken* find(const PreprocessedSource& source, const Tokens& wanted) {
  const auto found = std::ranges::search(source.tokens, wanted, {}, &SourceToken::text);
  return wanted.empty() || found.empty() ? nullptr : &found.front();
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
        tokens, Finding{.file = printable_line(found->file), .line = found->line}};
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
