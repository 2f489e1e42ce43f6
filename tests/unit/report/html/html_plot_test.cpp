#include "grader/report/html/html_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace opgrade::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string drawn(const Plot& plot) {
  pugi::xml_document document;
  add_plot(document.append_child("main"), plot);
  std::ostringstream out;
  document.save(out, "", pugi::format_raw | pugi::format_no_declaration);
  return out.str();
}

Plot three() {
  return {.title = "Op Times",
          .x_title = "attempt",
          .y_title = "Op Time, ms",
          .points = {{.x = 1, .y = 20, .name = "submission 7"},
                     {.x = 2, .y = std::nullopt, .name = "submission 8"},
                     {.x = 3, .y = 10, .name = "submission 9", .marked = true}},
          .lines = {{15, "full points"}, {500, "no points"}}};
}

TEST(HtmlPlot, EachPointIsDrawnAndInTheTable) {
  const std::string html = drawn(three());
  EXPECT_THAT(html, AllOf(HasSubstr("<td data-label=\"Point\"><span>submission 7</span>"),
                          HasSubstr("<span>failed</span>"), HasSubstr("class=\"failed\""),
                          HasSubstr("class=\"marked\""), HasSubstr("role=\"img\"")));
  EXPECT_THAT(html, HasSubstr("<title>Op Times: Op Time, ms from 10 to 20"));
}

TEST(HtmlPlot, ALineFarAboveThePointsIsInTheTableAlone) {
  const std::string html = drawn(three());
  EXPECT_THAT(html, AllOf(HasSubstr(">full points</text>"), Not(HasSubstr(">no points</text>")),
                          HasSubstr("<span>no points</span>"), HasSubstr("<span>500</span>")));
}

TEST(HtmlPlot, NeighboursOfOneNameShareARowAndASpanHasItsOwn) {
  Plot plot = three();
  plot.points[1].name = plot.points[0].name;
  plot.spans = {{1, 9, 21, "95 %"}};
  EXPECT_THAT(drawn(plot), AllOf(HasSubstr("<span>20, failed</span>"),
                                 HasSubstr("<span>9 to 21</span>"), HasSubstr("class=\"span\"")));
}

TEST(HtmlPlot, AThousandPointsAreThinnedAndTheReadersOwnStays) {
  Plot plot = three();
  plot.points.clear();
  for (int i = 0; i < 1000; ++i)
    plot.points.push_back({.x = i + 1.0, .y = i + 5.0, .name = "student", .marked = i == 501});
  const std::string html = drawn(plot);
  std::size_t dots = 0;
  for (auto at = html.find("<circle"); at != html.npos; at = html.find("<circle", at + 1)) ++dots;
  EXPECT_LT(dots, 250u);
  EXPECT_GT(dots, 150u);
  EXPECT_THAT(html, AllOf(HasSubstr("class=\"marked\""), HasSubstr("from 5 to 1004")));
}

TEST(HtmlPlot, OneValueIsNoPlot) {
  Plot plot = three();
  plot.points.pop_back();
  EXPECT_THAT(drawn(plot), Not(HasSubstr("<svg")));
}

TEST(HtmlPlot, EveryNumberStaysInsideTheDrawing) {
  for (const double scale : {1e-12, 1.0, 1e12}) {
    for (const double spread : {0.0, 1e-9, 1.0}) {
      Plot plot = three();
      plot.points[0].y = scale;
      plot.points[2].y = scale * (1 + spread);
      plot.points[1].y = std::numeric_limits<double>::quiet_NaN();
      const std::string html = drawn(plot);
      EXPECT_THAT(html, AllOf(HasSubstr("<circle"), Not(HasSubstr("nan")), Not(HasSubstr("inf\""))))
          << scale << " " << spread;
      for (auto at = html.find("cy=\""); at != html.npos; at = html.find("cy=\"", at + 1)) {
        const double y = std::stod(html.substr(at + 4));
        EXPECT_TRUE(y >= 0 && y <= 210) << y;
      }
    }
  }
}

}  // namespace
}  // namespace opgrade::report
