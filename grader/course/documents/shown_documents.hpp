/// Stores rendered documents on disk, by the SHA-256 of their bytes. The caller owns the folder.
///
/// Equal bytes are rendered once, even if two students hand them in, because the pictures depend on
/// the bytes alone. Each document has a folder, which appears only when it is complete. The folder
/// of all documents can be removed at any time; then they are rendered again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/documents/render.hpp"

namespace opgrade::documents {

struct ShownDocument {
  std::vector<std::filesystem::path> pages;  ///< PNG files
  std::string markdown;                      ///< RenderedDocument::markdown
  RenderEnd end;
};

/// The stored pictures of a document; nullopt if it was not rendered yet. A request can afford this
/// call.
std::optional<ShownDocument> find_shown(const std::filesystem::path& folder,
                                        const std::string& sha256);

/// Stores a rendered document, unless the machine lacked a program. Several processes may call this
/// at once. Throws Error if the disk fails.
void keep_shown(const std::filesystem::path& folder, const std::string& sha256,
                const RenderedDocument& rendered);

/// Removes the documents that were rendered first until the others have at most `bytes`. They are
/// rendered again when a person opens them.
void keep_within(const std::filesystem::path& folder, std::uintmax_t bytes);

}  // namespace opgrade::documents
