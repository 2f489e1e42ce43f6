#include "grader/report/html/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "grader/base/core/printable.hpp"
#include "grader/report/formats/profile_compare.hpp"
#include "grader/report/html/html_parts.hpp"
#include "grader/report/html/html_plot.hpp"
#include "grader/report/html/html_profile.hpp"
#include "grader/report/html/html_style.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/units.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {

namespace {

const char* css_of(Mark mark) {
  constexpr std::array kClasses{"good", "bad", "open"};
  return kClasses[static_cast<std::size_t>(mark)];
}

void add_output(xml_node parent, const std::string& title, const std::string& text, bool open) {
  if (text.empty()) return;
  auto details = add_folded(parent, title);
  if (open) with(details, {{"open", "open"}});
  add(details, "pre", text);
}

/// Adds the line of the mistake with its neighbours.
void add_source(xml_node box, const CodePlace& place, const SourceOf& source) {
  constexpr int kAround = 2;
  const auto text = source && place.line > 0 ? source(place.path) : std::nullopt;
  if (!text) return;
  auto figure = add(box, "figure", "", "source");
  add(figure, "figcaption", fmt::format("{}, line {}", place.path, place.line));
  // Makes the list focusable, so that the keyboard can scroll long lines.
  auto lines =
      with(add(figure, "ol"),
           {{"start", fmt::format("{}", std::max(1, place.line - kAround))}, {"tabindex", "0"}});
  std::istringstream in(*text);
  std::string line;
  for (int n = 1; n <= place.line + kAround && std::getline(in, line); ++n) {
    if (n < place.line - kAround) continue;
    auto item = add(lines, "li", "", n == place.line ? "here" : "");
    add(item, n == place.line ? "mark" : "code", printable(line, kMaxLine));
  }
}

void add_problems(xml_node body, const std::vector<Problem>& problems, bool advice,
                  const SourceOf& source) {
  if (problems.empty()) return;
  auto section = add_section(body, advice ? kAdviceTitle : heading_of(problems));
  if (advice) add(section, "p", kAdvice);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Problem& problem = problems[i];
    auto box = add(section, "div", "", "problem");
    auto title = add(box, "h3", problem.where + ": ");
    const bool open = advice || problem.outcome == Outcome::passed;
    add(title, "span", problem.state, open ? "open" : outcome_css(problem.outcome));
    if (!problem.reason.empty()) add(box, "p", problem.reason);
    add_source(box, problem.place, source);
    if (!problem.next.empty()) add(box, "p", "Next: " + problem.next, "next");
    if (!problem.facts.empty()) {
      auto facts = add(box, "ul");
      for (const auto& fact : problem.facts) add(facts, "li", fact);
    }
    if (!problem.also.empty()) {
      add(box, "p", fmt::format("The same in: {}", fmt::join(problem.also, ", ")), "soft");
    }
    if (!problem.repeat_command.empty()) {
      add(add(box, "p", "Again: "), "code", problem.repeat_command, "command");
    }
    if (const auto explain = explain_command(problems, i); !explain.empty())
      add(add(box, "p", "More: "), "code", explain, "command");
    add_output(box, problem.output_title, problem.output, problem.outcome == Outcome::build_failed);
  }
}

void add_layers(xml_node section, const StageReport& stage) {
  bool any = false;
  for (const auto& c : stage.cases) any = any || !c.calls.empty();
  if (!any) return;
  auto details = add_folded(section, "layers, times and memory");
  const bool times = stage.device != Device::emulated;
  std::set<std::string_view> scales;
  HtmlTable table(
      details,
      {"case", "layer", "shape", "wrong", "worst error", "Op Time", "Layer Time", "peak memory"},
      {false, false, false, true, true, true, true, true});
  for (const auto& c : stage.cases) {
    for (const auto& call : c.calls) {
      const bool timed = times && call.timed;
      table.row({{c.id},
                 {call.layer},
                 {text_of(call.shape)},
                 {fmt::format("{} of {}", call.check.mismatches, call.check.checked),
                  call.check.passed() ? "good"
                  : c.advice          ? "open"
                                      : "bad"},
                 {show_value(call.check.worst_error)},
                 {timed ? show_time({value_of(call.op_time, c.take), call.op_time.spread(),
                                     call.op_time.samples_ms.size()}) +
                              show_kernels(call.kernel_time_ms)
                        : ""},
                 {timed ? show_ms(value_of(call.layer_time, c.take)) : ""},
                 {c.usage.peak_memory_bytes > 0 ? show_bytes(c.usage.peak_memory_bytes) : ""}});
      if (const auto text = error_scale_text(call.check.error_scale); !text.empty())
        scales.insert(text);
    }
  }
  if (!scales.empty())
    add(details, "p",
        fmt::format("Worst error: the largest difference to the expected output, {}.",
                    fmt::join(scales, "; or ")),
        "soft");
}

/// Shows which outputs of a case are wrong, because a missing halo and a wrong tile look different.
void add_wrong_maps(xml_node section, const StageReport& stage) {
  for (const auto& c : stage.cases)
    for (const auto& call : c.calls)
      if (call.check.map)
        add_heat_map(section,
                     fmt::format("{}{}: wrong elements of image {}", c.id,
                                 call.layer.empty() ? "" : ", " + call.layer, call.check.map->part),
                     *call.check.map);
}

void add_wrong_pictures(xml_node section, const StageReport& stage) {
  for (const auto& c : stage.cases)
    for (const auto& call : c.calls)
      if (call.check.picture)
        add_pictures(section,
                     fmt::format("{}{}{}", c.id, call.layer.empty() ? "" : ", ", call.layer),
                     *call.check.picture);
}

/// Shows the Op Times of a case's timed calls as dots per layer, with each layer's median and its
/// 95 % interval.
void add_samples(xml_node section, const StageReport& stage) {
  if (stage.device == Device::emulated) return;
  xml_node details;
  for (const auto& c : stage.cases) {
    Plot plot{.title = c.id + ": each timed call", .x_title = "layer", .y_title = "Op Time, ms"};
    double x = 0;
    for (const auto& call : c.calls) {
      const TimeSummary& times = call.op_time;
      if (!call.timed || times.samples_ms.empty()) continue;
      ++x;
      for (const double sample : times.samples_ms)
        plot.points.push_back({.x = x, .y = sample, .name = call.layer});
      plot.points.push_back(
          {.x = x, .y = times.median_ms, .name = call.layer + ", median", .marked = true});
      const double half = times.median_ms * times.uncertainty();
      if (half > 0)
        plot.spans.push_back({x, times.median_ms - half, times.median_ms + half,
                              call.layer + ", 95 % of the median"});
    }
    if (plot.spans.empty()) continue;
    if (!details) details = add_folded(section, "each timed call");
    add_plot(details, plot);
  }
}

/// Shows what cases that passed have printed. A case that did not pass has its output in its
/// problem.
void add_printed_texts(xml_node section, const StageReport& stage) {
  for (const auto& c : stage.cases)
    if (c.outcome == Outcome::passed)
      add_output(section, fmt::format("what {} printed", c.id), c.student_output, false);
}

/// Leaves out the columns in which no row has a text.
void add_table(xml_node parent, const std::vector<const char*>& titles,
               const std::vector<bool>& numbers, const std::vector<std::vector<Cell>>& rows) {
  std::vector<const char*> used_titles;
  std::vector<bool> used_numbers;
  std::vector<std::vector<Cell>> used_rows(rows.size());
  for (std::size_t column = 0; column < titles.size(); ++column) {
    const auto has_text = [&](const std::vector<Cell>& row) { return !row[column].text.empty(); };
    if (std::none_of(rows.begin(), rows.end(), has_text)) continue;
    used_titles.push_back(titles[column]);
    used_numbers.push_back(numbers[column]);
    for (std::size_t row = 0; row < rows.size(); ++row) used_rows[row].push_back(rows[row][column]);
  }
  HtmlTable table(parent, std::move(used_titles), std::move(used_numbers));
  for (const auto& row : used_rows) table.row(row);
}

void add_stage(xml_node body, const StageReport& stage) {
  auto section = add(body, "section");
  const bool not_run = is_not_run(stage);
  auto title = add(section, "h2", (stage.title.empty() ? stage.name : stage.title) + " ");
  const Outcome outcome = outcome_of(stage);
  add(title, "span", words(outcome).text, outcome_css(outcome));
  std::string line;
  if (not_run) {
    line = not_run_reason(stage);
  } else if (stage.build.outcome == Outcome::passed) {
    line = "Built in " + show_s(stage.build.elapsed_s) + ".";
  }
  if (stage.device == Device::emulated && !not_run && stage.build.outcome == Outcome::passed)
    line += " Emulated: correctness only, no times.";
  if (const auto gpu = ran_on(stage); !gpu.empty()) line += " Ran on " + gpu + ".";
  if (!line.empty()) add(section, "p", line, "soft");
  if (stage.cases.empty()) return;
  std::vector<std::vector<Cell>> rows;
  for (const auto& c : stage.cases) {
    std::vector<Cell> row;
    for (const auto& cell : case_cells(c, stage.device)) row.push_back({cell});
    row[1].css = css_of(mark_of(c));
    rows.push_back(std::move(row));
  }
  add_table(section, {"case", "outcome", "accuracy", "Op Time", "Layer Time", "points"},
            {false, false, true, true, true, true}, rows);
  add_wrong_pictures(section, stage);
  add_wrong_maps(section, stage);
  add_layers(section, stage);
  add_samples(section, stage);
  add_printed_texts(section, stage);
  for (const auto& c : stage.cases) {
    if (c.profile) add_profile(body, c.id, *c.profile);
  }
}

void add_points(xml_node body, const Grade& view) {
  if (!points_need_a_table(view)) return;
  auto section = add_section(body, "Points");
  HtmlTable table(section, {"points", "for", "because"}, {true, false, false});
  for (const auto& [points, mark, item, reason] : point_rows(view))
    table.row({{points, css_of(mark)}, {item}, {reason}});
}

void add_foot(xml_node body, const Grade& view) {
  if (const auto notes_shown = notes_of(view); !notes_shown.empty()) {
    auto section = add_section(body, "Notes");
    auto notes = add(section, "ul");
    for (const auto& note : notes_shown) add(notes, "li", note);
  }
  const auto& m = view.machine;
  auto foot = add(body, "footer", "", "soft");
  add(foot, "p",
      fmt::format("opgrade {} · {} ({} CPUs) · {} · sandbox: {} · {} · {} · took {}",
                  m.opgrade_version, m.host_cpu, m.cpus, m.gpu.empty() ? "no GPU" : m.gpu,
                  m.sandbox, m.compiler, m.started, show_s(view.elapsed_s)));
  add(foot, "p", times_are(view) + "; ± is the interquartile range over the median.");
  add(foot, "p",
      fmt::format("submission {} · config {}", view.submission_sha256, view.config_sha256));
}

void add_comparison(xml_node body, const Grade& before, const Grade& after, Audience audience) {
  const ProfileComparison comparison = compare_profiles(before, after, audience);
  auto section = add_section(body, "Compared with " + before.submission);
  add(section, "p", comparison.sentence);
  if (comparison.rows.empty()) return;
  HtmlTable table(section, {ProfileComparison::kTitles.begin(), ProfileComparison::kTitles.end()},
                  {false, true, true, true});
  for (const auto& [count, was, is, change] : comparison.rows)
    table.row({{count}, {was}, {is}, {change}});
}

void add_head(xml_node html, const Grade& view, const Verdict& verdict) {
  auto head = add(html, "head");
  add(head, "meta").append_attribute("charset") = "utf-8";
  const auto meta = [&](const char* key, const char* name, const char* content) {
    with(add(head, "meta"), {{key, name}, {"content", content}});
  };
  meta("http-equiv", "Content-Security-Policy",
       "default-src 'none'; style-src 'unsafe-inline'; img-src data:");
  meta("name", "viewport", "width=device-width, initial-scale=1");
  meta("name", "referrer", "no-referrer");
  add(head, "title", view.submission + ": " + verdict.title);
  add(head, "style", kHtmlStyle);
}

}  // namespace

const char* outcome_css(Outcome outcome) { return css_of(mark_of(outcome)); }

void add_report(xml_node body, const Grade& view, const SourceOf& source) {
  const Verdict verdict = grade_verdict(view);
  const auto problems = problems_of(view);
  auto top = add(body, "section");
  const std::string css = std::string("verdict ") + css_of(mark_of(verdict.standing));
  add(top, "p", verdict.title, css.c_str());
  add(top, "p", verdict.score, "score");
  if (!view.reason.empty() && !tells_headline(view, problems))
    add(top, "p", sentence_of(view.reason));
  add_problems(body, problems, false, source);
  add_problems(body, advice_of(view), true, source);
  for (const auto& stage : view.stages) add_stage(body, stage);
  add_points(body, view);
  add_foot(body, view);
}

std::string html_report(const Grade& grade, Audience audience, const SourceOf& source,
                        const Grade* compared_with) {
  const Grade view = view_for(grade, audience);
  const Verdict verdict = grade_verdict(view);
  pugi::xml_document document;
  document.append_child(pugi::node_doctype).set_value("html");
  auto html = with(add(document, "html"), {{"lang", "en"}});
  add_head(html, view, verdict);
  auto main = add(add(html, "body"), "main");
  add(main, "h1", view.submission);
  add(main, "p", view.config_title.empty() ? view.config_name : view.config_title, "soft");
  if (compared_with != nullptr) add_comparison(main, *compared_with, grade, audience);
  add_report(main, view, source);

  std::ostringstream out;
  // Written without indentation, because lines added between the lines of code would be visible.
  document.save(
      out, "", pugi::format_raw | pugi::format_no_declaration | pugi::format_no_empty_element_tags);
  std::string text = out.str();
  // HTML's meta has no end tag. Texts are escaped, so only end tags of the serialiser are found.
  constexpr std::string_view kEnd = "</meta>";
  for (auto at = text.find(kEnd); at != text.npos; at = text.find(kEnd, at)) {
    text.erase(at, kEnd.size());
  }
  return text;
}

}  // namespace opgrade::report
