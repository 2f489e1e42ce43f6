/// The pictures that a renderer wrote one behind the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opgrade::documents {

/// The whole PNG files at the start of `bytes`, as far as each has a header of at most `side`
/// pixels on its longer side. A renderer that a document has taken over writes what it likes, and a
/// browser decodes it.
std::vector<std::string> split_pngs(std::string_view bytes, int side);

}  // namespace opgrade::documents
