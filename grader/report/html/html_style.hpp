/// The style sheet of the HTML report and of the pages of the service.
#pragma once

namespace opgrade::report {

/// The text of style.css. It has no '<', '>' and '&', because the serialiser would escape them and
/// a browser would not unescape them.
extern const char* const kHtmlStyle;

}  // namespace opgrade::report
