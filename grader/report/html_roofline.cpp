#include "grader/report/html_roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/report/html_parts.hpp"
#include "grader/report/profile_tables.hpp"

namespace opgrade::report {
namespace {

constexpr double kWidth = 720, kHeight = 360;
constexpr double kLeft = 92, kRight = 20, kTop = 20, kBottom = 48;

/// A logarithmic axis of whole decades.
struct Axis {
  double from, to;    ///< exponents of ten
  double begin, end;  ///< on the drawing
  double at(double value) const {
    const double place = (std::log10(value) - from) / (to - from);
    return begin + std::clamp(place, 0.0, 1.0) * (end - begin);
  }
};

void line(xml_node svg, double x1, double y1, double x2, double y2, const char* css) {
  auto node = svg.append_child("line");
  node.append_attribute("class") = css;
  node.append_attribute("x1") = fmt::format("{:.1f}", x1).c_str();
  node.append_attribute("y1") = fmt::format("{:.1f}", y1).c_str();
  node.append_attribute("x2") = fmt::format("{:.1f}", x2).c_str();
  node.append_attribute("y2") = fmt::format("{:.1f}", y2).c_str();
}

void text(xml_node svg, double x, double y, const std::string& words, const char* anchor) {
  auto node = add(svg, "text", words);
  node.append_attribute("x") = fmt::format("{:.1f}", x).c_str();
  node.append_attribute("y") = fmt::format("{:.1f}", y).c_str();
  node.append_attribute("text-anchor") = anchor;
}

}  // namespace

void add_roofline(xml_node parent, const ProfileReport& profile) {
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

  auto svg = add(parent, "svg", "", "roofline");
  svg.append_attribute("viewBox") = fmt::format("0 0 {} {}", kWidth, kHeight).c_str();
  svg.append_attribute("role") = "img";
  svg.append_attribute("aria-label") = "Roofline: operations a second over operations a byte";
  for (double decade = x.from; decade <= x.to; ++decade) {
    const double at = x.at(std::pow(10, decade));
    line(svg, at, y.begin, at, y.end, "grid");
    text(svg, at, y.begin + 16, fmt::format("{:g}", std::pow(10, decade)), "middle");
  }
  for (double decade = y.from; decade <= y.to; ++decade) {
    const double at = y.at(std::pow(10, decade));
    line(svg, x.begin, at, x.end, at, "grid");
    text(svg, x.begin - 6, at + 4, show_rate(std::pow(10, decade), "FLOP/s"), "end");
  }
  text(svg, (x.begin + x.end) / 2, kHeight - 8, "operations a byte of x, k and y", "middle");

  // The slope enters where it crosses the left or the lower edge.
  const double start = std::max(std::pow(10, x.from), std::pow(10, y.from) / bandwidth);
  line(svg, x.at(start), y.at(start * bandwidth), x.at(ridge), y.at(peak), "roof");
  line(svg, x.at(ridge), y.at(peak), x.end, y.at(peak), "roof");
  text(svg, x.end, y.at(peak) - 6, "fp32 " + show_rate(peak, "FLOP/s"), "end");
  // Beside the middle of the slope, on its lower side.
  const double middle = std::sqrt(start * ridge);
  text(svg, x.at(middle) + 12, y.at(middle * bandwidth) + 12, "copy " + show_rate(bandwidth, "B/s"),
       "start");
  bool below = true;
  for (const Point& point : points) {
    auto dot = svg.append_child("circle");
    dot.append_attribute("class") = "layer";
    dot.append_attribute("cx") = fmt::format("{:.1f}", x.at(point.intensity)).c_str();
    dot.append_attribute("cy") = fmt::format("{:.1f}", y.at(point.rate)).c_str();
    dot.append_attribute("r") = "5";
    // In turns below and above, because layers of one kernel are close together.
    text(svg, x.at(point.intensity), y.at(point.rate) + (below ? 20 : -10),
         point.name + " " + show_rate(point.rate, "FLOP/s"), "middle");
    below = !below;
  }
}

}  // namespace opgrade::report
