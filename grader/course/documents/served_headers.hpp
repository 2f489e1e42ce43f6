/// The headers with which a browser gets a document, so that it never treats the document as a
/// page.
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

/// Headers for the document itself, as it was handed in. The browser saves it and does not show it:
/// Content-Disposition is `attachment`, no browser has a viewer for the type, and a policy
/// restricts a browser that shows it anyway. Any name is made safe for the header.
ServedHeaders download_headers(std::string_view name);

/// Headers for a page or picture that render() made: image/png, which only this site's pages may
/// load.
ServedHeaders picture_headers();

}  // namespace opgrade::documents
