#include "grader/emulation/driver/prefix_map.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace opgrade::emulation {
namespace {

constexpr std::string_view kFlag = "-ffile-prefix-map=";

/// The path's begin in a line marker, `# 7 "path" 1`, else npos.
std::size_t path_in(std::string_view line) {
  const auto number = line.find_first_not_of("0123456789", 2);
  const bool is_marker = line.starts_with("# ") && number != line.npos && number > 2 &&
                         line.substr(number).starts_with(" \"");
  return is_marker ? number + 2 : line.npos;
}

}  // namespace

std::string with_mapped_paths(const std::string& text, const std::vector<std::string>& flags) {
  std::vector<std::pair<std::string_view, std::string_view>> maps;  // the last flag first
  for (const std::string_view flag : flags) {
    const auto equals = flag.find('=', kFlag.size());
    if (flag.starts_with(kFlag) && equals != flag.npos)
      maps.insert(maps.begin(),
                  {flag.substr(kFlag.size(), equals - kFlag.size()), flag.substr(equals + 1)});
  }
  if (maps.empty()) return text;
  std::string mapped;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end;
    if (const auto path = path_in(line); path != line.npos) {
      for (const auto& [from, to] : maps) {
        if (!line.substr(path).starts_with(from)) continue;
        mapped.append(line.substr(0, path)).append(to);
        line.remove_prefix(path + from.size());
        break;
      }
    }
    mapped += line;
  }
  return mapped;
}

}  // namespace opgrade::emulation
