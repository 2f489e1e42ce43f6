#include "grader/authoring/sample_edits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class SampleEdits : public testing::Test {
 protected:
  SampleEdits() {
    fs::create_directory(place.path() / "solution");
    write("solution/scale.cu", "if (i < n) y[i] = 2 * x[i];\n__syncthreads();\n__syncthreads();\n");
    write("solution/scale.cc", "return 0;\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(place.path() / name) << text;
  }
  std::map<std::string, std::string> edited(const std::string& yaml) const {
    write("sample.yaml", yaml);
    return edited_files(place.path() / "sample.yaml", place.path() / "solution");
  }
  std::string complaint(const std::string& yaml) const {
    try {
      edited(yaml);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "none";
  }

  TempDir place{"opgrade-sample-edits-"};
};

TEST_F(SampleEdits, TheChangedFilesAlone) {
  EXPECT_THAT(edited("scale.cc:\n  - {replace: '0', by: '1'}\n"),
              ElementsAre(Pair("scale.cc", "return 1;\n")));
}

TEST_F(SampleEdits, EachSeesTheOnesBefore) {
  EXPECT_THAT(edited("scale.cu:\n"
                     "  - replace: |\n"
                     "      x[i];\n"
                     "      __syncthreads();\n"
                     "    by: |\n"
                     "      x[i];\n"
                     "  - {replace: 'if (i < n) '}\n"
                     "  - {replace: __syncthreads();}\n"),
              ElementsAre(Pair("scale.cu", "y[i] = 2 * x[i];\n\n")));
}

TEST_F(SampleEdits, WhatDoesNotFitTheSolutionHasItsLine) {
  EXPECT_THAT(complaint("scale.cu:\n  - {replace: i > n, by: i}\n"),
              HasSubstr("sample.yaml:2:5: solution/scale.cu has no 'i > n'"));
  EXPECT_THAT(complaint("scale.cu:\n  - {replace: __syncthreads();}\n"),
              HasSubstr("has '__syncthreads();' more than once"));
  EXPECT_THAT(complaint("other.cu:\n  - {replace: a}\n"),
              HasSubstr("1:1: solution/ has no file 'other.cu'"));
  EXPECT_THAT(complaint("../solution/scale.cu:\n  - {replace: i, by: j}\n"),
              HasSubstr("solution/ has no file"));
}

TEST_F(SampleEdits, WhatIsNoListOfEditsIsSaid) {
  EXPECT_THAT(complaint(""), HasSubstr("no file is changed"));
  EXPECT_THAT(complaint("- scale.cu\n"), HasSubstr("no file is changed"));
  EXPECT_THAT(complaint("scale.cu: i\n"), HasSubstr("a list of edits is missing"));
  EXPECT_THAT(complaint("scale.cu:\n  - {by: i}\n"), HasSubstr("`replace` is missing"));
  EXPECT_THAT(complaint("scale.cu:\n  - {replace: '', by: i}\n"),
              HasSubstr("`replace` is missing"));
  EXPECT_THAT(complaint("scale.cu:\n  - {replace: i, with: j}\n"), HasSubstr("'with'"));
  EXPECT_THAT(complaint("scale.cu: [\n"), HasSubstr("sample.yaml:"));
}

}  // namespace
}  // namespace opgrade
