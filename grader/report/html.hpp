/// The report as one HTML file that needs nothing else: no script, no network, phone to desktop,
/// light and dark, printable.
#pragma once

#include <string>

#include "grader/report/view.hpp"

namespace opgrade::report {

/// Built as a tree and written by an XML serialiser, so no text can miss its escaping. A content
/// security policy in the page also forbids scripts and every outside resource.
std::string html_report(const Grade& grade, Audience audience);

}  // namespace opgrade::report
