#include "grader/course/documents/renderers.hpp"

#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace opgrade::documents {
namespace {

namespace fs = std::filesystem;

fs::path program(const fs::path& root, const char* name) {
  const fs::path path = root / "usr/bin" / name;
  std::error_code closed;
  return fs::is_regular_file(path, closed) && ::access(path.c_str(), X_OK) == 0 ? path : fs::path();
}

}  // namespace

Renderers Renderers::find(const fs::path& root) {
  return {.pdftoppm = program(root, "pdftoppm"),
          .cmark = program(root, "cmark-gfm"),
          .pngtopam = program(root, "pngtopam"),
          .jpegtopnm = program(root, "jpegtopnm"),
          .pamscale = program(root, "pamscale"),
          .pamflip = program(root, "pamflip"),
          .pnmtopng = program(root, "pnmtopng")};
}

bool Renderers::can_show(DocumentKind kind) const {
  switch (kind) {
    case DocumentKind::pdf:
      return !pdftoppm.empty();
    case DocumentKind::markdown:
      return !cmark.empty();
    case DocumentKind::png:
    case DocumentKind::jpeg:
      return !(kind == DocumentKind::png ? pngtopam : jpegtopnm).empty() && !pamscale.empty() &&
             !pamflip.empty() && !pnmtopng.empty();
  }
  return false;
}

std::string_view package_for(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::pdf:
      return "poppler-utils";
    case DocumentKind::markdown:
      return "cmark-gfm";
    case DocumentKind::png:
    case DocumentKind::jpeg:
      return "netpbm";
  }
  return "";
}

std::vector<std::string_view> missing_packages(const Renderers& renderers) {
  std::vector<std::string_view> missing;
  for (const DocumentKind kind :
       {DocumentKind::markdown, DocumentKind::png, DocumentKind::jpeg, DocumentKind::pdf})
    if (!renderers.can_show(kind) && std::ranges::count(missing, package_for(kind)) == 0)
      missing.push_back(package_for(kind));
  std::ranges::sort(missing);
  return missing;
}

}  // namespace opgrade::documents
