#include <algorithm>

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
    out += has_name || after_star ? "&" + std::string(tokens[name].text) : "(char*)0";
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
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.is(i, "__global__")) continue;
    const KernelHead head = read_head(tokens, i);
    if (head.body == kNone) continue;
    const std::size_t end = tokens.close_of(head.body);
    if (end == kNone) continue;
    const std::string parameters = addresses(tokens, head);
    const bool empty = head.close == head.open + 1 ||
                       (head.close == head.open + 2 && tokens.is(head.open + 1, "void"));
    source.edits.insert_after(
        head.body,
        " static ::opgrade_emulation::Kernel opgrade_kernel_{\"" +
            std::string(tokens[head.name].text) + "\", " + source.place(head.name) + "};" +
            (empty || parameters.empty() ? std::string(" if (!opgrade_kernel_.begin())")
                                         : " if (!opgrade_kernel_.begin(" + parameters + "))") +
            " return; opgrade_kernel_.run([=] [[gnu::always_inline]] () mutable {" +
            (source.options.count
                 ? " ::opgrade_emulation::thread_begins();" + own_copies(parameters)
                 : ""));
    source.edits.insert_before(end, source.options.count ? "}});" : "});");
  }
}

}  // namespace opgrade::emulation
