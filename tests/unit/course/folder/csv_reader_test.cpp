#include "grader/course/folder/csv_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade::course {
namespace {

using testing::ElementsAre;

TEST(Csv, ReadsWhatSpreadsheetsWrite) {
  const auto rows = read_csv("\xEF\xBB\xBFid,name\r\n1,\"Lovelace, Ada\"\r\n\r\n,\r\n2, Bob \r\n");
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_THAT((*rows)[0].cells, ElementsAre("id", "name"));
  EXPECT_THAT((*rows)[1].cells, ElementsAre("1", "Lovelace, Ada"));
  EXPECT_THAT((*rows)[2].cells, ElementsAre("2", "Bob"));
  EXPECT_EQ((*rows)[2].line, 5);
}

TEST(Csv, QuotesMayHoldQuotesAndLines) {
  const auto rows = read_csv("a,\"say \"\"hi\"\"\nthere\",b\nc");
  ASSERT_TRUE(rows.has_value());
  EXPECT_THAT((*rows)[0].cells, ElementsAre("a", "say \"hi\"\nthere", "b"));
  EXPECT_EQ((*rows)[1].line, 3);
}

TEST(Csv, NamesTheLineOfAnOpenQuote) {
  const auto rows = read_csv("a,b\n1,\"open\n2,3\n");
  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().line, 2);
  EXPECT_EQ(rows.error().text, "a quoted cell has no closing quote");
  EXPECT_EQ(read_csv("\"a\"b\n").error().line, 1);
}

}  // namespace
}  // namespace opgrade::course
