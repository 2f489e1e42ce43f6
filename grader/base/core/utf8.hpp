/// UTF-8, the encoding of all text that opgrade reads and writes.
#pragma once

#include <string_view>

namespace opgrade {

/// Valid by RFC 3629: no overlong forms, no surrogates.
bool is_utf8(std::string_view bytes);

}  // namespace opgrade
