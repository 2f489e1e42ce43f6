#include <algorithm>
#include <map>

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

struct KernelHead {
  std::size_t name = kNone;
  std::size_t open = kNone;  // of the parameters
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

/// The first argument of the brackets at `open`, with its place.
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

/// Of the declaration that holds the tokens from `begin` to `end`.
std::string launch_bound(const Source& source, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (source.tokens.is(i, "__launch_bounds__") && source.tokens.is(i + 1, "("))
      return first_argument(source, i + 1);
  return "";
}

/// The last values of a Kernel, if the source limits it.
std::string limits(const Source& source, std::size_t name, const std::string& bound) {
  const std::size_t shared = source.declared_shared(name);
  if (bound.empty() && shared == 0) return "";
  return ", " + (bound.empty() ? "1024" : "(int)(" + bound + ")") + ", " + std::to_string(shared);
}

/// The names of parameters by reference. A GPU follows the reference to where it leads on the host.
std::string references(const Cursor& tokens, const KernelHead& head) {
  std::string out;
  int depth = 0;
  for (std::size_t i = head.open + 1; i < head.close; ++i) {
    if (tokens.is(i, "(") || tokens.is(i, "<") || tokens.is(i, "[")) ++depth;
    if (tokens.is(i, ")") || tokens.is(i, ">") || tokens.is(i, "]")) --depth;
    const bool reference = depth == 0 && tokens.is(i, "&") && tokens.identifier(i + 1) &&
                           (tokens.is(i + 2, ",") || i + 2 == head.close);
    if (reference) out += ", &" + std::string(tokens[i + 1].text);
  }
  return out;
}

/// `&a, &b` for the parameters (float* a, int b); a null pointer for one that has no name.
std::string addresses(const Cursor& tokens, const KernelHead& head) {
  std::string out;
  std::size_t begin = head.open + 1;
  while (begin < head.close) {
    std::size_t end = begin;
    std::size_t name = kNone;
    int words = 0;
    bool named = false;
    for (; end < head.close && !tokens.is(end, ","); ++end) {
      const Token& t = tokens[end];
      if (t.is("...")) return "";
      if (t.is("=")) named = true;
      if (t.is("(") || t.is("[") || t.is("{")) end = tokens.close_of(end);
      if (t.is("<") && tokens.close_angle(end) != kNone && tokens.close_angle(end) < head.close)
        end = tokens.close_angle(end);
      if (end >= head.close) return "";
      if (!named && tokens.identifier(end)) {
        name = end;
        ++words;
      }
    }
    const bool has_name = name != kNone && words > 1 && !is_builtin_type(tokens[name]);
    const bool after_star =
        name != kNone && name > begin && (tokens.is(name - 1, "*") || tokens.is(name - 1, ">"));
    if (!out.empty()) out += ", ";
    const bool reference = name != kNone && name > begin && tokens.is(name - 1, "&");
    out +=
        (has_name || after_star) && !reference ? "&" + std::string(tokens[name].text) : "(char*)0";
    begin = end + 1;
  }
  return out;
}

/// A thread's own copies of its parameters: without them each use would look like an access to
/// memory, through the closure that holds them. `parameters` as from addresses().
std::string own_copies(const std::string& parameters) {
  std::string copies, names;
  for (std::size_t at = 0; (at = parameters.find('&', at)) != std::string::npos;) {
    const std::size_t end = std::min(parameters.find(',', at), parameters.size());
    const std::string name = parameters.substr(at + 1, end - at - 1);
    copies += " auto opgrade_own_" + name + " = " + name + ";";
    names += " auto " + name + " = opgrade_own_" + name + ";";
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
    const std::string parameters = addresses(tokens, head);
    const bool empty = head.close == head.open + 1 ||
                       (head.close == head.open + 2 && tokens.is(head.open + 1, "void"));
    source.edits.insert_after(
        head.body,
        " static ::opgrade_emulation::Kernel opgrade_kernel_{\"" +
            std::string(tokens[head.name].text) + "\", " + source.place(head.name) +
            limits(source, head.name, bound) + "};" +
            (empty || parameters.empty() ? std::string(" if (!opgrade_kernel_.begin())")
                                         : " if (!opgrade_kernel_.begin(" + parameters + "))") +
            " return; opgrade_kernel_.run([=" + references(tokens, head) +
            "] [[gnu::always_inline]] () mutable {" +
            (source.options.count
                 ? " ::opgrade_emulation::thread_begins();" + own_copies(parameters)
                 : ""));
    source.edits.insert_before(end, source.options.count ? "}});" : "});");
  }
}

}  // namespace opgrade::emulation
