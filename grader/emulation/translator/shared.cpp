#include <map>
#include <set>

#include "grader/emulation/translator/declaration.hpp"
#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

/// typedef T opgrade_t_s[16][16]; opgrade_t_s& s = <the block's storage>;
std::string as_references(const Source& source, const Declaration& declaration, bool external) {
  std::string out = " typedef " + declaration.with_names("opgrade_t_") + ";";
  for (const std::size_t name : declaration.names) {
    const std::string id(source.tokens[name].text);
    const std::string type = "opgrade_t_" + id;
    if (external) {
      out += " " + type + "& " + id + " = *(" + type + "*)::opgrade_emulation::dynamic_shared();";
    } else {
      const std::string slot = "opgrade_s_" + id;
      out += " static ::opgrade_emulation::SharedSlot " + slot + "{\"" + id + "\", " +
             source.place(name) + ", sizeof(" + type + "), alignof(" + type + ")}; " + type + "& " +
             id + " = *(" + type + "*)" + slot + ".address();";
    }
  }
  return out;
}

}  // namespace

void rewrite_shared(Source& source) {
  const Cursor& tokens = source.tokens;
  std::map<std::string, std::string> at_file_scope;  // name -> local declaration
  std::set<std::pair<std::string, std::size_t>> inserted;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool in_function = source.scopes.scope[i] == Scope::function;
    if (in_function && tokens.identifier(i) && !at_file_scope.empty()) {
      const auto known = at_file_scope.find(std::string(tokens[i].text));
      const bool member =
          i > 0 && (tokens.is(i - 1, ".") || tokens.is(i - 1, "->") || tokens.is(i - 1, "::"));
      const std::size_t body = source.scopes.body[i];
      if (known != at_file_scope.end() && !member && inserted.insert({known->first, body}).second)
        source.edits.late_insert_after(body, known->second);
    }
    if (!tokens.is(i, "__shared__")) continue;
    const std::size_t begin = in_function ? tokens.statement_begin(i) : source.scopes.statement[i];
    const std::size_t end = tokens.statement_end(i);
    if (end == kNone) continue;
    const Declaration declaration = read_declaration(tokens, begin, end);
    if (declaration.names.empty()) {
      source.remark(Remark::Kind::not_emulated, i, "this __shared__ declaration");
      continue;
    }
    std::string local = as_references(source, declaration, declaration.external);
    if (in_function) {
      source.edits.replace(begin, end, std::move(local));
    } else {
      for (const std::size_t name : declaration.names)
        at_file_scope[std::string(tokens[name].text)] = local;
      source.edits.blank(begin, end);
    }
    i = end;
  }
}

}  // namespace opgrade::emulation
