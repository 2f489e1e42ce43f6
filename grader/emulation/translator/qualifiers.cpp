#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

/// The characters of a literal; "\n" and "\t" become separators like blanks.
std::string content(std::string_view literal) {
  std::string out;
  if (literal.size() < 2 || literal.front() != '"') return out;  // raw literals are not understood
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    out += literal[i] == '\\' ? ' ' : literal[i];
    if (literal[i] == '\\') ++i;
  }
  return out;
}

struct Asm {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> operands;  ///< tokens of %0, %1, ...
};

/// "..." "..." : [name] "=f"(x), ... : ... : clobbers
std::optional<Asm> read_asm(const Cursor& tokens, std::size_t open, std::size_t close) {
  Asm result;
  std::size_t i = open + 1;
  for (; i < close && tokens[i].kind == TokenKind::literal; ++i) {
    if (!tokens[i].text.starts_with('"')) return std::nullopt;
    result.text += content(tokens[i].text);
  }
  int section = 0;  // 1: outputs, 2: inputs, 3: clobbers
  for (; i < close; ++i) {
    if (tokens.is(i, ":")) {
      ++section;
    } else if (tokens.is(i, "::")) {
      section += 2;
    } else if (tokens.is(i, "(") && section < 3) {
      const std::size_t end = tokens.close_of(i);
      if (end == kNone || end == i + 1) return std::nullopt;
      result.operands.emplace_back(i + 1, end - 1);
      i = end;
    } else if (tokens.is(i, "[")) {
      return std::nullopt;  // named operands are not understood
    }
  }
  return result;
}

/// Pieces of `text` between any of `separators`, without blanks and brackets at their ends.
std::vector<std::string> split(const std::string& text, std::string_view separators) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    if (separators.find(c) != separators.npos) {
      pieces.emplace_back();
    } else if (std::string_view("{}[]").find(c) == std::string_view::npos) {
      pieces.back() += c;
    }
  }
  for (std::string& piece : pieces) {
    while (!piece.empty() && std::isspace(static_cast<unsigned char>(piece.back())) != 0)
      piece.pop_back();
    const auto first = piece.find_first_not_of(" \t");
    piece.erase(0, std::min(first, piece.size()));
  }
  return pieces;
}

struct Instruction {
  std::string_view name;
  std::string_view function;
  std::size_t operands;
};

/// The first entry that fits counts, because some differ only in the number of operands. Cache
/// hints of cp.async have no effect here.
constexpr Instruction kInstructions[] = {
    {"cp.async.ca.shared.global", "cp_async", 3},
    {"cp.async.ca.shared.global", "cp_async", 4},
    {"cp.async.cg.shared.global", "cp_async", 3},
    {"cp.async.cg.shared.global", "cp_async", 4},
    {"cp.async.ca.shared.global.L2::128B", "cp_async", 3},
    {"cp.async.cg.shared.global.L2::128B", "cp_async", 3},
    {"cp.async.cg.shared.global.L2::128B", "cp_async", 4},
    {"cp.async.commit_group", "cp_async_commit", 0},
    {"cp.async.wait_group", "cp_async_wait", 1},
    {"cp.async.wait_all", "cp_async_wait_all", 0},
    {"cvt.rna.tf32.f32", "to_tf32", 2},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16", "load_matrices", 2},
    {"ldmatrix.sync.aligned.m8n8.x2.shared.b16", "load_matrices", 3},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", "load_matrices", 5},
    {"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "load_transposed", 2},
    {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "load_transposed", 3},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "load_transposed", 5},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "mma_m16n8k4_tf32", 11},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "mma_m16n8k8_tf32", 14},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "mma_m16n8k8_f16", 11},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma_m16n8k16_f16", 14},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "mma_m16n8k16_bf16", 14},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "mma_m16n8k16_half", 10},
};

/// The calls of stand-in functions for `asm(...)`, whose brackets are at `open` and `close`;
/// nullopt if one of its instructions is not emulated.
std::optional<std::string> emulated_ptx(const Source& source, std::size_t open, std::size_t close) {
  const auto read = read_asm(source.tokens, open, close);
  if (!read) return std::nullopt;
  std::string calls;
  for (const std::string& statement : split(read->text, ";")) {
    if (statement.empty()) continue;
    const auto blank = std::min(statement.find_first_of(" \t"), statement.size());
    const std::string name = statement.substr(0, blank);
    std::vector<std::string> operands = split(statement.substr(blank), ",");
    if (operands.size() == 1 && operands[0].empty()) operands.clear();
    const auto known = std::ranges::find_if(kInstructions, [&](const Instruction& i) {
      return i.name == name && i.operands == operands.size();
    });
    if (known == std::end(kInstructions)) return std::nullopt;
    std::string arguments;
    for (const std::string& operand : operands) {
      if (operand.empty()) return std::nullopt;
      const bool reference = operand[0] == '%';
      const std::string digits = operand.substr(reference ? 1 : 0);
      if (digits.empty() || digits.size() > 4 ||
          !std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; }))
        return std::nullopt;
      if (!arguments.empty()) arguments += ", ";
      if (!reference) {
        arguments += digits;
        continue;
      }
      const auto number = static_cast<std::size_t>(std::stoi(digits));
      if (number >= read->operands.size()) return std::nullopt;
      const auto [first, last] = read->operands[number];
      arguments += "(" + source.edits.quote(first, last) + ")";
    }
    calls += (calls.empty() ? "" : ", ") + std::string("::opgrade_emulation::ptx::") +
             std::string(known->function) + "(" + arguments + ")";
  }
  return calls.empty() ? std::nullopt : std::optional("(" + calls + ")");
}

bool statement_has_inline(const Source& source, std::size_t i) {
  for (std::size_t k = source.scopes.statement[i]; k < source.tokens.size(); ++k) {
    if (among(source.tokens[k], {"inline", "__inline__", "__inline"})) return true;
    if (k < i && source.tokens.is(k, "__forceinline__")) return true;
    if (among(source.tokens[k], {"(", ";", "{"})) break;
  }
  return false;
}

/// True for a compiler barrier: it has no instruction, whatever its operands are.
bool is_empty_asm(const Cursor& tokens, std::size_t open) {
  return tokens.is(open + 1, "\"\"") &&
         (tokens.is(open + 2, ":") || tokens.is(open + 2, "::") || tokens.is(open + 2, ")"));
}

/// asm volatile("..." : ..); -> a call that stops the kernel when it gets there.
std::size_t rewrite_asm(Source& source, std::size_t i) {
  const Cursor& tokens = source.tokens;
  std::size_t open = i + 1;
  while (among(tokens[open], {"volatile", "__volatile__", "__volatile", "inline", "goto"})) ++open;
  const std::size_t close = tokens.is(open, "(") ? tokens.close_of(open) : kNone;
  if (close == kNone || source.scopes.scope[i] != Scope::function) return i;
  if (is_empty_asm(tokens, open)) {
    source.edits.replace(i, close, "asm volatile(\"\" ::: \"memory\")");
    return close;
  }
  if (auto calls = emulated_ptx(source, open, close)) {
    source.edits.replace(i, close, *std::move(calls));
    return close;
  }
  source.remark(Remark::Kind::warning, i,
                "not emulated: inline PTX at line " + std::to_string(tokens[i].line) +
                    "; the kernel stops if it gets here");
  source.edits.replace(i, close, "::opgrade_emulation::inline_ptx(" + source.place(i) + ")");
  return close;
}

}  // namespace

void rewrite_words(Source& source) {
  const Cursor& tokens = source.tokens;
  Edits& edits = source.edits;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.identifier(i)) continue;
    const Token& t = tokens[i];
    if (among(t, {"asm", "__asm__", "__asm"})) {
      i = rewrite_asm(source, i);
      continue;
    }
    if (!t.text.starts_with("__")) continue;
    const bool in_attribute = i > 0 && (tokens.is(i - 1, "(") || tokens.is(i - 1, ","));
    if (among(t,
              {"__host__", "__device__", "__global__", "__shared__", "__constant__", "__managed__",
               "__grid_constant__", "__device_builtin__", "__cudart_builtin__"})) {
      edits.blank(i, i);
    } else if (among(t,
                     {"__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__block_size__"}) &&
               tokens.is(i + 1, "(") && tokens.close_of(i + 1) != kNone) {
      edits.blank(i, tokens.close_of(i + 1));
      i = tokens.close_of(i + 1);
    } else if (t.is("__forceinline__")) {
      edits.replace(i, i,
                    statement_has_inline(source, i) ? "__attribute__((always_inline))"
                                                    : "inline __attribute__((always_inline))");
    } else if (t.is("__noinline__") && !in_attribute) {
      edits.replace(i, i, "__attribute__((noinline))");
    } else if (among(t, {"__align__", "__builtin_align__"}) && tokens.is(i + 1, "(") &&
               tokens.close_of(i + 1) != kNone) {
      edits.replace(i, i, "__attribute__((aligned");
      edits.insert_after(tokens.close_of(i + 1), "))");
    }
  }
}

}  // namespace opgrade::emulation
