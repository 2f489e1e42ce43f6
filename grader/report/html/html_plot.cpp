#include "grader/report/html/html_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/report/html/html_parts.hpp"

namespace opgrade::report {
namespace {

// On a narrow phone a unit is a pixel, so that texts of 12 units can be read there.
constexpr double kPlotWidth = 340, kPlotHeight = 210;
constexpr double kPlotLeft = 44, kPlotRight = 12, kPlotTop = 24, kPlotBottom = 40;

/// An axis that ends at multiples of a step of 1, 2 or 5 times a power of ten.
struct LinearAxis {
  double from, to, step;
  double begin, end;  ///< positions in the drawing

  LinearAxis(double low, double high, double begin_at, double end_at, bool whole)
      : begin(begin_at), end(end_at) {
    // The step must exceed the precision of the values, because otherwise adding it would change
    // nothing.
    const double span =
        high - low > 1e-9 * std::abs(high) ? high - low : std::max(std::abs(high), 1.0);
    const double power = std::pow(10, std::floor(std::log10(span / 4)));
    step = power * (span / power <= 8 ? 2 : span / power <= 20 ? 5 : 10);
    if (whole) step = std::max(1.0, std::round(step));
    from = std::floor(low / step) * step;
    to = std::max(std::ceil(high / step) * step, from + step);
  }
  double at(double value) const { return begin + (value - from) / (to - from) * (end - begin); }
};

void set_number(xml_node node, const char* name, double value) {
  node.append_attribute(name) = fmt::format("{:.1f}", value).c_str();
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

/// Thins out the points of a large class, because a drawing has no room for more.
void thin(std::vector<PlotPoint>& points) {
  constexpr std::size_t kMost = 200;
  const std::size_t step = (points.size() + kMost - 1) / kMost;
  if (step < 2) return;
  std::vector<PlotPoint> kept;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (i % step == 0 || i + 1 == points.size() || points[i].marked) kept.push_back(points[i]);
  points = std::move(kept);
}

void add_axes(xml_node svg, const Plot& plot, const LinearAxis& x, const LinearAxis& y) {
  // Half a step is added so that a rounding error does not drop the last mark.
  for (double mark = y.from; mark <= y.to + y.step / 2; mark += y.step) {
    add_line(svg, x.begin, y.at(mark), x.end, y.at(mark), "grid");
    add_text(svg, x.begin - 5, y.at(mark) + 4, number(mark), "end");
  }
  for (double mark = x.from; mark <= x.to + x.step / 2; mark += x.step)
    add_text(svg, x.at(mark), y.begin + 15, number(mark), "middle");
  add_text(svg, 2, 12, plot.y_title, "start");
  add_text(svg, (x.begin + x.end) / 2, kPlotHeight - 6, plot.x_title, "middle");
}

void add_data(xml_node figure, const Plot& plot) {
  auto details = add_folded(figure, "The numbers of this plot");
  HtmlTable table(details, {"Point", plot.x_title.c_str(), plot.y_title.c_str()},
                  {false, true, true});
  const auto y_text = plot.y_text == nullptr ? number : plot.y_text;
  for (std::size_t i = 0; i < plot.points.size();) {
    const PlotPoint& first = plot.points[i];
    std::string values;
    for (; i < plot.points.size() && plot.points[i].name == first.name; ++i)
      values += (values.empty() ? "" : ", ") +
                (plot.points[i].y ? y_text(*plot.points[i].y) : std::string("failed"));
    table.row({{first.name}, {number(first.x)}, {values}}, first.marked ? "own" : "");
  }
  for (const PlotSpan& span : plot.spans)
    table.row({{span.name},
               {number(span.x)},
               {fmt::format("{} to {}", number(span.low), number(span.high))}});
  for (const PlotLine& line : plot.lines) table.row({{line.name}, {}, {y_text(line.y)}});
}

}  // namespace

xml_node add_drawing(xml_node parent, double width, double height, const std::string& title) {
  auto svg = with(add(parent, "svg", "", "plot"),
                  {{"viewBox", fmt::format("0 0 {} {}", width, height)}, {"role", "img"}});
  add(svg, "title", title);
  return svg;
}

void add_line(xml_node svg, double x1, double y1, double x2, double y2, const char* css) {
  auto node = add(svg, "line", "", css);
  set_number(node, "x1", x1);
  set_number(node, "y1", y1);
  set_number(node, "x2", x2);
  set_number(node, "y2", y2);
}

void add_text(xml_node svg, double x, double y, const std::string& words, const char* anchor) {
  auto node = add(svg, "text", words);
  set_number(node, "x", x);
  set_number(node, "y", y);
  node.append_attribute("text-anchor") = anchor;
}

void add_dot(xml_node svg, double x, double y, const char* css, const std::string& name) {
  auto node = add(svg, "circle", "", css);
  set_number(node, "cx", x);
  set_number(node, "cy", y);
  node.append_attribute("r") = css == std::string_view("marked") ? "6" : "4";
  if (!name.empty()) add(node, "title", name);
}

void add_plot(xml_node parent, const Plot& given) {
  Plot plot = given;
  for (PlotPoint& p : plot.points)
    if (p.y && !std::isfinite(*p.y)) p.y.reset();
  thin(plot.points);
  std::vector<double> xs, ys;
  for (const PlotPoint& p : plot.points) {
    xs.push_back(p.x);
    if (p.y) ys.push_back(*p.y);
  }
  if (ys.size() < 2) return;
  const auto [least, most] = std::ranges::minmax(ys);
  double high = most, low = least;
  for (const PlotSpan& span : plot.spans) {
    high = std::max(high, span.high);
    low = std::min(low, span.low);
  }
  for (const PlotLine& line : plot.lines)
    // A line far above the points is not drawn, because it would press the points onto the axis;
    // the table has it.
    if (line.y < 4 * most) high = std::max(high, line.y);
  const bool from_zero = low < (high - low) * 4;
  const auto [first, last] = std::ranges::minmax(xs);
  const bool whole = std::ranges::all_of(xs, [](double v) { return v == std::floor(v); });
  const LinearAxis x(first, last, kPlotLeft, kPlotWidth - kPlotRight, whole);
  const LinearAxis y(from_zero ? std::min(low, 0.0) : low, high, kPlotHeight - kPlotBottom,
                     kPlotTop, false);

  auto figure = add(parent, "figure");
  add(figure, "figcaption", plot.title);
  auto svg = add_drawing(figure, kPlotWidth, kPlotHeight,
                         fmt::format("{}: {} from {} to {}; the table below has the numbers",
                                     plot.title, plot.y_title, number(least), number(most)));
  add_axes(svg, plot, x, y);
  for (const PlotLine& line : plot.lines) {
    if (line.y > y.to || line.y < y.from) continue;
    add_line(svg, x.begin, y.at(line.y), x.end, y.at(line.y), "level");
    add_text(svg, x.end, y.at(line.y) - 4, line.name, "end");
  }
  for (const PlotSpan& span : plot.spans)
    add_line(svg, x.at(span.x), y.at(span.low), x.at(span.x), y.at(span.high), "span");
  if (plot.joined) {
    std::string path;
    for (const PlotPoint& p : plot.points)
      if (p.y) path += fmt::format("{:.1f},{:.1f} ", x.at(p.x), y.at(*p.y));
    svg.append_child("polyline").append_attribute("points") = path.c_str();
  }
  for (const PlotPoint& p : plot.points) {
    const double at = x.at(p.x);
    if (p.y) {
      add_dot(svg, at, y.at(*p.y), p.marked ? "marked" : "dot",
              fmt::format("{}: {}", p.name, number(*p.y)));
      continue;
    }
    add_line(svg, at - 4, y.begin - 4, at + 4, y.begin + 4, "failed");
    add_line(svg, at - 4, y.begin + 4, at + 4, y.begin - 4, "failed");
  }
  add_data(figure, plot);
}

void add_pictures(xml_node parent, const std::string& title, const PicturePair& pictures) {
  if (pictures.got.empty()) return;  // a report from outside may contain other data
  auto figure = add(parent, "figure");
  add(figure, "figcaption", title);
  auto row = add(figure, "div", "", "pictures");
  for (const auto& [name, file] : {std::pair{"written", &pictures.got},
                                   {"expected", &pictures.want},
                                   {"difference", &pictures.difference}}) {
    auto one = add(row, "div");
    auto image = add(one, "img");
    image.append_attribute("src") = ("data:image/bmp;base64," + *file).c_str();
    image.append_attribute("alt") = name;
    add(one, "p", name, "soft");
  }
}

void add_heat_map(xml_node parent, const std::string& title, const WrongMap& map) {
  if (map.planes < 1 || map.shares.empty()) return;
  const auto rows = static_cast<int>(map.shares.size()) / map.planes;
  const double wide = (kPlotWidth - kPlotLeft - kPlotRight) / map.planes;
  const double high = (kPlotHeight - kPlotTop - kPlotBottom) / rows;
  auto figure = add(parent, "figure");
  add(figure, "figcaption", title);
  auto svg = add_drawing(figure, kPlotWidth, kPlotHeight,
                         title + " by map and row; the table below has the numbers");
  add_text(svg, 2, 12, "row", "start");
  add_text(svg, kPlotWidth / 2, kPlotHeight - 6, "map", "middle");
  for (const auto& [at, row] : {std::pair{kPlotTop + 10, 0}, {kPlotHeight - kPlotBottom, rows - 1}})
    add_text(svg, kPlotLeft - 5, at, fmt::format("{}", row), "end");
  for (const int plane : {0, map.planes - 1})
    add_text(svg, kPlotLeft + (plane + 0.5) * wide, kPlotHeight - kPlotBottom + 15,
             fmt::format("{}", plane), "middle");
  auto details = add_folded(figure, "The numbers of this plot");
  HtmlTable table(details, {"Map", "Rows", "Wrong"}, {true, false, true});
  constexpr int kMostLines = 100;
  int lines = 0;
  for (int plane = 0; plane < map.planes; ++plane)
    for (int row = 0, end = 0; row < rows; row = end) {
      const auto share = [&](int r) {
        return map.shares[static_cast<std::size_t>(plane * rows + r)];
      };
      for (end = row + 1; end < rows && share(end) == share(row);) ++end;  // rows that look equal
      auto box = add(svg, "rect", "", share(row) > 0 ? "heat" : "cold");
      set_number(box, "x", kPlotLeft + plane * wide);
      set_number(box, "y", kPlotTop + row * high);
      set_number(box, "width", wide);
      set_number(box, "height", (end - row) * high);
      if (share(row) > 0)
        box.append_attribute("fill-opacity") = number(0.3 + 0.7 * share(row)).c_str();
      if (share(row) > 0 && ++lines <= kMostLines)
        table.row({{fmt::format("{}", plane)},
                   {end - row > 1 ? fmt::format("{} to {}", row, end - 1) : fmt::format("{}", row)},
                   {fmt::format("{:.0f} %", 100 * share(row))}});
    }
  if (lines > kMostLines) table.row({{}, {fmt::format("{} more", lines - kMostLines)}, {}});
}

}  // namespace opgrade::report
