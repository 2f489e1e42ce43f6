#include "grader/course/documents/named_pictures.hpp"

#include <algorithm>

#include "grader/base/core/percent.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/course/documents/document.hpp"

namespace opgrade::documents {
namespace {

std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// The length of ".png", ".jpg" or ".jpeg" at the start of a text; 0 if the text starts otherwise.
std::size_t picture_ending(std::string_view text) {
  constexpr std::size_t kLongest = 5;
  const std::string start = lowercase(text.substr(0, kLongest));
  if (start == ".jpeg") return kLongest;
  return start.starts_with(".png") || start.starts_with(".jpg") ? kLongest - 1 : 0;
}

/// The path in the hand-in that a destination names.
std::string own_path(std::string_view destination) {
  while (destination.starts_with("./")) destination.remove_prefix(2);
  return decode_percent(destination, false);
}

}  // namespace

std::set<std::string> picture_names_in(std::string_view markdown) {
  constexpr std::string_view kBefore = " \t()[]\"'`|", kFirst = "/<\n";
  constexpr std::size_t kLongest = 100;  // bytes of a document's name
  constexpr int kMost = 2000;            // a text that has more is no report
  std::set<std::string> names;
  int found = 0;
  for (auto dot = markdown.find('.'); dot != markdown.npos && found < kMost;
       dot = markdown.find('.', dot + 1)) {
    const std::size_t size = picture_ending(markdown.substr(dot));
    if (size == 0) continue;
    ++found;
    const std::size_t end = dot + size;
    for (std::size_t at = dot; end - at <= kLongest; --at) {
      const char before = at == 0 ? '\n' : markdown[at - 1];
      const bool is_first = kFirst.find(before) != kFirst.npos;
      if (is_first || kBefore.find(before) != kBefore.npos) {
        names.emplace(markdown.substr(at, end - at));
        names.insert(decode_percent(markdown.substr(at, end - at), false));
      }
      if (is_first) break;
    }
  }
  return names;
}

std::vector<std::string> paths_in(std::string_view markdown) {
  constexpr std::string_view kAround = " \t\r\n()<>[]\"'`|";
  std::vector<std::string> paths;
  while (!markdown.empty()) {
    markdown.remove_prefix(std::min(markdown.find_first_not_of(kAround), markdown.size()));
    const std::string_view word = markdown.substr(0, markdown.find_first_of(kAround));
    markdown.remove_prefix(word.size());
    const auto kind = kind_of_name(word);
    if ((kind != DocumentKind::png && kind != DocumentKind::jpeg) || is_elsewhere(word)) continue;
    const std::string path = own_path(word);
    const auto parts = split(path, '/');
    if (std::ranges::all_of(parts, is_document_name) &&
        std::ranges::find(paths, path) == paths.end())
      paths.push_back(path);
  }
  return paths;
}

bool is_elsewhere(std::string_view destination) {
  const auto end = destination.find_first_of(":/?#\\");
  return destination.starts_with('/') || destination.starts_with('\\') ||
         (end != destination.npos && destination[end] == ':');
}

const NamedPicture* find_picture(std::span<const NamedPicture> pictures,
                                 std::string_view destination) {
  if (is_elsewhere(destination)) return nullptr;
  const std::string path = own_path(destination);
  if (const auto exact = std::ranges::find(pictures, path, &NamedPicture::path);
      exact != pictures.end())
    return &*exact;
  const NamedPicture* found = nullptr;
  for (const NamedPicture& picture : pictures) {
    if (last_part(picture.path) != last_part(path)) continue;
    if (found != nullptr) return nullptr;
    found = &picture;
  }
  return found;
}

}  // namespace opgrade::documents
