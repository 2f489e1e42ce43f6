/// The frame of each page. Pages are trees that an XML serialiser writes, so no text of a student
/// can miss its escaping.
#pragma once

#include <functional>
#include <pugixml.hpp>
#include <string>

#include "grader/report/html/html_parts.hpp"
#include "grader/service/http/routes.hpp"

namespace opgrade::service {

using report::add;
using report::add_section;
using report::append_text;
using report::HtmlTable;
using report::with;
using report::xml_node;

/// An address and the name that its link shows.
struct NamedAddress {
  std::string name, address;
};

struct PageOptions {
  int status = 200;
  int again_after_s = 0;  ///< the page reloads itself after so many seconds; 0: never
  bool scripted = false;  ///< a browser with scripts updates the page without reloading it
  std::vector<NamedAddress> trail{};  ///< the pages above this one
};

/// Makes a page. The links at its top are those that `who` may use; the login page has none.
Response page(const Service& service, const std::optional<Identity>& who, const std::string& title,
              const std::function<void(xml_node main)>& fill, const PageOptions& options = {});

/// A page that says in a sentence why a request was refused, with a link to continue.
Response not_done(const Service& service, const std::optional<Identity>& who, int status,
                  const std::string& why);

/// Throws NotDone if the course has no assignment of this name.
const course::Assignment& assignment_in(const course::CourseFolder& folder,
                                        const std::string& name);

xml_node link(xml_node parent, const std::string& text, const std::string& address);
void link_submission(xml_node parent, std::int64_t id);
void link_student(xml_node parent, const course::Student& student);

/// A form that posts to `address`, with the session's form key in it. Returns a null node if the
/// visitor may not use it; what is added to a null node is dropped.
xml_node form(xml_node parent, const Identity& who, const std::string& address,
              const char* encoding = "application/x-www-form-urlencoded");
/// A labelled input. Returns the input.
xml_node field(xml_node form, const char* label, const char* name, const char* type);
/// A labelled text of several lines, which must not be empty.
xml_node text_area(xml_node form, const char* label, const char* name);
/// A labelled list of values with their texts.
void choice(xml_node form, const char* label, const char* name,
            const std::vector<std::pair<std::string, std::string>>& options,
            const std::string& chosen = "");
void button(xml_node form, const char* text, const char* css = "");
/// A value that the form sends and no visitor sees.
void hidden(xml_node form, const char* name, const std::string& value);

/// live.js: updates pages live, and checks files before they are sent. It inserts texts as text,
/// never as markup.
extern const char* const kScript;
extern const char* const kIcon;  ///< icon.svg

}  // namespace opgrade::service
