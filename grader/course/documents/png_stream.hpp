/// The pictures that a renderer wrote one behind the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opgrade::documents {

/// The complete PNG files at the start of `bytes`. The list ends before the first file whose longer
/// side has more than `side` pixels by its header. The check is needed because a document may have
/// taken over the renderer, and a browser decodes what the renderer wrote.
std::vector<std::string> split_pngs(std::string_view bytes, int side);

}  // namespace opgrade::documents
