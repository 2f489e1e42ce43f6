#include "grader/course/documents/served_headers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"

namespace opgrade::documents {
namespace {

/// A document under this policy has no scripts, forms, requests or cookies of the site.
constexpr const char* kPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

/// The name for browsers that know only the older form of RFC 6266.
std::string plain_name(std::string_view name) {
  std::string plain(name);
  std::ranges::replace_if(
      plain, [](char c) { return !is_plain(c); }, '_');
  return plain;
}

/// The last part of a path, without what hides a file or looks like an option.
std::string file_name_in(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  name.remove_prefix(std::min(name.find_last_of("/\\") + 1, name.size()));
  name.remove_prefix(std::min(name.find_first_not_of(".- "), name.size()));
  const std::string shown = printable_line(name, kLongest);
  return shown.empty() ? "document" : shown;
}

}  // namespace

ServedHeaders download_headers(std::string_view name) {
  const std::string file = file_name_in(name);
  // The second form is RFC 8187's, for a name in UTF-8.
  return {"application/octet-stream",
          {{"Content-Disposition", fmt::format("attachment; filename=\"{}\"; filename*=UTF-8''{}",
                                               plain_name(file), encode_percent(file))},
           {"Content-Security-Policy", kPolicy},
           {"Cross-Origin-Resource-Policy", "same-origin"},
           {"X-Content-Type-Options", "nosniff"}}};
}

ServedHeaders picture_headers() {
  return {"image/png",
          {{"Content-Security-Policy", kPolicy},
           {"Cross-Origin-Resource-Policy", "same-origin"},
           {"X-Content-Type-Options", "nosniff"}}};
}

}  // namespace opgrade::documents
