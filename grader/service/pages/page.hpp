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

/// An address with its name.
struct NamedAddress {
  std::string name, address;
};

struct PageOptions {
  int status = 200;
  int again_after_s = 0;              ///< the page loads itself again; 0: it does not
  bool scripted = false;              ///< with scripts it updates itself without that
  std::vector<NamedAddress> trail{};  ///< the pages above this one
};

/// `who` is asked for the links at the top; the login page has none.
Response page(const Service& service, const std::optional<Identity>& who, const std::string& title,
              const std::function<void(xml_node main)>& fill, const PageOptions& options = {});

/// A page that says why a request was not done, as a sentence, with a way on.
Response not_done(const Service& service, const std::optional<Identity>& who, int status,
                  const std::string& why);

/// Throws NotDone where the course has none of this name.
const course::Assignment& assignment_in(const course::CourseFolder& folder,
                                        const std::string& name);

xml_node link(xml_node parent, const std::string& text, const std::string& address);
void link_submission(xml_node parent, std::int64_t id);
void link_student(xml_node parent, const course::Student& student);

/// A form that posts to `address`, with the session's form key in it. For a visitor who may not, a
/// null node: what is added to that is nowhere.
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

/// live.js: live updates, and a look at files before they are sent. It inserts texts as text, never
/// as markup.
extern const char* const kScript;
extern const char* const kIcon;  ///< icon.svg

}  // namespace opgrade::service
