/// A plot of points over two linear axes, with lines for comparison.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

struct PlotPoint {
  double x = 0;
  std::optional<double> y;  ///< absent: the value failed, and a cross on the axis marks it
  std::string name;         ///< shown in the table and under the pointer: "submission 17"
  bool marked = false;      ///< the reader's own point, or the one that counts
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
  std::string (*y_text)(double) = nullptr;  ///< formats values in the table; null: four digits
  std::vector<PlotPoint> points{};  ///< neighbours with the same name share a row of the table
  std::vector<PlotSpan> spans{};
  std::vector<PlotLine> lines{};
  bool joined = false;  ///< a line joins the points in their order, which is that of time
};

/// Appends a figure: an SVG drawing that is readable at 360 pixels, and its data as a folded table.
/// Appends nothing if fewer than two points have a value. Of hundreds of points only the marked
/// ones and every n-th other point are drawn.
void add_plot(pugi::xml_node parent, const Plot& plot);

/// Appends a figure of adjacent planes, in which a row is darker if more of it is wrong, with the
/// rows as a folded table.
void add_heat_map(pugi::xml_node parent, const std::string& title, const WrongMap& map);

/// Appends a figure with the wrong picture, the expected picture and the difference.
void add_pictures(pugi::xml_node parent, const std::string& title, const PicturePair& pictures);

/// Functions that append the parts of a drawing. `css` is a class of the style sheet.
pugi::xml_node add_drawing(pugi::xml_node parent, double width, double height,
                           const std::string& title);
void add_line(pugi::xml_node svg, double x1, double y1, double x2, double y2, const char* css);
/// `anchor`: "start", "middle" or "end".
void add_text(pugi::xml_node svg, double x, double y, const std::string& words, const char* anchor);
void add_dot(pugi::xml_node svg, double x, double y, const char* css, const std::string& name = "");

}  // namespace opgrade::report
