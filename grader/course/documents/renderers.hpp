/// Debian's programs that turn documents into what a browser may show. Each runs in the sandbox.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "grader/course/documents/document.hpp"

namespace opgrade::documents {

/// The path of a program that is not installed is empty.
struct Renderers {
  std::filesystem::path pdftoppm;  ///< from poppler-utils
  std::filesystem::path cmark;     ///< cmark-gfm, from the package cmark-gfm
  std::filesystem::path pngtopam, jpegtopnm, pamscale, pamflip, pnmtopng;  ///< from netpbm

  /// Finds the system's programs below `root`.
  static Renderers find(const std::filesystem::path& root = "/");

  bool can_show(DocumentKind kind) const;
};

/// The Debian package that has a kind's programs: "poppler-utils".
std::string_view package_for(DocumentKind kind);

/// The packages that this machine lacks, for the doctor and the start of a service; sorted.
std::vector<std::string_view> missing_packages(const Renderers& renderers);

}  // namespace opgrade::documents
