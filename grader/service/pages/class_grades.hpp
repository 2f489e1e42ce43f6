/// The table of a class's grades. Staff choose its rows by a search, section, state and order.
#pragma once

#include <string>
#include <vector>

#include "grader/service/pages/page.hpp"
#include "grader/service/queue/rejudges.hpp"

namespace opgrade::service {

/// The rows that an address asks for.
struct ClassQuery {
  std::string search;   ///< a part of a name, login or id, in any case
  std::string section;  ///< empty: all
  std::string state;    ///< a state that some cell of the row has; empty: all
  /// An assignment: the fewest points first; with "-" before it: the most points first.
  std::string sort;
  std::size_t from = 0;  ///< the first row that is shown
};
ClassQuery class_query(const Request& request);

/// A cell shows a number or a sign. Its words appear under a pointer and for screen readers.
void add_class_grades(xml_node parent, const Service& service, const Identity& who,
                      const ClassCache::Class& grades, const ClassQuery& query);

extern const char* const kClassStyle;  ///< CSS of the table

}  // namespace opgrade::service
