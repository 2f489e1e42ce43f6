#include "grader/service/pages/page.hpp"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <sstream>

namespace opgrade::service {
namespace {

// Forms are sent only to this service, and nothing is loaded from another host. Pictures of wrongly
// classified images are in the page itself, as data.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

void fill_head(xml_node head, const std::string& title, const PageOptions& options) {
  head.append_child("meta").append_attribute("charset") = "utf-8";
  with(add(head, "meta"),
       {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  add(head, "title", title);
  with(add(head, "link"), {{"rel", "stylesheet"}, {"href", "/style.css"}});
  with(add(head, "link"), {{"rel", "icon"}, {"href", "/icon.svg"}});
  if (options.again_after_s > 0) {
    with(add(head, "noscript").append_child("meta"),
         {{"http-equiv", "refresh"}, {"content", fmt::format("{}", options.again_after_s)}});
  }
  auto script = add(head, "script", " ");  // an empty element would be written as <script/>
  with(script, {{"src", "/live.js"}, {"defer", "defer"}});
  if (options.again_after_s > 0 && !options.scripted)
    script.append_attribute("data-again") = options.again_after_s;
}

/// What an error's status means to a visitor.
const char* title_of(int status) {
  static const std::map<int, const char*> known{{401, "Please log in"}, {403, "Not allowed"},
                                                {404, "Not found"},     {409, "Not possible now"},
                                                {413, "Too large"},     {429, "Too much at once"},
                                                {503, "Not available"}};
  const auto found = known.find(status);
  return found == known.end() ? "Not done" : found->second;
}

std::string sentence(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text.ends_with('.') ? text : text + ".";
}

}  // namespace

Response page(const Service& service, const std::optional<Identity>& who, const std::string& title,
              const std::function<void(xml_node main)>& fill, const PageOptions& options) {
  pugi::xml_document document;
  document.append_child(pugi::node_doctype).set_value("html");
  auto html = with(add(document, "html"), {{"lang", "en"}});
  fill_head(html.append_child("head"), title, options);
  auto body = html.append_child("body");
  with(link(body, "Skip to the content", "#main"), {{"class", "skip"}});
  auto header = body.append_child("header");
  link(header, service.files.folder()->course.title, "/").append_attribute("class") = "course";
  if (who) {
    auto nav = with(add(header, "nav"), {{"aria-label", "Pages"}});
    if (who->is_staff()) {
      link(nav, "Class", "/staff");
      link(nav, "Submissions", "/staff/submissions");
      link(nav, "Extensions", "/staff/extensions");
      for (const auto& [name, address] : {NamedAddress{"Rejudges", "/staff/rejudges"},
                                          {"Announcements", "/staff/announcements"},
                                          {"Roster", "/staff/roster"},
                                          {"Tokens", "/staff/tokens"},
                                          {"Audit log", "/staff/audit"}})
        if (may(*who, "GET", address)) link(nav, name, address);
    } else {
      link(nav, "Home", "/");
    }
    if (!who->form_key.empty()) button(form(nav, *who, "/logout"), "Log out");
    add(nav, "span", who->person, "soft");
  }
  auto main = with(add(body, "main"), {{"id", "main"}});
  if (!options.trail.empty()) {
    auto trail = with(add(main, "nav"), {{"aria-label", "Above this page"}});
    for (const auto& [name, address] : options.trail) {
      if (trail.first_child())
        add(trail, "span", "›", "soft").append_attribute("aria-hidden") = "true";
      link(trail, name, address);
    }
  }
  add(main, "h1", title);
  fill(main);
  std::ostringstream text;
  document.save(
      text, "",
      pugi::format_raw | pugi::format_no_declaration | pugi::format_no_empty_element_tags);
  return {options.status,
          "text/html; charset=utf-8",
          text.str(),
          {{"Content-Security-Policy", kPolicy}}};
}

Response not_done(const Service& service, const std::optional<Identity>& who, int status,
                  const std::string& why) {
  return page(service, who, title_of(status),
              [&](xml_node main) {
                add(main, "p", sentence(why), "notice").append_attribute("role") = "alert";
                auto on = add(main, "p");
                if (!who && status == 401)
                  link(on, "Log in in a new tab", "/login").append_attribute("target") = "_blank";
                else
                  link(on, who && who->is_staff() ? "To the class" : "To the assignments", "/");
              },
              {.status = status});
}

const course::Assignment& assignment_in(const course::CourseFolder& folder,
                                        const std::string& name) {
  if (const auto* const found = folder.course.find(name)) return *found;
  throw NotDone(404, "the course has no such assignment");
}

xml_node link(xml_node parent, const std::string& text, const std::string& address) {
  auto made = with(add(parent, "a", text), {{"href", address}});
  return made;
}

void link_submission(xml_node parent, std::int64_t id) {
  link(parent, fmt::format("{}", id), fmt::format("/submissions/{}", id));
}

void link_student(xml_node parent, const course::Student& student) {
  link(parent, fmt::format("{} ({})", student.name, student.login),
       "/staff/students/" + encode_percent(student.login));
}

xml_node form(xml_node parent, const Identity& who, const std::string& address,
              const char* encoding) {
  auto made = may(who, "POST", address) ? parent.append_child("form") : xml_node();
  with(made, {{"method", "post"}, {"action", address}, {"enctype", encoding}});
  if (!who.form_key.empty()) hidden(made, "form_key", who.form_key);
  return made;
}

void hidden(xml_node parent, const char* name, const std::string& value) {
  with(add(parent, "input"), {{"type", "hidden"}, {"name", name}, {"value", value}});
}

xml_node field(xml_node parent, const char* label, const char* name, const char* type) {
  auto made = add(parent, "label", label);
  auto input = with(add(made, "input"), {{"name", name}, {"type", type}});
  return input;
}

xml_node text_area(xml_node parent, const char* label, const char* name) {
  auto text = with(add(add(parent, "label", label), "textarea"),
                   {{"name", name}, {"rows", "3"}, {"required", "required"}});
  append_text(text, "\n");
  return text;
}

void choice(xml_node parent, const char* label, const char* name,
            const std::vector<std::pair<std::string, std::string>>& options,
            const std::string& chosen) {
  auto list = with(add(parent, "label", label).append_child("select"), {{"name", name}});
  for (const auto& [value, text] : options) {
    auto option = with(add(list, "option", text), {{"value", value}});
    if (value == chosen) option.append_attribute("selected") = "selected";
  }
}

void button(xml_node parent, const char* text, const char* css) {
  with(add(parent, "button", text, css), {{"type", "submit"}});
}

}  // namespace opgrade::service
