#include "grader/course/documents/markdown_page.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace opgrade::documents {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of(const std::string& tree) {
  pugi::xml_document page;
  add_markdown_document(page.append_child("section"), tree);
  std::ostringstream text;
  page.print(text, "", pugi::format_raw | pugi::format_no_declaration);
  return text.str();
}

std::string in_document(const std::string& nodes) {
  return "<document xmlns=\"http://commonmark.org/xml/1.0\">\n  " + nodes + "\n</document>\n";
}

std::string link_to(const std::string& address) {
  return page_of(in_document("<paragraph><link destination=\"" + address +
                             "\" title=\"t\"><text xml:space=\"preserve\">here</text></link>"
                             "</paragraph>"));
}

std::string picture_of(const std::string& address) {
  return page_of(
      in_document("<paragraph><image destination=\"" + address +
                  "\" title=\"t\"><text xml:space=\"preserve\">Op \"Times\"</text></image>"
                  "</paragraph>"));
}

TEST(MarkdownPage, HasAnElementForEachKindOfNode) {
  EXPECT_EQ(
      page_of(in_document("<heading level=\"1\"><text xml:space=\"preserve\">T</text></heading>\n"
                          "<paragraph>\n <text xml:space=\"preserve\">a </text>\n"
                          "<strong><text xml:space=\"preserve\">b</text></strong><softbreak />"
                          "<code xml:space=\"preserve\">x &lt; y</code><linebreak /></paragraph>"
                          "<thematic_break />")),
      "<section><h3>T</h3><p>a <strong>b</strong>\n<code>x &lt; y</code><br/></p><hr/></section>");
  EXPECT_EQ(
      page_of(in_document("<list type=\"ordered\" start=\"3\" tight=\"true\"><item><paragraph>"
                          "<text xml:space=\"preserve\">x</text></paragraph></item></list>")),
      "<section><ol start=\"3\"><li>x</li></ol></section>");
  EXPECT_EQ(
      page_of(in_document("<table>\n<table_header><table_cell align=\"right\">"
                          "<text xml:space=\"preserve\">ms</text></table_cell></table_header>\n"
                          "<table_row><table_cell><text xml:space=\"preserve\">3</text>"
                          "</table_cell></table_row></table>")),
      "<section><table><thead><tr><th scope=\"col\" align=\"right\">ms</th></tr></thead><tbody>"
      "<tr><td>3</td></tr></tbody></table></section>");
}

TEST(MarkdownPage, ShowsElementsOfTheTextAsTheyWereTyped) {
  EXPECT_EQ(
      page_of(in_document("<html_block xml:space=\"preserve\">&lt;script&gt;f()&lt;/script&gt;"
                          "</html_block>")),
      "<section><pre><code>&lt;script&gt;f()&lt;/script&gt;</code></pre></section>");
  EXPECT_EQ(page_of(in_document("<paragraph><html_inline xml:space=\"preserve\">&lt;img src=x "
                                "onerror=f()&gt;</html_inline></paragraph>")),
            "<section><p>&lt;img src=x onerror=f()&gt;</p></section>");
}

TEST(MarkdownPage, LinksLeadToTheWebAndSayWhere) {
  EXPECT_EQ(
      link_to("https://example.org/a?b=1"),
      "<section><p><a href=\"https://example.org/a?b=1\" rel=\"noopener noreferrer nofollow\">"
      "here (https://example.org/a?b=1)</a></p></section>");
  for (const char* const address :
       {"javascript:f()", "JaVaScRiPt:f()", " javascript:f()", "java&#10;script:f()",
        "data:text/html,x", "vbscript:f()", "file:///etc/passwd", "//evil.example", "/sign-out",
        "#top", "mailto:a@b.example", "https:\\\\evil.example", "https:/evil.example", "", "http",
        "blob:https://a.example/1"})
    EXPECT_EQ(link_to(address), "<section><p>here</p></section>") << address;
}

TEST(MarkdownPage, PicturesAreTheirAddressAndDescription) {
  EXPECT_EQ(
      picture_of("https://evil.example/p.png"),
      "<section><p>[picture https://evil.example/p.png, not loaded, since it is outside of the "
      "hand-in: Op \"Times\"]</p></section>");
  EXPECT_EQ(picture_of("fig.png"),
            "<section><p>[picture fig.png, not among the files of the hand-in: Op "
            "\"Times\"]</p></section>");
  for (const char* const address :
       {"fig.png", "//evil.example/p.png", "../fig.png", "data:image/png;base64,AAAA",
        "file:///etc/passwd", "x&quot; onerror=&quot;f()"}) {
    const std::string page = picture_of(address);
    EXPECT_THAT(page, Not(HasSubstr("<img"))) << page;
    EXPECT_THAT(page, HasSubstr("Op \"Times\"")) << page;
  }
}

TEST(MarkdownPage, ShowsTheRenderedPicturesAlone) {
  const std::vector<std::string> addresses{"/documents/7/pages/1", "/documents/7/pages/2"};
  const auto shown = [&](const std::string& number) {
    pugi::xml_document page;
    add_markdown_document(
        page.append_child("section"),
        in_document("<image destination=\"fig.png\" opgrade-shown=\"" + number +
                    "\"><text xml:space=\"preserve\">a &quot;b&quot;</text></image>"),
        addresses);
    std::ostringstream text;
    page.print(text, "", pugi::format_raw | pugi::format_no_declaration);
    return text.str();
  };
  EXPECT_EQ(shown("2"),
            "<section><img src=\"/documents/7/pages/2\" alt=\"a &quot;b&quot;\" "
            "loading=\"lazy\"/></section>");
  EXPECT_THAT(shown("0"), HasSubstr("[picture fig.png, cannot be shown: a \"b\"]"));
  for (const char* const number : {"3", "-1", "x", "1/../../../log-out", "99999999999999999999"})
    EXPECT_THAT(shown(number), Not(HasSubstr("<img"))) << number;
}

TEST(MarkdownPage, OfATreeThatARendererMadeUpHasNoElementButItsOwn) {
  const std::string page = page_of(in_document(
      "<script>f()</script><style>x</style><iframe src=\"https://evil.example\"/>"
      "<paragraph onclick=\"f()\" id=\"main\" style=\"x\" class=\"y\"><svg "
      "onload=\"f()\"/></paragraph>"
      "<list type=\"ordered\" start=\"1&quot; onclick=&quot;f()\"><item/></list>"
      "<heading level=\"-99999999999\"/><heading level=\"x\"/><heading level=\"99\"/>"
      "<table><table_row><table_cell align=\"x&quot; onclick=&quot;f()\"/></table_row></table>"
      "<!-- c --><?php f() ?><![CDATA[<script>f()</script>]]>"));
  EXPECT_EQ(page,
            "<section><p/><ol><li/></ol><h3/><h3/><h6/><table><tbody><tr><td/></tr></tbody></table>"
            "</section>");
}

TEST(MarkdownPage, ShowsWhatNobodySeesByItsNumber) {
  const std::string page = page_of(
      in_document("<paragraph><text xml:space=\"preserve\">a\u202Eb&#x1b;[2J</text></paragraph>"));
  EXPECT_THAT(page, Not(HasSubstr("\u202E")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
}

TEST(MarkdownPage, EndsWhereItIsNestedTooDeeply) {
  std::string open, close;
  for (int i = 0; i < 20'000; ++i) {
    open += "<block_quote>";
    close += "</block_quote>";
  }
  const std::string page = page_of(in_document(open + close));
  EXPECT_THAT(page, HasSubstr("[nested too deeply to be shown]"));
  EXPECT_LT(page.size(), 5000u);
}

TEST(MarkdownPage, OfWhatIsNoTreeSaysSo) {
  EXPECT_THAT(page_of("<document><paragraph>"), HasSubstr("not readable as Markdown"));
  EXPECT_THAT(page_of(""), HasSubstr("not readable as Markdown"));
}

}  // namespace
}  // namespace opgrade::documents
