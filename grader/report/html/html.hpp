/// The report as one HTML file that needs nothing else: no script, no network, phone to desktop,
/// light and dark, printable.
#pragma once

#include <pugixml.hpp>
#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// Built as a tree and written by an XML serialiser, so no text can miss its escaping. A content
/// security policy in the page also forbids scripts and every outside resource.
std::string html_report(const Grade& grade, Audience audience, const SourceOf& source = {},
                        const Grade* compared_with = nullptr);

/// The sections of that report, for a page that has a frame of its own: the verdict and each
/// problem first, with the lines around its place where `source` has them.
void add_report(pugi::xml_node body, const Grade& view, const SourceOf& source = {});

/// The class of the style sheet for an outcome: good, bad or open.
const char* outcome_css(Outcome outcome);

}  // namespace opgrade::report
