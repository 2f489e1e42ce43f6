/// Text for XML and HTML documents. Escaping is left to the library that writes the document.
#pragma once

#include <string>
#include <string_view>

namespace opgrade::report {

/// Removes the characters that XML 1.0 forbids even when escaped (section 2.2): control characters
/// except for tab and line ends, U+FFFE and U+FFFF. `text` is UTF-8.
std::string xml_text(std::string_view text);

}  // namespace opgrade::report
