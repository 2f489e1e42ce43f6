#include <algorithm>
#include <map>
#include <optional>

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

struct KernelHead {
  std::size_t name = kNone;
  std::size_t open = kNone;  // bracket of the parameters
  std::size_t close = kNone;
  std::size_t body = kNone;  // the `{`; kNone for a declaration
};

bool takes_group(const Token& t) {
  return among(t, {"__launch_bounds__", "__attribute__", "alignas", "__align__", "decltype",
                   "noexcept", "__maxnreg__", "__cluster_dims__"});
}

KernelHead read_head(const Cursor& tokens, std::size_t global) {
  KernelHead head;
  for (std::size_t i = global + 1; i < tokens.size(); ++i) {
    const Token& t = tokens[i];
    if (t.is(";") || t.is("}")) return head;
    if (t.is("{")) {
      if (head.open != kNone) head.body = i;
      return head;
    }
    if (t.is("<") && tokens.identifier(i - 1)) {
      const std::size_t close = tokens.close_angle(i);
      if (close == kNone) return head;
      if (tokens.is(close + 1, "(")) head.name = i - 1;  // k<float>(...), a specialisation
      i = close;
    }
    if (!t.is("(")) continue;
    const std::size_t close = tokens.close_of(i);
    if (close == kNone) return head;
    if (head.open == kNone && !takes_group(tokens[i - 1])) {
      if (head.name == kNone || !tokens.is(i - 1, ">")) head.name = i - 1;
      head.open = i;
      head.close = close;
    }
    i = close;
  }
  return head;
}

/// The first argument of the brackets at `open`, with its place in the source.
std::string first_argument(const Source& source, std::size_t open) {
  const Cursor& tokens = source.tokens;
  const std::size_t close = tokens.close_of(open);
  for (std::size_t i = open + 1; i <= close && close != kNone; ++i) {
    if (i > open + 1 && (i == close || tokens.is(i, ",")))
      return source.edits.quote(open + 1, i - 1);
    if (tokens.is(i, "(") || tokens.is(i, "[") || tokens.is(i, "{")) i = tokens.close_of(i);
  }
  return "";
}

/// The __launch_bounds__ of the declaration that holds the tokens from `begin` to `end`.
std::string launch_bound(const Source& source, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (source.tokens.is(i, "__launch_bounds__") && source.tokens.is(i + 1, "("))
      return first_argument(source, i + 1);
  return "";
}

/// The last initialisers of a Kernel, if the source has limits for it.
std::string limits(const Source& source, std::size_t name, const std::string& bound) {
  const std::size_t shared = source.declared_shared(name);
  if (bound.empty() && shared == 0) return "";
  return ", " + (bound.empty() ? "1024" : "(int)(" + bound + ")") + ", " + std::to_string(shared);
}

struct Parameter {
  std::size_t name = kNone;  ///< kNone if the parameter has no name, or is not understood
  bool is_pack = false;
  bool is_reference = false;
  bool has_virtual_functions = false;
};

/// The parameter of tokens [begin, end) by the front end's facts; nullopt if they lack it.
std::optional<Parameter> known_parameter(const Source& source, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (!source.tokens.identifier(i)) continue;
    const auto found = source.options.facts.parameters.find(source.name_place(i));
    if (found != source.options.facts.parameters.end())
      return Parameter{
          .name = i,
          .is_reference = found->second == Facts::Parameter::reference,
          .has_virtual_functions = found->second == Facts::Parameter::has_virtual_functions};
  }
  return std::nullopt;
}

/// True for a word next to the type that is neither the type's name nor the parameter's.
bool is_word_of_type(const Token& t) {
  return among(t, {"const", "volatile", "struct", "class", "union", "enum", "typename",
                   "__restrict__", "__restrict", "__grid_constant__"});
}

/// Guesses the parameter from its tokens alone.
Parameter guessed_parameter(const Cursor& tokens, std::size_t begin, std::size_t end) {
  Parameter parameter;
  int words = 0;
  for (std::size_t i = begin; i < end && !tokens.is(i, "="); ++i) {
    const Token& t = tokens[i];
    if (among(t, {"(", "[", "{"})) i = tokens.close_of(i);
    if (t.is("<") && tokens.close_angle(i) < end) i = tokens.close_angle(i);
    if (!tokens.identifier(i) || is_word_of_type(tokens[i])) continue;
    parameter.name = i;
    ++words;
  }
  const std::size_t name = parameter.name;
  if (name == kNone || name == begin || tokens.is(name - 1, "::")) return {};
  parameter.is_reference = tokens.is(name - 1, "&");
  const bool is_named = words > 1 && !is_builtin_type(tokens[name]);
  const bool follows_type = among(tokens[name - 1], {"*", ">", "&"});
  return is_named || follows_type ? parameter : Parameter{};
}

struct Parameters {
  std::vector<Parameter> all;
  bool has_pack = false;
};

Parameters read_parameters(const Source& source, const KernelHead& head) {
  const Cursor& tokens = source.tokens;
  Parameters parameters;
  for (std::size_t begin = head.open + 1; begin < head.close;) {
    std::size_t end = begin;
    bool has_dots = false;
    for (; end < head.close && !tokens.is(end, ","); ++end) {
      if (tokens.is(end, "...")) has_dots = true;
      if (among(tokens[end], {"(", "[", "{"})) end = tokens.close_of(end);
      if (tokens.is(end, "<") && tokens.close_angle(end) < head.close)
        end = tokens.close_angle(end);
    }
    if (end > head.close) return {{}, true};
    Parameter parameter =
        known_parameter(source, begin, end).value_or(guessed_parameter(tokens, begin, end));
    // In `int (&... a)[N]` the dots are inside the parentheses.
    parameter.is_pack =
        has_dots || (parameter.name != kNone && tokens.is(parameter.name - 1, "..."));
    parameters.has_pack = parameters.has_pack || parameter.is_pack;
    parameters.all.push_back(parameter);
    begin = end + 1;
  }
  return parameters;
}

/// The names of parameters that are references. A GPU follows such a reference to the host's
/// memory.
std::string references(const Cursor& tokens, const Parameters& parameters) {
  std::string out;
  for (const Parameter& parameter : parameters.all)
    if (parameter.is_reference)
      out += ", &" + std::string(tokens[parameter.name].text) + (parameter.is_pack ? "..." : "");
  return out;
}

/// `&a, &b` for the parameters (float* a, int b); a null pointer for one that has no name.
std::string addresses(const Cursor& tokens, const Parameters& parameters) {
  std::string out;
  if (parameters.has_pack) return out;
  for (const Parameter& parameter : parameters.all) {
    const bool has_address = parameter.name != kNone && !parameter.is_reference;
    if (!out.empty()) out += ", ";
    out += has_address ? "&" + std::string(tokens[parameter.name].text) : "(char*)0";
  }
  return out;
}

/// Statements that hide from the compiler which class's functions the parameters have, because a
/// GPU does not know that either.
std::string hidden_types(const Cursor& tokens, const Parameters& parameters) {
  std::string out;
  for (const Parameter& parameter : parameters.all)
    if (parameter.has_virtual_functions && !parameter.is_pack)
      out += " asm volatile(\"\" : : \"r\"(&" + std::string(tokens[parameter.name].text) +
             ") : \"memory\");";
  return out;
}

/// Makes a thread's own copies of its parameters. Otherwise each use would look like a memory
/// access through the closure that holds them. `parameters` is the result of addresses().
std::string own_copies(const std::string& parameters) {
  std::string copies, names;
  for (std::size_t at = 0; (at = parameters.find('&', at)) != std::string::npos;) {
    const std::size_t end = std::min(parameters.find(',', at), parameters.size());
    const std::string name = parameters.substr(at + 1, end - at - 1);
    const std::string type = " typename ::opgrade_emulation::Own<decltype(" + name + ")>::type ";
    copies += type + "opgrade_own_" + name + " = " + name + ";";
    names += type + name + " = opgrade_own_" + name + ";";
    at = end;
  }
  return copies + " {" + names;
}

}  // namespace

void rewrite_kernels(Source& source) {
  const Cursor& tokens = source.tokens;
  std::map<std::string_view, std::string> bounds;  // of kernels that are declared before
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.is(i, "__global__")) continue;
    const KernelHead head = read_head(tokens, i);
    if (head.name == kNone) continue;
    std::string bound =
        launch_bound(source, source.scopes.statement[i], tokens.close_of(head.open) + 1);
    if (bound.empty()) bound = bounds[tokens[head.name].text];
    bounds[tokens[head.name].text] = bound;
    if (head.body == kNone) continue;
    const std::size_t end = tokens.close_of(head.body);
    if (end == kNone) continue;
    const Parameters read = read_parameters(source, head);
    const std::string parameters = addresses(tokens, read);
    const bool empty = head.close == head.open + 1 ||
                       (head.close == head.open + 2 && tokens.is(head.open + 1, "void"));
    source.edits.insert_after(
        head.body,
        " static ::opgrade_emulation::Kernel opgrade_kernel_{\"" +
            std::string(tokens[head.name].text) + "\", " + source.place(head.name) +
            limits(source, head.name, bound) + "};" +
            (empty || parameters.empty() ? std::string(" if (!opgrade_kernel_.begin())")
                                         : " if (!opgrade_kernel_.begin(" + parameters + "))") +
            " return; opgrade_kernel_.run([=" + references(tokens, read) +
            (source.options.for_clang ? "]() __attribute__((always_inline)) mutable {"
                                      : "] [[gnu::always_inline]] () mutable {") +
            (source.options.count
                 ? " ::opgrade_emulation::thread_begins();" + own_copies(parameters)
                 : hidden_types(tokens, read)));
    source.edits.insert_before(end, source.options.count ? "}});" : "});");
  }
}

}  // namespace opgrade::emulation
