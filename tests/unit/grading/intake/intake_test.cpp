#include "grader/grading/intake/intake.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/core/temp_dir.hpp"

namespace {

/// Reads that the disk still does before it fails.
int reads_left = 1'000'000;

}  // namespace

/// In place of the C library's.
extern "C" ssize_t read(int file, void* to, std::size_t bytes) {
  if (reads_left-- > 0) return ::syscall(SYS_read, file, to, bytes);
  errno = EIO;
  return -1;
}

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Intake : public testing::Test {
 protected:
  void write(const fs::path& below, const std::string& text) const {
    fs::create_directories((root() / below).parent_path());
    std::ofstream(root() / below, std::ios::binary) << text;
  }
  const fs::path& root() const { return folder_.path(); }

  tl::expected<TakenFiles, Refusal> take(std::vector<std::string> sources = {"a.cc"}) const {
    return take_files(root(), rules, sources);
  }
  std::vector<std::string> taken(std::vector<std::string> sources = {"a.cc"}) const {
    const auto files = take(std::move(sources));
    if (!files) return {"refused: " + files.error().reason};
    std::vector<std::string> names;
    for (const auto& file : files->files) names.push_back(file.name);
    return names;
  }
  std::string refusal(std::vector<std::string> sources = {"a.cc"}) const {
    const auto files = take(std::move(sources));
    if (files) return "taken";
    EXPECT_FALSE(files.error().hint.empty()) << files.error().reason;
    return files.error().reason;
  }

  FilesConfig rules;
  TempDir folder_{"opgrade-test-"};
};

TEST_F(Intake, TakesTheSourceAndWhatMatchesInNameOrder) {
  write("a.cc", "source");
  write("z.h", "header");
  write("b.hpp", "other header");
  write("notes.txt", "not taken");
  write("Makefile", "not taken");
  write(".hidden.h", "not taken");
  const auto files = take();
  ASSERT_TRUE(files);
  EXPECT_EQ(files->folder, ".");
  EXPECT_THAT(taken(), ElementsAre("a.cc", "b.hpp", "z.h"));
  EXPECT_EQ(files->files[0].bytes, "source");
}

TEST_F(Intake, ADiskThatFailsIsNoShorterFile) {
  write("a.cc", "source");
  for (const fs::path& submission : {root(), root() / "a.cc"}) {
    reads_left = 0;
    EXPECT_THROW(take_files(submission, rules, {"a.cc"}), Error) << submission;
    reads_left = 1'000'000;
  }
}

TEST_F(Intake, BytesArriveAsTheyAre) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  write("a.cc", bytes);
  EXPECT_EQ(take()->files.at(0).bytes, bytes);
  write("a.cc", "");
  EXPECT_EQ(take()->files.at(0).bytes, "");
}

TEST_F(Intake, TheFirstFolderThatHasAllSourcesWins) {
  rules.folders = {".", "first", "second"};
  write("a.cc", "top");
  write("second/a.cc", "second");
  write("second/b.cc", "second");
  EXPECT_EQ(take({"a.cc"})->folder, ".");
  EXPECT_EQ(take({"a.cc", "b.cc"})->folder, "second");
  write("first/a.cc", "first");
  write("first/b.cc", "first");
  const auto files = take({"a.cc", "b.cc"});
  EXPECT_EQ(files->folder, "first");
  EXPECT_EQ(files->files.at(0).bytes, "first");
}

TEST_F(Intake, FilesInSubfoldersComeAlong) {
  write("a.cc", "");
  write("below/b.h", "b");
  write("below/deeper/c.tpp", "c");
  write("below/d.inc", "d");
  write("below/notes.txt", "not taken");
  write("below/.hidden.h", "not taken");
  write(".git/e.h", "not taken");
  EXPECT_THAT(taken(), ElementsAre("a.cc", "below/b.h", "below/d.inc", "below/deeper/c.tpp"));
  EXPECT_EQ(take()->files.at(3).bytes, "c");
}

TEST_F(Intake, WhatIsLeftOutIsNamedWithItsReason) {
  rules.max_file_bytes = 2048;
  write("a.cc", "");
  write("notes.txt", "");
  write("lib/large.h", std::string(3000, 'x'));
  write("lib/table.bin", "");
  write(".hidden.h", "");
  fs::create_symlink(root() / "a.cc", root() / "linked.h");
  fs::create_symlink("/etc/passwd", root() / "lib/passwd.h");
  fs::create_directory_symlink("/usr/include", root() / "include");
  ASSERT_EQ(::mkfifo((root() / "lib/pipe.h").c_str(), 0600), 0);
  const auto files = take();
  ASSERT_TRUE(files);
  EXPECT_EQ(files->files.size(), 1U);
  std::vector<std::string> left;
  for (const auto& file : files->left_out) left.push_back(file.name + " " + file.why);
  EXPECT_THAT(left, testing::UnorderedElementsAre(
                        "notes.txt has a name that the config's files.patterns does not list",
                        "linked.h is a symbolic link",
                        "include has a name that the config's files.patterns does not list",
                        "lib/large.h has 2 KiB, more than the 2 KiB that are taken",
                        "lib/table.bin has a name that the config's files.patterns does not list",
                        "lib/passwd.h is a symbolic link", "lib/pipe.h is not a regular file"));
}

// A marker of the preprocessor names a file with escapes, so rules on the source could miss it.
TEST_F(Intake, NamesThatCompilersTreatInDifferentWaysAreLeftOut) {
  rules.take = {"*"};
  write("a.cc", "");
  const std::vector<std::string> odd{"<h.h",  "h>.h",  "h\\k.h", "k\"\n#define READ .cc",
                                     "k\".h", "k\t.h", "k\x7f.h"};
  for (const auto& name : odd)
    for (const std::string place : {"", "lib/", "lib/deeper/"}) write(place + name, "");
  for (const auto& name : odd) write("in" + name + "/plain.h", "");
  write("lib/\xc3\xa4 b-$(id).h", "");
  EXPECT_THAT(taken(), ElementsAre("a.cc", "lib/\xc3\xa4 b-$(id).h"));
  const auto left = take()->left_out;
  ASSERT_EQ(left.size(), 4 * odd.size());
  EXPECT_THAT(left.front().why, HasSubstr("a control character"));
}

// A compiler takes a.h.gch in place of a.h; a folder of that name can hold several.
TEST_F(Intake, PrecompiledHeadersAreLeftOut) {
  rules.take = {"*"};
  write("a.cc", "");
  write("a.h", "");
  write("a.h.gch/one.h", "");
  write("lib/b.h.gch", "");
  write("lib/b.h.pch", "");
  EXPECT_THAT(taken(), ElementsAre("a.cc", "a.h"));
}

TEST_F(Intake, APathThatIsTooLongForABuildIsLeftOut) {
  write("a.cc", "");
  fs::path deep;
  for (int i = 0; i < 3; ++i) deep /= std::string(250, 'd');
  write(deep / "near.h", "");
  write(deep / std::string(250, 'd') / "far.h", "");
  EXPECT_THAT(taken(), ElementsAre("a.cc", (deep / "near.h").string()));
  ASSERT_EQ(take()->left_out.size(), 1U);
  EXPECT_THAT(take()->left_out.front().why, HasSubstr("more than 1000 bytes"));
}

TEST_F(Intake, LinksInSubfoldersLeadNowhere) {
  write("a.cc", "");
  fs::create_directories(root() / "lib");
  fs::create_directory_symlink(root(), root() / "lib/again");
  fs::create_directory_symlink("..", root() / "up.h");
  EXPECT_THAT(taken(), ElementsAre("a.cc"));
}

TEST_F(Intake, AHugeTreeBesideTheSourceIsBounded) {
  rules.max_files = 3;
  write("a.cc", "");
  for (int i = 0; i < 6; ++i) write(fmt::format("lib/f{}.h", i), "");
  EXPECT_THAT(taken(), ElementsAre("a.cc", "lib/f0.h", "lib/f1.h"));
  EXPECT_EQ(take()->left_out.front().why, "is beyond the 3 source files that are taken");
}

TEST_F(Intake, FoldersFarBelowAreLeftOut) {
  write("a.cc", "");
  fs::path deep;
  for (int i = 0; i < 16; ++i) deep /= "d";
  write(deep / "near.h", "");
  write(deep / "d/far.h", "");
  EXPECT_THAT(taken(), ElementsAre("a.cc", (deep / "near.h").string()));
  EXPECT_EQ(take()->left_out.front().name, (deep / "d").string());
}

TEST_F(Intake, TensOfThousandsOfFoldersAreNotWalked) {
  // In memory: some disks take a minute to remove them.
  const fs::path memory = "/dev/shm";
  if (!fs::is_directory(memory)) GTEST_SKIP() << "no /dev/shm";
  std::string name = memory / "opgrade-test-XXXXXX";
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  std::ofstream(fs::path(name) / "a.cc") << "";
  for (int i = 0; i < 12'000; ++i) fs::create_directory(fs::path(name) / fmt::format("f{:05}", i));
  std::ofstream(fs::path(name) / "f11999/b.h") << "";
  const auto files = take_files(name, rules, {"a.cc"});
  fs::remove_all(name);
  ASSERT_TRUE(files);
  EXPECT_EQ(files->files.size(), 1U);
  EXPECT_LE(files->left_out.size(), 1000U);
}

TEST_F(Intake, MoreThan64MiBAreNotRead) {
  rules.max_file_bytes = std::int64_t{40} << 20;
  write("a.cc", "");
  for (const char* name : {"lib/a.h", "lib/b.h"}) {
    write(name, "");
    fs::resize_file(root() / name, std::uintmax_t{40} << 20);
  }
  EXPECT_THAT(taken(), ElementsAre("a.cc", "lib/a.h"));
  write("b.h", "");
  write("c.h", "");
  fs::resize_file(root() / "b.h", std::uintmax_t{40} << 20);
  fs::resize_file(root() / "c.h", std::uintmax_t{40} << 20);
  EXPECT_EQ(refusal(), "source files of more than 64 MiB");
}

TEST_F(Intake, WhatTwoStagesTakeIsReadOnce) {
  write("a.cc", "first");
  write("b.cc", "first");
  write("lib/c.h", "first");
  auto opened = Submission::open(root(), rules, {"a.cc", "b.cc"});
  ASSERT_TRUE(opened);
  const auto one = opened->take({"a.cc"});
  for (const char* name : {"a.cc", "b.cc", "lib/c.h"}) write(name, "changed");
  const auto two = opened->take({"b.cc"});
  ASSERT_TRUE(one && two);
  for (const auto& stage : {*one, *two})
    for (const auto& file : stage.files) EXPECT_EQ(file.bytes, "first") << file.name;
}

TEST_F(Intake, EmptyFolder) {
  EXPECT_EQ(refusal(), "a.cc is missing");
  EXPECT_EQ(refusal({"a.cc", "b.cc"}), "a.cc, b.cc are missing");
}

TEST_F(Intake, AFileByAnotherNameIsNamed) {
  rules.folders = {".", "src"};
  write("src/a.cpp", "");
  const auto files = take();
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().hint,
            "Use exactly this file name, and check its folder. Searched folders: "
            "the submission's folder, src/. Found there: src/a.cpp.");
  write("A.CC", "");
  EXPECT_THAT(take().error().hint, testing::HasSubstr("Found there: A.CC, src/a.cpp."));
  fs::remove(root() / "A.CC");
  write("a.cc.txt", "");
  write("project/deep/a.cc", "");
  EXPECT_EQ(take({"a.cc", "b.cc"}).error().hint,
            "Use exactly this file name, and check its folder. Searched folders: "
            "the submission's folder, src/. Found there: a.cc.txt, src/a.cpp. Found elsewhere: "
            "project/deep/a.cc.");
  for (const char* name : {"a.cc.txt", "project/deep/a.cc"}) fs::remove(root() / name);
  for (int i = 0; i < 10; ++i) write("b" + std::to_string(i) + ".cc", "");
  EXPECT_EQ(take().error().hint,
            "Use exactly this file name, and check its folder. Searched folders: "
            "the submission's folder, src/.");
}

// A whole repository is a hand-in wherever its files lie, if nothing else could be meant.
TEST_F(Intake, TheOnlyFolderThatHasAllSourcesIsTaken) {
  for (const char* folder : {"src/custom", "src/layer/custom", "cnn/src/layer/custom", "m3/op_1"}) {
    const fs::path at = folder;
    write(at / "a.cc", "a");
    write(at / "b.cc", "b");
    write(at / "lib/c.h", "c");
    write("docs/a.cc", "not all sources");
    write(".git/modules/a.cc", "hidden");
    write(".git/modules/b.cc", "hidden");
    const auto files = take({"a.cc", "b.cc"});
    ASSERT_TRUE(files) << files.error().reason;
    EXPECT_EQ(files->folder, folder);
    EXPECT_THAT(taken({"a.cc", "b.cc"}), ElementsAre("a.cc", "b.cc", "lib/c.h"));
    fs::remove_all(root() / *at.begin());
  }
}

TEST_F(Intake, OfSeveralFoldersNoneIsTaken) {
  write("old/a.cc", "1");
  write("src/custom/a.cc", "2");
  EXPECT_EQ(refusal(), "a.cc is in 2 folders: old/, src/custom/");
  EXPECT_EQ(take().error().hint,
            "Hand in one of these folders alone, or move its files to one of the folders that are "
            "searched first: the submission's folder.");
  rules.folders = {".", "src/custom"};
  EXPECT_EQ(take()->files.front().bytes, "2") << "a folder of the config comes first";
  rules.folders = {"."};
  for (int i = 0; i < 20; ++i) write(fmt::format("copy{:02}/a.cc", i), "");
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("in 22 folders: copy00/"), HasSubstr(", ...")));
}

TEST_F(Intake, WhatIsMissingIsSaidOfTheBestFolder) {
  rules.folders = {".", "src"};
  write("src/a.cc", "");
  EXPECT_EQ(refusal({"a.cc", "b.cc"}), "b.cc is missing");
}

TEST_F(Intake, NoFolderAtAll) {
  EXPECT_THAT(take_files(root() / "missing", rules, {"a.cc"}).error().reason,
              HasSubstr("cannot be opened"));
  write("file", "no archive");
  EXPECT_THAT(take_files(root() / "file", rules, {"a.cc"}).error().reason,
              HasSubstr("neither a folder nor a readable archive"));
  EXPECT_THAT(take_files("/dev/null", rules, {"a.cc"}).error().reason,
              HasSubstr("cannot be opened"));
}

TEST_F(Intake, AFolderInPlaceOfTheSource) {
  fs::create_directory(root() / "a.cc");
  EXPECT_EQ(refusal(), "a.cc is a folder, not a file");
}

TEST_F(Intake, LinksAreNotFollowed) {
  write("target", "secret");
  fs::create_symlink(root() / "target", root() / "a.cc");
  EXPECT_EQ(refusal(), "a.cc is a symbolic link");
  fs::remove(root() / "a.cc");
  write("a.cc", "");
  fs::create_symlink("/etc/passwd", root() / "b.h");
  fs::create_symlink(root() / "missing", root() / "c.h");
  EXPECT_THAT(taken(), ElementsAre("a.cc"));
}

TEST_F(Intake, LinkedFoldersAreNotEntered) {
  rules.folders = {"src/custom"};
  const TempDir real("opgrade-test-");
  fs::create_directory(real.path() / "custom");
  std::ofstream(real.path() / "custom/a.cc") << "not of the submission";
  fs::create_directory_symlink(real.path(), root() / "src");
  EXPECT_EQ(refusal(), "a.cc is missing");
  fs::remove(root() / "src");
  fs::create_directories(root() / "src");
  fs::create_directory_symlink(real.path() / "custom", root() / "src/custom");
  EXPECT_EQ(refusal(), "a.cc is missing");
}

TEST_F(Intake, TheSubmissionItselfMayBeALink) {
  // Staff point at folders as they like; only what is inside is the student's.
  write("real/a.cc", "");
  fs::create_directory_symlink(root() / "real", root() / "link");
  EXPECT_TRUE(take_files(root() / "link", rules, {"a.cc"}));
}

TEST_F(Intake, PipesSocketsAndDevicesDoNotHoldUsUp) {
  ASSERT_EQ(::mkfifo((root() / "a.cc").c_str(), 0600), 0);
  EXPECT_EQ(refusal(), "a.cc is not a regular file");
  fs::remove(root() / "a.cc");
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = root() / "a.cc";
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(refusal(), HasSubstr("a.cc cannot be read"));
  fs::remove(root() / "a.cc");
  write("a.cc", "");
  ASSERT_EQ(::mkfifo((root() / "b.h").c_str(), 0600), 0);
  EXPECT_THAT(taken(), ElementsAre("a.cc"));
}

TEST_F(Intake, TooLarge) {
  rules.max_file_bytes = 2048;
  write("a.cc", std::string(2048, 'x'));
  EXPECT_THAT(taken(), ElementsAre("a.cc"));
  write("b.h", std::string(2049, 'x'));
  EXPECT_THAT(taken(), ElementsAre("a.cc"));
  write("a.cc", std::string(5000, 'x'));
  EXPECT_EQ(refusal(), "a.cc has 4 KiB, more than the 2 KiB that are taken");
}

TEST_F(Intake, ASparseFileOfManyGigabytesIsNotRead) {
  write("a.cc", "");
  ASSERT_EQ(::truncate((root() / "a.cc").c_str(), std::int64_t{1} << 40), 0);
  EXPECT_THAT(refusal(), HasSubstr("more than the 1024 KiB"));
}

TEST_F(Intake, TooMany) {
  rules.max_files = 3;
  for (const char* name : {"a.cc", "b.h", "c.h"}) write(name, "");
  EXPECT_THAT(taken(), ElementsAre("a.cc", "b.h", "c.h"));
  write("d.h", "");
  EXPECT_EQ(refusal(), "more than 3 source files");
}

TEST_F(Intake, NamesAreShownSafely) {
  rules.take = {"*"};
  rules.max_file_bytes = 1;
  const std::string name = "a\x1b[31m.cc";
  write(name, "too large");
  EXPECT_EQ(refusal({name}), "a\\x1b[31m.cc has 0 KiB, more than the 0 KiB that are taken");
}

TEST_F(Intake, UnreadableFile) {
  write("a.cc", "x");
  ::chmod((root() / "a.cc").c_str(), 0);
  ::chmod(root().c_str(), 0755);
  // Root reads everything: look as somebody else.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 &&
        (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0))
      ::_exit(2);
    ::_exit(refusal() == "a.cc cannot be read: Permission denied" ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Fingerprint, DependsOnEveryNameAndEveryByte) {
  const std::vector<TakenFiles> base{{".", {{"a", "1"}, {"b", "2"}}}};
  const std::string sum = fingerprint(base);
  EXPECT_EQ(sum.size(), 64U);
  EXPECT_EQ(fingerprint({{".", {{"b", "2"}, {"a", "1"}}}}), sum) << "order of reading";
  for (const std::vector<TakenFiles>& other :
       {std::vector<TakenFiles>{{".", {{"a", "1"}, {"b", "3"}}}},
        {{".", {{"a", "1"}, {"c", "2"}}}},
        {{".", {{"a", "1"}}}},
        {{"src", {{"a", "1"}, {"b", "2"}}}},
        {{".", {{"a", "1 b2"}}}},
        {{".", {{"a", ""}, {"b", "12"}}}},
        {}}) {
    EXPECT_NE(fingerprint(other), sum);
  }
}

TEST(Fingerprint, TwoStagesWithTheSameFilesCountOnce) {
  const TakenFiles files{".", {{"a", "1"}}};
  EXPECT_EQ(fingerprint({files, files}), fingerprint({files}));
}

}  // namespace
}  // namespace opgrade
