/// Points over two linear axes, with lines to compare them with.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

struct PlotPoint {
  double x = 0;
  std::optional<double> y;  ///< none: a failed one, marked by a cross on the axis
  std::string name;         ///< in the table and under the pointer: "submission 17"
  bool marked = false;      ///< the reader's own, or the one that counts
};

struct PlotSpan {
  double x = 0, low = 0, high = 0;
  std::string name;  ///< "conv1, 95 % of the median"
};

struct PlotLine {
  double y = 0;
  std::string name;  ///< "full points"
};

struct Plot {
  std::string title;
  std::string x_title, y_title;             ///< with the unit: "Op Time, ms"
  std::string (*y_text)(double) = nullptr;  ///< in the table; none: four digits
  std::vector<PlotPoint> points{};          ///< neighbours of one name share a row of the table
  std::vector<PlotSpan> spans{};
  std::vector<PlotLine> lines{};
  bool joined = false;  ///< in the order of the points, which is that of time
};

/// Appends a figure: an SVG drawing that is readable at 360 pixels, and its data as a folded table.
/// Nothing where fewer than two points have a value. Of hundreds of points, marked ones and each
/// n-th of the others stay.
void add_plot(pugi::xml_node parent, const Plot& plot);

/// Appends a figure of planes side by side, the more of a row is wrong the darker it is, with the
/// rows as a folded table.
void add_heat_map(pugi::xml_node parent, const std::string& title, const WrongMap& map);

/// Appends a figure of a wrong picture, the expected one and the difference, side by side.
void add_pictures(pugi::xml_node parent, const std::string& title, const PicturePair& pictures);

/// The parts of a drawing. `css` is a class of the style sheet.
pugi::xml_node add_drawing(pugi::xml_node parent, double width, double height,
                           const std::string& title);
void add_line(pugi::xml_node svg, double x1, double y1, double x2, double y2, const char* css);
/// `anchor`: "start", "middle" or "end".
void add_text(pugi::xml_node svg, double x, double y, const std::string& words, const char* anchor);
void add_dot(pugi::xml_node svg, double x, double y, const char* css, const std::string& name = "");

}  // namespace opgrade::report
