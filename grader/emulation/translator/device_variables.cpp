#include "grader/emulation/translator/declaration.hpp"
#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {

void rewrite_device_variables(Source& source) {
  const Cursor& tokens = source.tokens;
  std::size_t done_until = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool constant = tokens.is(i, "__constant__");
    const bool managed = tokens.is(i, "__managed__");
    if (i < done_until || !(constant || managed || tokens.is(i, "__device__"))) continue;
    if (source.scopes.scope[i] != Scope::name_space) continue;
    const std::size_t begin = source.scopes.statement[i];
    const std::size_t end = tokens.statement_end(i);
    if (end == kNone) continue;
    const Declaration declaration = read_declaration(tokens, begin, end);
    if (declaration.is_function || declaration.names.empty() || declaration.is_template) continue;
    done_until = end;
    bool is_constant = constant;
    bool is_managed = managed;
    for (std::size_t k = begin; k < end; ++k) {
      is_constant = is_constant || tokens.is(k, "__constant__");
      is_managed = is_managed || tokens.is(k, "__managed__");
    }
    if (declaration.external) continue;  // registered where it is defined
    // As under nvcc without -rdc, every file has its own variable of that name.
    if (!declaration.is_static) source.edits.insert_before(begin, "static ");
    std::string registrations;
    for (const std::size_t name : declaration.names) {
      const std::string id(tokens[name].text);
      registrations += " static ::opgrade_emulation::Symbol opgrade_symbol_" + id +
                       "{(const void*)&" + id + ", sizeof(" + id + "), \"" + id +
                       "\", ::opgrade_emulation::SymbolKind::" +
                       (is_constant  ? "constant"
                        : is_managed ? "managed"
                                     : "device") +
                       ", \"" + source.lexed.files.front() + "\", " + source.place(name) + "};";
      if (source.options.check)
        registrations += " static char opgrade_gap_" + id + "[64] __attribute__((used));";
    }
    source.edits.insert_after(end, registrations);
  }
}

}  // namespace opgrade::emulation
