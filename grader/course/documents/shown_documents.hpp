/// Rendered documents on disk, by the SHA-256 of their bytes: the caller owns the folder.
///
/// Equal bytes are rendered once, also those of two students: what is kept depends on them alone.
/// Each document has a folder, which appears whole. The folder can be removed at any time; then
/// documents are rendered again.
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

/// What is kept of a document; nothing if it was not rendered yet. Cheap enough for a request.
std::optional<ShownDocument> find_shown(const std::filesystem::path& folder,
                                        const std::string& sha256);

/// Keeps a rendered document, unless the machine lacked a program. Several processes may do so at
/// once. Throws Error when the disk fails.
void keep_shown(const std::filesystem::path& folder, const std::string& sha256,
                const RenderedDocument& rendered);

/// Removes the documents that were rendered first until the others have at most `bytes`. They are
/// rendered again when a person looks.
void keep_within(const std::filesystem::path& folder, std::uintmax_t bytes);

}  // namespace opgrade::documents
