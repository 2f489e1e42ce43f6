#include "grader/report/html/html.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "grader/report/html/html_style.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

/// Without the pictures of outputs, which are part of the page.
std::string without_pictures(const std::string& html) {
  return std::regex_replace(html, std::regex("<img src=\"data:image/bmp;base64,[A-Za-z0-9+/=]*\""),
                            "");
}

TEST(Html, APictureIsShownBesideTheExpectedOneAndTheDifference) {
  Grade grade = test::full_grade();
  grade.stages.at(0).cases.at(0).calls.at(0).check.picture =
      PicturePair{"Z290", "d2FudA==", "ZGlm"};
  const std::string page = html_report(grade, Audience::staff);
  for (const char* const file : {"Z290", "d2FudA==", "ZGlm"})
    EXPECT_NE(page.find(std::string("src=\"data:image/bmp;base64,") + file + "\""), page.npos);
  EXPECT_NE(page.find("img-src data:"), page.npos) << "the page allows no other source";
}

TEST(Html, TextsStayTexts) {
  Grade grade = test::full_grade();
  test::for_each_text(grade, [](std::string& text) {
    text = "</pre></style></title><script>x()</script><img src=x onerror=y>\" onclick=z ' &amp;";
  });
  const std::string html = without_pictures(html_report(grade, Audience::staff));
  EXPECT_FALSE(holds(html, "<script"));
  EXPECT_FALSE(holds(html, "<img"));
  EXPECT_TRUE(holds(html, "&lt;script&gt;x()"));
  EXPECT_TRUE(holds(html, "&amp;amp;"));
  // Attributes hold none of the grade's texts.
  EXPECT_FALSE(std::regex_search(html, std::regex("=\"[^\"]*onclick")));
}

TEST(Html, NothingIsLoadedFromOutside) {
  const std::string html = without_pictures(html_report(test::full_grade(), Audience::staff));
  EXPECT_TRUE(holds(html, "default-src 'none'"));
  for (const char* part :
       {"http:", "https:", "src=", "href=", "url(", "@import", "<link", "<script"}) {
    EXPECT_FALSE(holds(html, part)) << part;
  }
}

TEST(Html, AMapShowsWhereAnOutputIsWrong) {
  Grade grade = test::full_grade();
  grade.stages.at(0).cases.at(0).calls.at(0).check.map = WrongMap{7, 2, {0, 0, 0, 1, 1, 0.5}};
  const std::string html = html_report(grade, Audience::student);
  EXPECT_TRUE(holds(html, "wrong elements of image 7"));
  const auto boxes = [&](const char* css) {
    const std::regex box(std::string("<rect class=\"") + css);
    return std::distance(std::sregex_iterator(html.begin(), html.end(), box), {});
  };
  EXPECT_EQ(boxes("heat"), 2) << "rows 0 and 1 of the second map together, then row 2";
  EXPECT_EQ(boxes("cold"), 1);
  EXPECT_TRUE(std::regex_search(html, std::regex("0 to 1</span>\\s*</td>[^%]*100 %")));
}

TEST(Html, TheStyleSurvivesTheSerialiser) {
  EXPECT_EQ(std::string(kHtmlStyle).find_first_of("<>&"), std::string::npos);
  EXPECT_TRUE(holds(html_report({}, Audience::staff), kHtmlStyle));
}

TEST(Html, IsAnHtmlDocument) {
  const std::string html = html_report(test::passed_grade(), Audience::student);
  EXPECT_EQ(html.substr(0, 15), "<!DOCTYPE html>");
  EXPECT_FALSE(holds(html, "</meta>"));
  EXPECT_FALSE(std::regex_search(html, std::regex("<(td|div|p|span|details)[^>]*/>")));
}

// Code and output keep their white space in a browser: a line that the serialiser adds shows there.
TEST(Html, TheSerialiserAddsNoLines) {
  for (const Audience audience : {Audience::student, Audience::staff}) {
    const std::string html = html_report(test::full_grade(), audience);
    EXPECT_FALSE(std::regex_search(html, std::regex(">\\n *<")));
  }
}

TEST(Html, WhatAPassedCasePrintedIsBehindAFold) {
  Grade grade = test::passed_grade();
  CaseReport& c = grade.stages[0].cases[0];
  EXPECT_FALSE(holds(html_report(grade, Audience::student), "printed</summary>"));
  c.student_output = "sum <1>\n";
  const std::string folded = "<details><summary>what " + c.id + " printed</summary><pre>sum &lt;1";
  EXPECT_TRUE(holds(html_report(grade, Audience::student), folded));
  c.hidden = true;
  EXPECT_FALSE(holds(html_report(grade, Audience::student), "sum "));
  EXPECT_TRUE(holds(html_report(grade, Audience::staff), folded));
}

TEST(Html, HasItsContentInALandmark) {
  const std::string html = html_report(test::full_grade(), Audience::student);
  EXPECT_TRUE(holds(html, "<body><main><h1>"));
  EXPECT_TRUE(holds(html, "</main></body>"));
}

TEST(Html, AStageThatWasNotRunSaysSo) {
  Grade grade = test::grade_with(Outcome::not_run);
  grade.stages[0].cases[0].points[0].open = true;
  grade.stages[0].cases[0].calls.clear();
  const std::string html = html_report(grade, Audience::student);
  EXPECT_TRUE(holds(html, "<span class=\"open\">not run</span>"));
  EXPECT_TRUE(holds(html, "open: "));
  EXPECT_FALSE(holds(html, "class=\"good\""));
  EXPECT_FALSE(holds(html, "class=\"bad\""));
}

TEST(Html, HiddenCasesShowNoDetails) {
  Grade grade = test::grade_with(Outcome::wrong_output);
  grade.stages[0].cases[0].hidden = true;
  const std::string html = html_report(grade, Audience::student);
  for (const char* secret : {"cpu/high", "conv1", "what happened", "0.886"}) {
    EXPECT_FALSE(holds(html, secret)) << secret;
  }
  EXPECT_TRUE(holds(html, "hidden 1"));
}

}  // namespace
}  // namespace opgrade::report
