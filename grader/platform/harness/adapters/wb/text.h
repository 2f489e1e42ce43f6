/* Values as text, and what C strings lack. */
#pragma once

#include <ctype.h>
#include <string.h>

#include <sstream>
#include <string>
#include <vector>

#include "types.h"

inline std::string wbString_quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}
inline std::string wbString_quote(const char* text) {
  return wbString_quote(std::string(text == nullptr ? "" : text));
}

namespace wb {

template <class T>
void append(std::ostream& out, const T& value) {
  out << value;
}
inline void append(std::ostream& out, bool value) { out << (value ? "True" : "False"); }
inline void append_item(std::ostream& out, const std::string& item) { out << wbString_quote(item); }
template <class T>
void append_item(std::ostream& out, const T& item) {
  append(out, item);
}
template <class T>
void append(std::ostream& out, const std::vector<T>& values) {
  out << "{";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out << ", ";
    append_item(out, values[i]);
  }
  out << "}";
}

}  // namespace wb

/// Returns all values in one text, without separators.
template <class... Values>
std::string wbString(const Values&... values) {
  std::stringstream out;
  const int each[] = {0, (wb::append(out, values), 0)...};
  (void)each;
  return out.str();
}

inline void wbString_replace(std::string& value, const std::string& search,
                             const std::string& replacement) {
  for (size_t at = 0; !search.empty() && (at = value.find(search, at)) != std::string::npos;
       at += replacement.size())
    value.replace(at, search.size(), replacement);
}
inline char* wbString_duplicate(const char* text) {
  return text == nullptr ? nullptr : strdup(text);
}
inline char* wbString_duplicate(const std::string& text) { return strdup(text.c_str()); }
template <class X, class Y>
wbBool wbString_sameQ(const X& x, const Y& y) {
  return std::string(x) == y;
}
inline char* wbString_toLower(const char* text) {
  char* const lower = wbString_duplicate(text);
  for (char* c = lower; c != nullptr && *c != '\0'; ++c)
    *c = static_cast<char>(tolower(static_cast<unsigned char>(*c)));
  return lower;
}
inline wbBool wbString_startsWith(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}
