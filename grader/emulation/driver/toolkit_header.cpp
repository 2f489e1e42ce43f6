#include "grader/emulation/driver/toolkit_header.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace opgrade::emulation {
namespace {

/// # 12 "/usr/include/curand.h" 1 3
struct LineMarker {
  int line = 0;
  std::string_view file;
  bool enters = false, returns = false, of_system = false;
};

std::optional<LineMarker> line_marker(std::string_view text) {
  if (!text.starts_with("# ")) return std::nullopt;
  text.remove_prefix(2);
  LineMarker marker;
  const auto number = std::from_chars(text.data(), text.data() + text.size(), marker.line);
  if (number.ec != std::errc{}) return std::nullopt;
  const std::size_t open = text.find('"'), close = text.rfind('"');
  if (open == text.npos || close <= open) return std::nullopt;
  marker.file = text.substr(open + 1, close - open - 1);
  const std::string_view flags = text.substr(close + 1);
  marker.enters = flags.find('1') != flags.npos;
  marker.returns = flags.find('2') != flags.npos;
  marker.of_system = flags.find('3') != flags.npos;
  return marker;
}

/// The name by which a source includes the file: "thrust/complex.h" for
/// "/usr/include/thrust/complex.h".
/// "/usr/include/thrust/complex.h".
std::string_view name_of_header(std::string_view file) {
  constexpr std::string_view kFolder = "/include/";
  const std::size_t folder = file.rfind(kFolder);
  return folder == file.npos ? std::string_view() : file.substr(folder + kFolder.size());
}

}  // namespace

std::optional<MissingFeature> find_toolkit_header(std::string_view preprocessed,
                                                  std::string_view own_headers) {
  std::string missing;
  for (std::size_t begin = 0; begin < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', begin), preprocessed.size());
    const auto marker = line_marker(preprocessed.substr(begin, end - begin));
    begin = end + 1;
    if (!marker) continue;
    if (missing.empty() && marker->enters && marker->of_system &&
        !marker->file.starts_with(own_headers)) {
      const std::string_view header = name_of_header(marker->file);
      if (const std::string_view feature = feature_of_header(header); !feature.empty())
        missing.append(feature).append(" (").append(header).append(")");
    }
    // The marker names the line behind the #include, back in the submission's file.
    if (!missing.empty() && marker->returns && !marker->of_system)
      return MissingFeature{std::string(marker->file), marker->line - 1, missing};
  }
  return std::nullopt;
}

}  // namespace opgrade::emulation
