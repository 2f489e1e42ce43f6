#include "grader/emulation/driver/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade::emulation {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DriverOptions, take_a_builds_command_line) {
  const DriverOptions o =
      parse_driver_options({"-shared", "-o", "s.so", "-I", "inc", "-Idir", "-DX=1", "-O2",
                            "-std=c++17", "--check", "a.cu", "b.cc", "-L/x", "-lfoo"});
  EXPECT_TRUE(o.shared);
  EXPECT_TRUE(o.check);
  EXPECT_EQ(o.output, "s.so");
  EXPECT_THAT(o.sources, ElementsAre("a.cu", "b.cc"));
  EXPECT_THAT(o.compiler_flags, ElementsAre("-I", "inc", "-Idir", "-DX=1", "-O2", "-std=c++17"));
  EXPECT_THAT(o.link_flags, ElementsAre("-L/x", "-lfoo"));
  EXPECT_THAT(o.problems, IsEmpty());
}

TEST(DriverOptions, leave_out_what_concerns_gpu_code) {
  const DriverOptions o =
      parse_driver_options({"-arch=sm_90", "-gencode", "arch=compute_90,code=sm_90", "-Xptxas",
                            "-v", "--expt-relaxed-constexpr", "-lineinfo", "-rdc=true", "-lcublas",
                            "-lcudart", "-use_fast_math", "a.cu"});
  EXPECT_THAT(o.compiler_flags, IsEmpty());
  EXPECT_THAT(o.link_flags, IsEmpty());
  EXPECT_TRUE(o.cublas);
  EXPECT_THAT(o.sources, ElementsAre("a.cu"));
}

TEST(DriverOptions, pass_the_host_compilers_own_on) {
  const DriverOptions o = parse_driver_options(
      {"-Xcompiler", "-fPIC,-Wall", "-Xcompiler=-g", "--std", "c++20", "a.cu"});
  EXPECT_THAT(o.compiler_flags, ElementsAre("-fPIC", "-Wall", "-g", "-std=c++20"));
}

TEST(DriverOptions, OpenMPIsLinked) {
  const DriverOptions o = parse_driver_options({"-Xcompiler=-g,-fopenmp", "a.cu"});
  EXPECT_THAT(o.compiler_flags, ElementsAre("-g", "-fopenmp"));
  EXPECT_THAT(o.link_flags, ElementsAre("-fopenmp"));
}

TEST(DriverOptions, the_last_of_check_and_no_check_counts) {
  EXPECT_FALSE(parse_driver_options({"--check", "--no-check", "a.cu"}).check);
}

TEST(DriverOptions, say_what_is_missing) {
  EXPECT_THAT(parse_driver_options({}).problems, ElementsAre("no source file is given"));
  EXPECT_THAT(parse_driver_options({"a.cu", "-o"}).problems, ElementsAre("-o needs a value"));
  EXPECT_THAT(parse_driver_options({"--help"}).problems, IsEmpty());
}

TEST(PrefixMap, ChangesThePathsOfLineMarkersAlone) {
  const std::string text =
      "# 1 \"/build/share/a.cu\"\n"
      "const char* s = \"/build/share\";\n"
      "# 12 \"/build/lib/b.h\" 1 3\n"
      "#pragma x \"/build/\"\n"
      "# 3 \"/other/c.h\"";
  EXPECT_EQ(with_mapped_paths(text, {"-O1", "-ffile-prefix-map=/build=/opgrade/emulation",
                                     "-ffile-prefix-map=/build/share=/opgrade/adapters"}),
            "# 1 \"/opgrade/adapters/a.cu\"\n"
            "const char* s = \"/build/share\";\n"
            "# 12 \"/opgrade/emulation/lib/b.h\" 1 3\n"
            "#pragma x \"/build/\"\n"
            "# 3 \"/other/c.h\"");
  EXPECT_EQ(with_mapped_paths(text, {"-ffile-prefix-map=/bu", "-O2"}), text);
}

}  // namespace
}  // namespace opgrade::emulation
