/// The report as one self-contained HTML file: no script, no network, phone to desktop, light and
/// dark, printable.
#pragma once

#include <pugixml.hpp>
#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// Built as a tree and written by an XML serialiser, so that every text is escaped. A content
/// security policy in the page also forbids scripts and all outside resources.
std::string html_report(const Grade& grade, Audience audience, const SourceOf& source = {},
                        const Grade* compared_with = nullptr);

/// Appends the sections of the report to a page that has its own frame: the verdict and each
/// problem first, with the lines around its place if `source` has them.
void add_report(pugi::xml_node body, const Grade& view, const SourceOf& source = {});

/// The class in the style sheet for an outcome: good, bad or open.
const char* outcome_css(Outcome outcome);

}  // namespace opgrade::report
