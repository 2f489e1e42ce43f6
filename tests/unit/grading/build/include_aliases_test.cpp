// Headers at paths of another project's: what is found, and that nothing leads out.
#include "grader/grading/build/include_aliases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

class IncludeAliases : public testing::Test {
 protected:
  /// What the compiler finds at `path`, searching from the start, when a source includes it.
  std::string found(const std::string& path) {
    const TempDir folder("opgrade-test-");
    TakenFiles taken{".", {{"a.cu", "// first\r  #  include \"" + path + "\" // why\nint x;\n"}}};
    taken.files.insert(taken.files.end(), files.begin(), files.end());
    write_include_aliases(taken, {"gpu-new-forward.h", "mxnet/base.h"}, folder.path() / "aliases");
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      EXPECT_FALSE(entry.is_symlink());
    for (const auto& entry : fs::directory_iterator(folder.path()))
      EXPECT_EQ(entry.path().filename(), "aliases") << "nothing beside it";
    std::ifstream file(alias_start(folder.path() / "aliases").string() + "/" + path);
    std::string line;
    std::getline(file, line);
    return line;
  }

  std::vector<TakenFile> files{{"tile.h", ""},
                               {"lib/sums.inc", ""},
                               {"lib/deep/only.h", ""},
                               {"one/twice.h", ""},
                               {"two/twice.h", ""}};
};

TEST_F(IncludeAliases, TheCoursesHeadersAreFoundWhateverThePath) {
  for (const char* const path :
       {"../../src/layer/custom/gpu-new-forward.h", "./src/layer/custom/gpu-new-forward.h",
        "src//layer/./custom/gpu-new-forward.h", "../gpu-new-forward.h", "a/../b/gpu-new-forward.h",
        "../../../../../../../../gpu-new-forward.h"})
    EXPECT_EQ(found(path), "#include <gpu-new-forward.h>") << path;
  EXPECT_EQ(found("../../include/mxnet/base.h"), "#include <mxnet/base.h>");
}

TEST_F(IncludeAliases, TheSubmissionsOwnFilesToo) {
  EXPECT_EQ(found("../../../m3/tile.h"), "#include <tile.h>");
  EXPECT_EQ(found("../lib/sums.inc"), "#include <lib/sums.inc>");
  EXPECT_EQ(found("elsewhere/only.h"), "#include <lib/deep/only.h>");
  EXPECT_EQ(found("x/two/twice.h"), "#include <two/twice.h>");
  files.push_back({"gpu-new-forward.h", ""});
  EXPECT_EQ(found("../custom/gpu-new-forward.h"), "#include <gpu-new-forward.h>");
}

TEST_F(IncludeAliases, PathsInAngleBracketsToo) {
  const TempDir folder("opgrade-test-");
  write_include_aliases({".", {{"a.cu", "#include <../libwb/wb.h>\n#include <sys/time.h>\n"}}},
                        {"wb.h"}, folder.path() / "aliases");
  const auto start = alias_start(folder.path() / "aliases");
  EXPECT_TRUE(fs::exists(start.parent_path() / "libwb/wb.h"));
  EXPECT_FALSE(fs::exists(start / "sys/time.h"));
}

/// A source after its absolute paths are those of this machine.
class LocalIncludes : public testing::Test {
 protected:
  std::string local(const std::string& source) {
    return with_local_includes(source, {".", {{"tile.h", ""}, {"lib/sums.inc", ""}}},
                               {"wb.h", "mxnet/base.h"});
  }
};

TEST_F(LocalIncludes, AnAbsolutePathMeansTheFileOfItsLastParts) {
  EXPECT_EQ(local("#include \"/home/ada/libwb/wb.h\"\nint x;\n"),
            "#include <wb.h>                \nint x;\n");
  EXPECT_EQ(local("  #  include </u/class/mxnet/base.h> // why\r\nint x;"),
            "  #  include <mxnet/base.h>          // why\r\nint x;");
  EXPECT_EQ(local("#include \"/h/tile.h\"\n#include \"/x/lib/sums.inc\""),
            "#include <tile.h>   \n#include <lib/sums.inc>   ");
  EXPECT_EQ(local("#include \"/wb.h\""), "#include <wb.h> ");
}

TEST_F(LocalIncludes, OtherTextStays) {
  for (const std::string text :
       {"#include \"wb.h\"\n", "#include <wb.h>\n", "#include \"../libwb/wb.h\"\n",
        "#include \"/usr/include/wb.h\"\n", "#include \"/proc/self/root/usr/wb.h\"\n",
        "#include \"/lib/../home/wb.h\"\n", "#include \"/home/../etc/wb.h\"\n",
        "#include \"/home/other.h\"\n", "#include \"/\"\n", "#include \"/home/wb.h\n",
        "const char* p = \"/home/wb.h\";\n", "", "\n\r\n", "// #include \"/home/wb.h\"\n"})
    EXPECT_EQ(local(text), text);
}

TEST_F(IncludeAliases, NothingElseIsFound) {
  for (const std::string path : {"../missing.h", "x/twice.h", "/etc/passwd",
                                 "/src/gpu-new-forward.h", "gpu-new-forward.h/..", "../..", "lib/",
                                 ".", "../../../../../../../../../gpu-new-forward.h",
                                 "../../../../../../../../../../../../../../../../tmp/tile.h"})
    EXPECT_EQ(found(path), "") << path;
  found(std::string(300, 'n') + "/tile.h");
  found("tile.h/tile.h");
  found(std::string("a\0b/tile.h", 10));
}

TEST_F(IncludeAliases, AFileInTheWayOfAFolderIsNoHarm) {
  files.push_back({"b.cu", "#include \"x/tile.h\"\n#include \"x/tile.h/tile.h\"\n"});
  EXPECT_EQ(found("x/tile.h"), "#include <tile.h>");
}

TEST_F(IncludeAliases, ThereIsABound) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "#include \"" + std::to_string(i) + "/tile.h\"\n";
  const TempDir folder("opgrade-test-");
  write_include_aliases({".", {{"tile.h", text}}}, {}, folder.path() / "aliases");
  const auto start = alias_start(folder.path() / "aliases");
  EXPECT_LE(std::distance(fs::directory_iterator(start), fs::directory_iterator()), 1000);
}

}  // namespace
}  // namespace opgrade
