#include "grader/platform/sandbox/path_mapping.hpp"

#include <algorithm>

namespace opgrade {
namespace {

namespace fs = std::filesystem;

bool ends_list_item(char c) { return c == '=' || c == ':' || c == ','; }

/// True if a path may begin where `item`, the text since the last separator, ends.
bool path_may_follow(const std::string& item) {
  return item.empty() || (item.size() == 2 && item[0] == '-');
}

}  // namespace

PathMapping::PathMapping(const std::vector<Mount>& mounts, const fs::path& scratch) {
  for (const Mount& mount : mounts)
    places_.emplace_back(mount.inside.string(), mount.host.string());
  places_.emplace_back("/tmp", scratch.string());
  std::stable_sort(places_.begin(), places_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

std::string PathMapping::host_path(const std::string& path) const {
  for (const auto& [inside, host] : places_) {
    if (path.starts_with(inside) && (path.size() == inside.size() || path[inside.size()] == '/'))
      return host + path.substr(inside.size());
  }
  // A folder into which libraries are mounted one by one, as in the loader's search path.
  std::vector<std::string> folders;
  for (const auto& [inside, host] : places_) {
    const std::string folder = fs::path(host).parent_path();
    if (fs::path(inside).parent_path() == path && !std::ranges::count(folders, folder) &&
        path != "/") {
      folders.push_back(folder);
    }
  }
  std::string list;
  for (const auto& folder : folders) list += (list.empty() ? "" : ":") + folder;
  return list.empty() ? path : list;
}

std::string PathMapping::to_host(const std::string& text) const {
  std::string result, item;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '/' && path_may_follow(item)) {
      const auto end =
          std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), ends_list_item);
      const std::string path(text.begin() + static_cast<std::ptrdiff_t>(at), end);
      result += host_path(path);
      item = path;
      at += path.size();
    } else {
      item = ends_list_item(text[at]) ? "" : item + text[at];
      result += text[at++];
    }
  }
  return result;
}

std::string PathMapping::to_policy(std::string text) const {
  for (const auto& [inside, host] : places_) {
    if (inside == host) continue;
    for (auto at = text.find(host); at != text.npos; at = text.find(host, at + inside.size()))
      text.replace(at, host.size(), inside);
  }
  return text;
}

}  // namespace opgrade
