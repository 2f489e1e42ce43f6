#include "grader/emulation/driver/toolkit_header.hpp"

#include <gtest/gtest.h>

#include <string>

namespace opgrade::emulation {
namespace {

/// "file:line feature", or "" if the source took nothing of the toolkit.
std::string taken(const std::string& preprocessed) {
  const auto found = find_toolkit_header(preprocessed, "/opt/opgrade/headers");
  return found ? found->file + ":" + std::to_string(found->line) + " " + found->feature : "";
}

TEST(ToolkitHeader, is_named_at_the_line_that_includes_it) {
  EXPECT_EQ(taken("# 1 \"a.cu\"\n\n# 1 \"/usr/include/thrust/complex.h\" 1 3\n"
                  "# 20 \"/usr/include/thrust/complex.h\" 3\n"
                  "# 1 \"/usr/include/thrust/detail/config.h\" 1 3\n"
                  "# 21 \"/usr/include/thrust/complex.h\" 2 3\nnamespace thrust {}\n"
                  "# 3 \"a.cu\" 2\nint x;\n"),
            "a.cu:2 a part of Thrust (thrust/complex.h)");
  EXPECT_EQ(taken("# 1 \"a.cu\"\n# 1 \"help.cuh\" 1\n"
                  "# 1 \"/usr/local/cuda/targets/x86_64-linux/include/curand_kernel.h\" 1 3 4\n"
                  "# 8 \"help.cuh\" 2\n# 2 \"a.cu\" 2\n"),
            "help.cuh:7 cuRAND (curand_kernel.h)");
}

TEST(ToolkitHeader, is_not_what_a_stand_in_or_a_student_has_under_its_name) {
  EXPECT_EQ(taken("# 1 \"a.cu\"\n# 1 \"/opt/opgrade/headers/cublas_v2.h\" 1 3\n# 2 \"a.cu\" 2\n"),
            "");
  EXPECT_EQ(taken("# 1 \"a.cu\"\n# 1 \"/home/ada/include/curand_helper.h\" 1\n# 2 \"a.cu\" 2\n"),
            "");
  EXPECT_EQ(taken("# 1 \"a.cu\"\n# 1 \"/usr/include/c++/12/complex\" 1 3\n# 2 \"a.cu\" 2\n"
                  "const char* s = \"/usr/include/curand.h\";\n"),
            "");
}

TEST(ToolkitHeader, reads_any_text) {
  EXPECT_EQ(taken(""), "");
  EXPECT_EQ(taken("# 1"), "");
  EXPECT_EQ(taken("# 99999999999999 \"/usr/include/curand.h\" 1 3\n# 1 \"\n# \"\" 1 3\n"), "");
  EXPECT_EQ(taken("# 1 \"/usr/include/curand.h\" 1 3\n"), "");
}

}  // namespace
}  // namespace opgrade::emulation
