/// The style sheet of the HTML report and of the pages of the service.
#pragma once

namespace opgrade::report {

/// style.css. Free of '<', '>' and '&', which the serialiser would escape and a browser would not
/// unescape.
extern const char* const kHtmlStyle;

}  // namespace opgrade::report
