#include "grader/report/words/xml_text.hpp"

#include <cstddef>

namespace opgrade::report {

std::string xml_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool allowed_control = c == '\n' || c == '\t' || c == '\r';
    const auto rest = text.substr(i, 3);
    if (rest == "\xEF\xBF\xBE" || rest == "\xEF\xBF\xBF") {
      out += "\xEF\xBF\xBD";
      i += 2;
    } else {
      out += c < 0x20 && !allowed_control ? '?' : text[i];
    }
  }
  return out;
}

}  // namespace opgrade::report
