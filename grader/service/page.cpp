#include "grader/service/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "grader/core/counted.hpp"

namespace opgrade::service {
namespace {

// Forms go to this service alone, and nothing is loaded from another host.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

void fill_head(xml_node head, const std::string& title, const PageOptions& options) {
  head.append_child("meta").append_attribute("charset") = "utf-8";
  auto viewport = head.append_child("meta");
  viewport.append_attribute("name") = "viewport";
  viewport.append_attribute("content") = "width=device-width, initial-scale=1";
  add(head, "title", title);
  auto style = head.append_child("link");
  style.append_attribute("rel") = "stylesheet";
  style.append_attribute("href") = "/style.css";
  if (!options.live) return;
  auto refresh = head.append_child("noscript").append_child("meta");
  refresh.append_attribute("http-equiv") = "refresh";
  refresh.append_attribute("content") = "10";
  auto script = add(head, "script", " ");  // an empty element would be written as <script/>
  script.append_attribute("src") = "/live.js";
  script.append_attribute("defer") = "defer";
}

}  // namespace

Response page(const Service& service, const std::optional<Identity>& who, const std::string& title,
              const std::function<void(xml_node main)>& fill, const PageOptions& options) {
  pugi::xml_document document;
  document.append_child(pugi::node_doctype).set_value("html");
  auto html = document.append_child("html");
  html.append_attribute("lang") = "en";
  fill_head(html.append_child("head"), title, options);
  auto body = html.append_child("body");
  auto skip = link(body, "Skip to the content", "#main");
  skip.append_attribute("class") = "skip";
  auto header = body.append_child("header");
  link(header, service.folder()->course.title, "/").append_attribute("class") = "course";
  if (who) {
    auto nav = header.append_child("nav");
    nav.append_attribute("aria-label") = "Pages";
    if (who->role == Role::staff) {
      link(nav, "Class", "/staff");
      link(nav, "Rejudges", "/staff/rejudges");
      link(nav, "Audit log", "/staff/audit");
    } else {
      link(nav, "Home", "/");
    }
    if (!who->form_key.empty()) button(form(nav, *who, "/logout"), "Log out");
    add(nav, "span", who->person, "soft");
  }
  auto main = body.append_child("main");
  main.append_attribute("id") = "main";
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

Response not_done(const Service& service, const Visit& visit, int status, const std::string& why) {
  return page(
      service, visit.who, "Not done",
      [&](xml_node main) { add(main, "p", why, "notice").append_attribute("role") = "alert"; },
      {.status = status});
}

xml_node link(xml_node parent, const std::string& text, const std::string& address) {
  auto made = add(parent, "a", text);
  made.append_attribute("href") = address.c_str();
  return made;
}

xml_node form(xml_node parent, const Identity& who, const std::string& address,
              const char* encoding) {
  auto made = parent.append_child("form");
  made.append_attribute("method") = "post";
  made.append_attribute("action") = address.c_str();
  made.append_attribute("enctype") = encoding;
  if (!who.form_key.empty()) {
    auto key = made.append_child("input");
    key.append_attribute("type") = "hidden";
    key.append_attribute("name") = "form_key";
    key.append_attribute("value") = who.form_key.c_str();
  }
  return made;
}

xml_node field(xml_node parent, const char* label, const char* name, const char* type) {
  auto made = add(parent, "label", label);
  auto input = made.append_child("input");
  input.append_attribute("name") = name;
  input.append_attribute("type") = type;
  return input;
}

void choice(xml_node parent, const char* label, const char* name,
            const std::vector<std::pair<std::string, std::string>>& options) {
  auto list = add(parent, "label", label).append_child("select");
  list.append_attribute("name") = name;
  for (const auto& [value, text] : options)
    add(list, "option", text).append_attribute("value") = value.c_str();
}

void button(xml_node parent, const char* text, const char* css) {
  auto made = add(parent, "button", text, css);
  made.append_attribute("type") = "submit";
}

void plot(xml_node parent, const std::string& title, const std::string& unit,
          const std::vector<double>& values) {
  if (values.size() < 2) return;
  constexpr double kWidth = 600, kHeight = 160, kLeft = 84, kEdge = 12;
  const auto [low, high] = std::ranges::minmax(values);
  const double span = high > low ? high - low : 1;
  const auto x = [&](std::size_t i) {
    return kLeft + (kWidth - kLeft - kEdge) * static_cast<double>(i) /
                       static_cast<double>(values.size() - 1);
  };
  const auto y = [&](double value) {
    return kHeight - kEdge - (kHeight - 2 * kEdge) * (value - low) / span;
  };
  auto svg = add(parent, "svg", "", "plot");
  svg.append_attribute("viewBox") = fmt::format("0 0 {} {}", kWidth, kHeight).c_str();
  svg.append_attribute("role") = "img";
  add(svg, "title",
      fmt::format("{}: from {:.4g} {} to {:.4g} {} in {}", title, values.front(), unit,
                  values.back(), unit, counted(values.size(), "submission")));
  for (const double mark : {low, high}) {
    auto text = add(svg, "text", fmt::format("{:.4g} {}", mark, unit));
    text.append_attribute("x") = 0;
    text.append_attribute("y") = y(mark) + 4;
  }
  std::string points;
  for (std::size_t i = 0; i < values.size(); ++i)
    points += fmt::format("{:.1f},{:.1f} ", x(i), y(values[i]));
  svg.append_child("polyline").append_attribute("points") = points.c_str();
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto circle = svg.append_child("circle");
    circle.append_attribute("cx") = x(i);
    circle.append_attribute("cy") = y(values[i]);
    circle.append_attribute("r") = 4;
    add(circle, "title", fmt::format("{:.4g} {}", values[i], unit));
  }
}

const char* const kStyle = R"css(
header { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; align-items: center; }
header .course { font-weight: 700; text-decoration: none; color: var(--ink); }
nav { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin-left: auto; }
a { color: #0b57d0; }
@media (prefers-color-scheme: dark) { a { color: #8ab4f8; } }
h1 { font-size: 1.5rem; margin: 1rem 0 .5rem; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
:focus-visible { outline: 3px solid #f9ab00; outline-offset: 2px; }
form { margin: .3rem 0; }
label { display: block; margin: .5rem 0; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; }
input, select { display: block; font: inherit; padding: .4rem; max-width: 100%; width: 26rem;
  color: var(--ink); background: var(--page); border: 1px solid var(--soft); border-radius: .3rem; }
button { font: inherit; padding: .45rem 1rem; border: 0; border-radius: .3rem; cursor: pointer;
  background: #0b57d0; color: #fff; }
button:disabled { opacity: .5; cursor: default; }
nav button, button.quiet { background: none; color: var(--ink); border: 1px solid var(--soft); }
.own td { font-weight: 700; background: var(--code); }
.notice { border-left: .25rem solid var(--bad); padding-left: .6rem; }
.plot { width: 100%; max-width: 40rem; height: auto; font-size: 12px; }
.plot polyline { fill: none; stroke: var(--soft); stroke-width: 2; }
.plot circle { fill: var(--good); }
.plot text { fill: var(--soft); }
@media (max-width: 40rem) { .plot { font-size: 20px; } }
.drop input { width: 100%; padding: 1.5rem .5rem; }
.drop { border: 2px dashed var(--soft); border-radius: .5rem; padding: 1rem; }
)css";

// Texts go in as text, never as markup.
const char* const kScript = R"js("use strict";
const log = document.getElementById("log");
if (log && window.EventSource) {
  const place = document.getElementById("place");
  const source = new EventSource("/api/submissions/" + log.dataset.id + "/events");
  const seen = new Set(Array.from(log.children, function (one) { return one.dataset.event; }));
  const add = function (event) {
    if (seen.has(event.lastEventId)) return;
    seen.add(event.lastEventId);
    const line = document.createElement("li");
    line.textContent = JSON.parse(event.data).text;
    log.append(line);
  };
  source.addEventListener("message", add);
  source.addEventListener("place", function (event) {
    if (place) place.textContent = JSON.parse(event.data).text;
  });
  // Refused, as where too many are open: a look from time to time instead.
  source.addEventListener("error", function () {
    if (source.readyState === EventSource.CLOSED) setTimeout(function () { location.reload(); }, 10000);
  });
  source.addEventListener("end", function () { source.close(); location.reload(); });
}
)js";

}  // namespace opgrade::service
