#include "grader/report/words/xml_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace opgrade::report {
namespace {

TEST(XmlText, HasOnlyWhatXmlAllows) {
  EXPECT_EQ(xml_text(std::string("a\x01\x1f\tb\n") + '\0'), "a??\tb\n?");
  EXPECT_EQ(xml_text("\xEF\xBF\xBE|\xEF\xBF\xBF|\xEF\xBF\xBD"),
            "\xEF\xBF\xBD|\xEF\xBF\xBD|\xEF\xBF\xBD");
}

}  // namespace
}  // namespace opgrade::report
