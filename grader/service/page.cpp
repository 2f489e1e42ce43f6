#include "grader/service/page.hpp"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <sstream>

namespace opgrade::service {
namespace {

// Forms go to this service alone, and nothing is loaded from another host.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

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
  link(header, service.folder()->course.title, "/").append_attribute("class") = "course";
  if (who) {
    auto nav = with(add(header, "nav"), {{"aria-label", "Pages"}});
    if (who->is_staff()) {
      link(nav, "Class", "/staff");
      link(nav, "Submissions", "/staff/submissions");
      link(nav, "Extensions", "/staff/extensions");
      for (const auto& [name, address] : {NamedAddress{"Rejudges", "/staff/rejudges"},
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

const char* const kIcon = R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
<rect width="16" height="16" rx="3" fill="#0b57d0"/>
<path d="M4 8.5l3 3 5-7" fill="none" stroke="#fff" stroke-width="2"/></svg>
)svg";

// Texts go in as text, never as markup.
const char* const kScript = R"js("use strict";
const again = document.currentScript.dataset.again;
let typed = false;
document.addEventListener("input", () => { typed = true; });
if (again) setInterval(() => { if (!typed) location.reload(); }, again * 1000);
const log = document.getElementById("log");
if (log && window.EventSource) {
  const place = document.getElementById("place");
  const source = new EventSource("/api/submissions/" + log.dataset.id + "/events");
  const seen = new Set(Array.from(log.children, (one) => one.dataset.event));
  let before = Number(log.dataset.last) * 1000;
  source.addEventListener("message", (event) => {
    if (seen.has(event.lastEventId)) return;
    seen.add(event.lastEventId);
    const said = JSON.parse(event.data), line = document.createElement("li");
    line.textContent = said.text;
    line.className = said.mark || "";
    const seconds = before ? Math.round((Date.parse(said.at) - before) / 1000) : 0;
    before = Date.parse(said.at);
    if (seconds > 0) {
      const span = document.createElement("span");
      span.className = "soft";
      span.textContent = seconds + " s";
      line.append(span);
    }
    log.append(line);
  });
  source.addEventListener("place", (event) => {
    const now = JSON.parse(event.data);
    if (place) place.textContent = now.text;
    const back = document.querySelector("form[action$='/cancel']");
    if (back) back.hidden = now.position === 0;  // a fault puts it into the queue again
  });
  // Refused, as where too many are open: a look from time to time instead.
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 10000);
  });
  source.addEventListener("end", () => { source.close(); location.reload(); });
}

for (const one of document.querySelectorAll("[data-until]")) {
  const show = () => {
    const left = Math.floor(one.dataset.until - Date.now() / 1000);
    if (left <= 0) { one.textContent = "now"; return; }
    const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
    const first = units.findIndex((unit) => left >= unit[1]);
    one.textContent = "in " + units.slice(first, first + 2).map(([name, length], i) =>
      Math.floor(i === 0 ? left / length : left % units[first][1] / length) + " " + name).join(" ");
  };
  show();
  setInterval(show, 1000);
}

const upload = document.getElementById("upload");
if (upload) {
  const input = upload.querySelector("input[type=file]");
  const chosen = document.getElementById("chosen");
  const expected = upload.dataset.expects.split("|");
  // The patterns of the config: * and ? stand for characters of one name.
  const as_expression = (pattern) => new RegExp("^" + pattern.replace(/[.+^${}()|\[\]\\]/g, "\\$&")
    .replace(/[*]/g, ".*").replace(/[?]/g, ".") + "$");
  const taken = upload.dataset.takes.split("|").filter(Boolean).map(as_expression);
  const say = (text, css) => {
    const line = document.createElement("li");
    line.textContent = text;
    line.className = css;
    chosen.append(line);
  };
  const look = () => {
    chosen.textContent = "";
    const files = Array.from(input.files);
    const is_archive = (file) => /\.(zip|tar|tgz|tar\.\w+)$/.test(file.name);
    let bytes = 0;
    for (const file of files) {
      bytes += file.size;
      const known = expected.includes(file.name) || is_archive(file) || taken.some((one) => one.test(file.name));
      say(file.name + ", " + file.size + " bytes" + (known ? "" : ": not expected by name"), known ? "good" : "open");
    }
    if (bytes > Number(upload.dataset.most)) say("Too large: " + bytes + " bytes of at most " + upload.dataset.most, "bad");
    if (files.length && !files.some(is_archive))
      if (!expected.some((name) => files.some((file) => file.name === name)))
        say("The assignment expects " + expected.join(" or ") + ": rename the file", "bad");
  };
  input.addEventListener("change", look);
  window.addEventListener("pageshow", look);
  // The files stay chosen when the session has ended, the service does not answer, or refuses them.
  const complain = (text) => {
    const refused = document.getElementById("refused");
    refused.textContent = text;
    refused.hidden = !text;
  };
  upload.addEventListener("submit", async (event) => {
    event.preventDefault();
    complain("");
    try {
      const session = await fetch("/api/me", { cache: "no-store" });
      document.getElementById("ended").hidden = session.status !== 401;
      if (session.status === 401) return;
      const to = (event.submitter && event.submitter.getAttribute("formaction")) || upload.action;
      const answer = await fetch(to, { method: "POST", body: new FormData(upload) });
      if (answer.redirected) { location.assign(answer.url); return; }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const why = page.querySelector("main [role=alert]:not([hidden])");
      complain(why ? why.textContent : "Not taken in (" + answer.status + ").");
    } catch (error) {
      complain("The service does not answer; the files are still here. Try again in a minute.");
    }
  });
}
)js";

}  // namespace opgrade::service
