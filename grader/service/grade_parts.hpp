/// The parts of a page that show a student's grade, submissions and times.
#pragma once

#include <string>
#include <vector>

#include "grader/report/html.hpp"
#include "grader/service/page.hpp"
#include "grader/service/status.hpp"

namespace opgrade::service::pages {

/// A text and its class of the style sheet.
struct Verdict {
  std::string text;
  const char* css = "";
};

/// "passed, 80 of 100 points, -10 % of the points (1 day late); counts".
Verdict verdict_of(const course::Entry* entry, const HandIn& hand_in);

/// "in time", or how long after the deadline.
std::string late_text(const course::Lateness& late);

/// The gradebook's own number, with how it came about where `whole`.
void add_grade(xml_node parent, const course::CourseFolder& folder, const course::Entry& entry,
               course::Moment now, bool whole);

/// The newest first; the one that counts is marked.
void add_history(xml_node parent, const course::CourseFolder& folder, const course::Entry* entry,
                 const std::vector<HandIn>& all);

/// Over the submissions: the Op Time where the assignment ranks it openly; else points.
void add_attempts(xml_node parent, const Service& service, const course::Entry& entry,
                  const std::vector<HandIn>& all);

/// Reads the files of a submission as its stages take them.
report::SourceOf source_of(const Service& service, const HandIn& hand_in);

}  // namespace opgrade::service::pages
