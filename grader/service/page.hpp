/// The frame of each page. Pages are trees that an XML serialiser writes, so no text of a student
/// can miss its escaping.
#pragma once

#include <functional>
#include <pugixml.hpp>
#include <string>

#include "grader/report/html_parts.hpp"
#include "grader/service/routes.hpp"

namespace opgrade::service {

using report::add;
using report::xml_node;

struct PageOptions {
  int status = 200;
  bool live = false;  ///< the script for live updates; without scripts the page loads itself again
};

/// `who` is asked for the links at the top; the login page has none.
Response page(const Service& service, const std::optional<Identity>& who, const std::string& title,
              const std::function<void(xml_node main)>& fill, const PageOptions& options = {});

/// A page that says why a request was not done.
Response not_done(const Service& service, const Visit& visit, int status, const std::string& why);

xml_node link(xml_node parent, const std::string& text, const std::string& address);

/// A form that posts to `address`, with the session's form key in it.
xml_node form(xml_node parent, const Identity& who, const std::string& address,
              const char* encoding = "application/x-www-form-urlencoded");
/// A labelled input. Returns the input.
xml_node field(xml_node form, const char* label, const char* name, const char* type);
/// A labelled list of values with their texts.
void choice(xml_node form, const char* label, const char* name,
            const std::vector<std::pair<std::string, std::string>>& options);
void button(xml_node form, const char* text, const char* css = "");

/// Points joined by a line over their numbers, as an SVG picture with a title for readers of
/// screens.
void plot(xml_node parent, const std::string& title, const std::string& unit,
          const std::vector<double>& values);

extern const char* const kStyle;   ///< beside that of the HTML report
extern const char* const kScript;  ///< live updates

}  // namespace opgrade::service
