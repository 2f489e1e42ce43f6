#include "grader/report/html/html_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "grader/base/core/profile.hpp"
#include "grader/report/html/html_parts.hpp"
#include "grader/report/html/html_plot.hpp"
#include "grader/report/words/advice_words.hpp"
#include "grader/report/words/profile_tables.hpp"

namespace opgrade::report {
namespace {

// On a narrow phone a unit is a pixel.
constexpr double kWidth = 340, kHeight = 260;
constexpr double kLeft = 84, kRight = 20, kTop = 24, kBottom = 40;

/// A logarithmic axis of whole decades.
struct Axis {
  double from, to;    ///< exponents of ten
  double begin, end;  ///< positions in the drawing
  double at(double value) const {
    const double place = (std::log10(value) - from) / (to - from);
    return begin + std::clamp(place, 0.0, 1.0) * (end - begin);
  }
};

/// Appends an SVG drawing; appends nothing if there are no ceilings, or if no layer took time.
void add_roofline(pugi::xml_node parent, const ProfileReport& profile) {
  if (!profile.ceilings || !(profile.ceilings->fp32_flops_per_second > 0) ||
      !(profile.ceilings->copy_bytes_per_second > 0)) {
    return;
  }
  struct Point {
    std::string name;
    double intensity, rate;
  };
  std::vector<Point> points;
  for (const auto& layer : profile.layers) {
    if (layer.flops_per_second > 0 && layer.bytes_per_second > 0) {
      points.push_back(
          {layer.layer, layer.flops_per_second / layer.bytes_per_second, layer.flops_per_second});
    }
  }
  if (points.empty()) return;
  const double peak = profile.ceilings->fp32_flops_per_second;
  const double bandwidth = profile.ceilings->copy_bytes_per_second;
  const double ridge = peak / bandwidth;
  double least = ridge, most = ridge, lowest = peak;
  double highest = peak;
  for (const Point& point : points) {
    least = std::min(least, point.intensity);
    most = std::max(most, point.intensity);
    lowest = std::min(lowest, point.rate);
    highest = std::max(highest, point.rate);
  }
  const Axis x{std::floor(std::log10(least)) - 1, std::ceil(std::log10(most)) + 1, kLeft,
               kWidth - kRight};
  const Axis y{std::floor(std::log10(lowest)), std::ceil(std::log10(highest * 1.2)),
               kHeight - kBottom, kTop};

  auto svg = add_drawing(parent, kWidth, kHeight,
                         "Roofline: operations a second over operations a byte; the table of "
                         "layers below has the numbers");
  for (double decade = x.from; decade <= x.to; ++decade) {
    const double at = x.at(std::pow(10, decade));
    add_line(svg, at, y.begin, at, y.end, "grid");
    add_text(svg, at, y.begin + 16, fmt::format("{:g}", std::pow(10, decade)), "middle");
  }
  for (double decade = y.from; decade <= y.to; ++decade) {
    const double at = y.at(std::pow(10, decade));
    add_line(svg, x.begin, at, x.end, at, "grid");
    add_text(svg, x.begin - 6, at + 4, show_rate(std::pow(10, decade), "FLOP/s"), "end");
  }
  add_text(svg, (x.begin + x.end) / 2, kHeight - 8, "operations a byte of x, k and y", "middle");

  // The slope starts where it crosses the left or the lower edge.
  const double start = std::max(std::pow(10, x.from), std::pow(10, y.from) / bandwidth);
  add_line(svg, x.at(start), y.at(start * bandwidth), x.at(ridge), y.at(peak), "roof");
  add_line(svg, x.at(ridge), y.at(peak), x.end, y.at(peak), "roof");
  add_text(svg, x.end, y.at(peak) - 6, "fp32 " + show_rate(peak, "FLOP/s"), "end");
  // Stands right of the middle of the slope, on its lower side.
  const double middle = std::sqrt(start * ridge);
  add_text(svg, x.at(middle) + 12, y.at(middle * bandwidth) + 12,
           "copy " + show_rate(bandwidth, "B/s"), "start");
  bool below = true;
  for (const Point& point : points) {
    add_dot(svg, x.at(point.intensity), y.at(point.rate), "dot");
    // Labels stand below and above their dots in turn, because layers of one kernel are close
    // together.
    add_text(svg, x.at(point.intensity), y.at(point.rate) + (below ? 20 : -10),
             point.name + " " + show_rate(point.rate, "FLOP/s"), "middle");
    below = !below;
  }
}

/// Counts of one line, or of all lines.
struct Heat {
  double passes = 0;
  std::int64_t requests = 0, sectors = 0, least_sectors = 0;
};

/// Shows each line's share of the passes through the load and store units.
void add_source(xml_node section, const ProfileReport& profile, const ProfileSource& source) {
  std::map<int, Heat> lines;
  double total = 0;
  for (const ProfileCountRow& row : profile.counts)
    for (const ProfileAccessRow& access : row.accesses) {
      total += passes_of(access);
      if (access.file.substr(access.file.rfind('/') + 1) != source.file) continue;
      Heat& heat = lines[access.line];
      heat.passes += passes_of(access);
      heat.requests += access.requests;
      heat.sectors += access.sectors;
      heat.least_sectors += access.least_sectors;
    }
  add(section, "h3", source.file);
  add(section, "p",
      "share: of all passes through the load and store units, at the first line of a statement. "
      "sectors: that a request touches, and that hold its data.",
      "soft");
  auto list = add(section, "table", "", "source");
  std::istringstream text(source.text);
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    auto row = add(list, "tr");
    const auto found = lines.find(++number);
    const Heat heat = found != lines.end() ? found->second : Heat{};
    const double share = total > 0 ? heat.passes / total : 0;
    const std::string css = fmt::format("heat heat{:.0f}", std::ceil(4 * share));
    add(row, "td", share > 0 ? fmt::format("{:.1f} %", 100 * share) : "", css.c_str());
    const auto of = [&](std::int64_t n) {
      return static_cast<double>(n) / static_cast<double>(heat.requests);
    };
    add(row, "td",
        heat.sectors > 0 ? fmt::format("{:.1f} ({:.1f})", of(heat.sectors), of(heat.least_sectors))
                         : "",
        "heat");
    add(row, "td", fmt::format("{}", number), "soft");
    add(add(row, "td"), "code", line);
  }
}

}  // namespace

void add_profile(xml_node body, const std::string& id, const ProfileReport& profile) {
  auto section = add(body, "section", "", "profile");
  add(section, "h2", "Profile of " + id);
  for (const auto& remark : profile_remarks(profile)) add(section, "p", remark, "soft");
  add_roofline(section, profile);
  if (!profile.advice.empty()) {
    add(section, "h3", "Steps to a faster kernel");
    auto list = add(section, "ol");
    for (const auto& advice : profile.advice) add(list, "li", advice_sentence(advice));
  }
  for (const auto& table : profile_tables(profile)) {
    add(section, "h3", table.title);
    if (const auto note = table.note_with([](const std::string&) { return true; }); !note.empty())
      add(section, "p", note, "soft");
    std::vector<const char*> titles;
    std::vector<bool> numbers;
    for (const auto& column : table.columns) {
      titles.push_back(column.title.c_str());
      numbers.push_back(column.right);
    }
    HtmlTable html(section, titles, numbers);
    for (const auto& row : table.rows) {
      std::vector<Cell> cells;
      for (const auto& text : row.cells) cells.push_back({text});
      html.row(cells, row.leading ? "leading" : "");
    }
  }
  for (const auto& source : profile.sources) add_source(section, profile, source);
}

}  // namespace opgrade::report
