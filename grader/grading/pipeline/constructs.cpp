#include "grader/grading/pipeline/constructs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "grader/base/core/printable.hpp"

namespace opgrade {
namespace {

using Tokens = std::vector<std::string>;

using Uses = std::optional<TreeUses>;

/// The first place in code that may run where the tokens stand in a row. The algorithm is that of
/// Knuth, Morris and Pratt, because the wanted tokens are a macro's expansion and may be as many as
/// those that are searched.
const SourceToken* find(const PreprocessedSource& source, const Tokens& wanted, const Uses& uses) {
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
    if (so_far < wanted.size()) continue;
    const SourceToken* const found = &token - (wanted.size() - 1);
    if (!uses || !uses->is_dead(source.files[found->file], found->line)) return found;
    so_far = next[so_far];
  }
  return nullptr;
}

/// Finds the construct as it is written, or as the compiler reads it, because a word may be a macro
/// of the toolkit's. A forbidden construct is also sought by its meaning at the end of the source,
/// where more headers are known. A required one is not, because it could be a macro of the
/// submission's own there.
const SourceToken* find(const PreprocessedSource& source, std::size_t number,
                        const std::string& construct, bool forbidden, const Uses& uses) {
  if (const auto* const found = find(source, spelled_tokens(construct), uses)) return found;
  if (const auto* const found = find(source, source.before[number], uses)) return found;
  return forbidden ? find(source, source.behind[number], uses) : nullptr;
}

/// The use whose name has the construct as a part, as with std::sort or cub::, or as a whole.
const TreeUse* find(const TreeUses& uses, std::string_view construct) {
  const std::string wanted =
      construct.ends_with("::") ? fmt::format("::{}", construct) : fmt::format("::{}::", construct);
  const auto found = std::ranges::find_if(uses.uses, [&](const TreeUse& use) {
    return fmt::format("::{}::", use.name).find(wanted) != std::string::npos;
  });
  return found == uses.uses.end() ? nullptr : &*found;
}

/// True if only a use in the tree counts as a use.
bool is_decided_by_tree(const TreeUses& uses, const std::string& construct) {
  return only_the_tree_tells(construct) || uses.known.contains(construct);
}

Reason forbidden_at(const std::string& tokens, const std::string& file, int line) {
  return why::ConstructForbidden{tokens, Finding{.file = printable_line(file), .line = line}};
}

/// The name without which code cannot name the construct: `sort` of std::sort, `cub` of cub::. If a
/// construct has no name, its last sign.
std::string last_name(const std::string& construct) {
  std::string last;
  const auto is_name = [](const std::string& token) {
    return !token.empty() &&
           (token[0] == '_' || std::isalpha(static_cast<unsigned char>(token[0])) != 0);
  };
  for (const std::string& token : spelled_tokens(construct))
    if (is_name(token) || !is_name(last)) last = token;
  return last;
}

std::optional<Reason> broken(const StageConfig& stage, std::size_t number,
                             const std::vector<std::string>& sources,
                             const std::vector<PreprocessedSource>& read, const Uses& uses) {
  const ConstructConfig& construct = stage.constructs[number];
  const bool forbids = !construct.forbidden.empty();
  const std::string& tokens = tokens_of(construct);
  if (const TreeUse* const use = uses ? find(*uses, tokens) : nullptr)
    return forbids ? std::optional(forbidden_at(tokens, use->file, use->line)) : std::nullopt;
  const bool is_whole = !uses || uses->is_whole;
  const bool by_tree = uses && is_decided_by_tree(*uses, tokens);
  // A tree with errors does not tell what code is dead.
  const Uses dead = is_whole ? uses : std::nullopt;
  const std::string last = last_name(tokens);
  bool could_be = false;
  for (const auto& source : read) {
    could_be = could_be ||
               std::ranges::find(source.tokens, last, &SourceToken::text) != source.tokens.end();
    const SourceToken* const found = find(source, number, tokens, forbids, dead);
    if (found == nullptr || (!forbids && (by_tree || !is_whole))) continue;
    if (!forbids) return std::nullopt;
    return forbidden_at(tokens, source.files[found->file], found->line);
  }
  if (!is_whole && could_be) return why::ByStaff{};
  if (forbids) return std::nullopt;
  return why::ConstructMissing{tokens, sources};
}

}  // namespace

const std::string& tokens_of(const ConstructConfig& construct) {
  return construct.forbidden.empty() ? construct.required : construct.forbidden;
}

bool only_the_tree_tells(const std::string& construct) {
  return construct == "__shared__" || construct == "__constant__" || construct.starts_with("std::");
}

BrokenConstructs broken_constructs(const StageConfig& stage,
                                   const std::vector<std::string>& sources,
                                   const std::vector<PreprocessedSource>& read, const Uses& uses) {
  BrokenConstructs all;
  for (std::size_t i = 0; i < stage.constructs.size(); ++i)
    all.push_back(broken(stage, i, sources, read, uses));
  return all;
}

std::optional<Reason> refused_construct(const StageConfig& stage, const BrokenConstructs& broken) {
  std::optional<Reason> undecided;
  for (std::size_t i = 0; i < broken.size(); ++i) {
    if (stage.constructs[i].points > 0 || !stage.constructs[i].case_name.empty() || !broken[i])
      continue;
    // A rule that is surely broken decides, wherever it stands in the config.
    if (!broken[i]->is<why::ByStaff>()) return broken[i];
    undecided = broken[i];
  }
  return undecided;
}

}  // namespace opgrade
