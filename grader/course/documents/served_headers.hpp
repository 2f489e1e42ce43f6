/// The headers under which a browser gets a document, so that it never takes one for a page.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opgrade::documents {

struct ServedHeaders {
  std::string type;  ///< Content-Type
  std::vector<std::pair<std::string, std::string>> headers;
};

/// For the document itself, as it was handed in. It is saved, not shown: Content-Disposition is
/// `attachment`, the type one for which no browser has a viewer, and a policy forbids what the
/// browser might do with it in spite of that. Any name is made safe for the header.
ServedHeaders download_headers(std::string_view name);

/// For a page or picture that render() made: image/png, from this site's pages alone.
ServedHeaders picture_headers();

}  // namespace opgrade::documents
