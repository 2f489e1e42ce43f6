// Submissions that come as archives: what is taken, and every hostile form that is not.
#include "grader/grading/intake/archive.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/intake/intake.hpp"
#include "tests/support/archive_bytes.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::pack;
using test::Packed;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Archive : public testing::Test {
 protected:
  tl::expected<TakenFiles, Refusal> take(const std::string& bytes,
                                         const std::vector<std::string>& sources = {"a.cc"}) {
    std::ofstream(file(), std::ios::binary) << bytes;
    return take_files(file(), rules, sources);
  }
  std::vector<std::string> taken(const std::string& bytes,
                                 const std::vector<std::string>& sources = {"a.cc"}) {
    const auto files = take(bytes, sources);
    if (!files) return {"refused: " + files.error().reason};
    std::vector<std::string> names;
    for (const auto& one : files->files) names.push_back(one.name + "=" + one.bytes);
    return names;
  }
  std::string refusal(const std::string& bytes) {
    const auto files = take(bytes);
    if (files) return "taken";
    EXPECT_FALSE(files.error().hint.empty()) << files.error().reason;
    return files.error().reason;
  }
  fs::path file() const { return folder_.path() / "submission"; }
  /// The files in a folder of their own.
  fs::path unpacked(const std::vector<Packed>& files) const {
    const fs::path folder = folder_.path() / "folder";
    fs::remove_all(folder);
    for (const auto& one : files) {
      if (one.type == AE_IFDIR) {
        fs::create_directories(folder / one.path);
      } else {
        fs::create_directories((folder / one.path).parent_path());
        std::ofstream(folder / one.path, std::ios::binary) << one.bytes;
      }
    }
    return folder;
  }

  FilesConfig rules;
  TempDir folder_{"opgrade-test-"};
};

struct Kind {
  const char *format, *filter;
};

class EveryKind : public Archive, public testing::WithParamInterface<Kind> {
 protected:
  std::string packed(const std::vector<Packed>& files) const {
    return pack(files, GetParam().format, GetParam().filter);
  }
};

INSTANTIATE_TEST_SUITE_P(, EveryKind,
                         testing::Values(Kind{"zip", "none"}, Kind{"gnutar", "none"},
                                         Kind{"ustar", "gzip"}, Kind{"pax", "xz"},
                                         Kind{"gnutar", "bzip2"}, Kind{"gnutar", "zstd"},
                                         Kind{"ustar", "lzma"}),
                         [](const auto& kind) {
                           return fmt::format("{}_{}", kind.param.format, kind.param.filter);
                         });

TEST_P(EveryKind, GivesWhatTheFolderGives) {
  const std::vector<Packed> files{{"a.cc", "source"},
                                  {"b.h", std::string("\0\xff\r\n", 4)},
                                  {"notes.txt", "not taken"},
                                  {".hidden.h", "not taken"},
                                  {"below", "", AE_IFDIR},
                                  {"below/c.h", "taken too"},
                                  {"below/deeper/d.tpp", "and this"}};
  const auto packed_files = take(packed(files));
  ASSERT_TRUE(packed_files) << packed_files.error().reason;
  const auto folder_files = take_files(unpacked(files), rules, {"a.cc"});
  ASSERT_TRUE(folder_files);
  EXPECT_EQ(packed_files->files.size(), 4U);
  EXPECT_EQ(fingerprint({*packed_files}), fingerprint({*folder_files}));
}

TEST_P(EveryKind, ASymbolicLinkIsRefused) {
  const auto bytes = packed({{"a.cc", "x"}, {"data", "", AE_IFLNK, "/etc/passwd"}});
  EXPECT_EQ(refusal(bytes), "the archive holds data, which is a symbolic link");
}

TEST_P(EveryKind, PathsThatLeaveTheArchiveAreRefused) {
  EXPECT_THAT(refusal(packed({{"a.cc", "x"}, {"../b.h", "x"}})), HasSubstr("leaves the archive"));
  EXPECT_THAT(refusal(packed({{"a.cc", "x"}, {"c/../../b.txt", "x"}})),
              HasSubstr("leaves the archive"));
  EXPECT_THAT(refusal(packed({{"a.cc", "x"}, {"/etc/b.h", "x"}})), HasSubstr("an absolute path"));
}

TEST_P(EveryKind, TheSameFileTwice) {
  EXPECT_EQ(refusal(packed({{"a.cc", "good"}, {"a.cc", "other"}})), "the archive holds a.cc twice");
  EXPECT_EQ(refusal(packed({{"a.cc", "good"}, {"./a.cc", "other"}})),
            "the archive holds a.cc twice");
}

TEST_P(EveryKind, AFileThatIsAFolderToo) {
  const std::string why = "the archive holds a.cc as a file and as a folder";
  EXPECT_EQ(refusal(packed({{"a.cc", "x"}, {"a.cc/b.h", "x"}})), why);
  EXPECT_EQ(refusal(packed({{"a.cc/below/b.txt", "x"}, {"a.cc", "x"}, {"a.cc-2", ""}})), why);
  EXPECT_THAT(taken(packed({{"a.cc", "x"}, {"a.cc-2/b.h", "x"}, {"a", ""}})),
              ElementsAre("a.cc=x", "a.cc-2/b.h=x"));
}

TEST_P(EveryKind, TooLargeAFileIsNotTaken) {
  rules.max_file_bytes = 2048;
  const std::string large(2049, 'x');
  EXPECT_EQ(refusal(packed({{"a.cc", large}})),
            "a.cc has 2 KiB, more than the 2 KiB that are taken");
  EXPECT_THAT(taken(packed({{"a.cc", "x"}, {"b.h", large}})), ElementsAre("a.cc=x"));
  EXPECT_THAT(taken(packed({{"a.cc", "x"}, {"b.h", std::string(2048, 'x')}})).size(), 2);
}

TEST_P(EveryKind, ABombOfZeros) {
  const std::string bomb(std::size_t{80} << 20, '\0');
  const auto bytes = packed({{"bomb.h", bomb}, {"a.cc", "x"}});
  EXPECT_THAT(refusal(bytes),
              testing::AnyOf(HasSubstr("unpacks to more than"), HasSubstr("more than the 16 MiB")));
}

TEST_P(EveryKind, CutOffAnywhere) {
  const std::string whole = packed({{"a.cc", std::string(3000, 'x')}, {"b.h", "y"}});
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 60) {
    const auto files = take(whole.substr(0, length));
    if (files) {
      EXPECT_EQ(files->files.at(0).bytes, std::string(3000, 'x')) << "cut at " << length;
    }
  }
}

TEST_P(EveryKind, OddNamesSurvive) {
  rules.take = {"*"};
  const std::vector<std::string> odd{"a.cc",       "b\xff\xfe.h", "=1+1.h", "sp ace .h",
                                     "\xc3\xa4.h", "$(id).h",     "-rf.h"};
  std::vector<Packed> files;
  for (const auto& name : odd) files.push_back({name, name});
  const auto got = take(packed(files));
  ASSERT_TRUE(got) << got.error().reason;
  std::vector<std::string> names;
  for (const auto& one : got->files) {
    EXPECT_EQ(one.name, one.bytes);
    names.push_back(one.name);
  }
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(odd));
}

TEST_F(Archive, HardLinksDevicesAndPipesAreRefused) {
  EXPECT_EQ(refusal(pack({{"a.cc", "x"}, {"b.h", "", AE_IFREG, "", "a.cc"}}, "gnutar")),
            "the archive holds b.h, which is a hard link");
  EXPECT_EQ(refusal(pack({{"a.cc", "", AE_IFREG, "", "/etc/shadow"}}, "gnutar")),
            "the archive holds a.cc, which is a hard link");
  for (const unsigned type : {AE_IFCHR, AE_IFBLK, AE_IFIFO}) {
    EXPECT_EQ(refusal(pack({{"a.cc", "x"}, {"dev", "", type}}, "gnutar")),
              "the archive holds dev, which is neither a file nor a folder");
  }
}

TEST_F(Archive, APackedFolderIsTheSubmission) {
  EXPECT_THAT(taken(pack({{"alice/a.cc", "1"}, {"alice/b.h", "2"}, {"alice/sub/c.h", "3"}})),
              ElementsAre("a.cc=1", "b.h=2", "sub/c.h=3"));
  EXPECT_THAT(
      taken(pack(
          {{"alice/a.cc", "1"}, {"__MACOSX/alice/._a.cc", "litter"}, {".DS_Store", "litter"}})),
      ElementsAre("a.cc=1"));
  EXPECT_EQ(refusal(pack({{"alice/a.cc", "1"}, {"bob/a.cc", "2"}})),
            "a.cc is in 2 folders: alice/, bob/");
}

TEST_F(Archive, AFolderIsTakenAsItsArchiveIs) {
  struct Layout {
    std::vector<Packed> files;
    std::string place;  ///< "inner:folder" that is taken, or the refusal
    std::vector<std::string> folders{"."};
  };
  const Packed empty{"empty/below", "", AE_IFDIR};
  const std::vector<Layout> layouts{
      {{{"a.cc", "1"}, {"lib/b.h", "2"}}, ":."},
      {{{"alice/a.cc", "1"}, {"alice/lib/b.h", "2"}}, "alice:."},
      {{{"alice/a.cc", "1"}, {"__MACOSX/alice/._a.cc", "-"}, {".DS_Store", "-"}, empty}, "alice:."},
      {{{"src/a.cc", "1"}, {"src/b.h", "2"}}, ":src", {".", "src"}},
      {{{"src/a.cc", "1"}, {"README", ""}}, ":src", {".", "src"}},
      {{{"alice/src/a.cc", "1"}, {"alice/README", ""}}, "alice:src", {".", "src"}},
      {{{"custom/custom/a.cc", "1"}, {"custom/b.h", ""}}, "custom:custom", {"custom"}},
      {{{"alice/a.cc", "1"}, {"bob/a.cc", "2"}}, "a.cc is in 2 folders: alice/, bob/"},
      {{{"alice/a.cc", "1"}, {"README", "2"}}, ":alice"},
      {{{"alice/deeper/a.cc", "1"}}, "alice:deeper"},
      {{{"alice/a.cc", "1"}, {"alice/b.h", "2"}}, "alice:.", {"custom"}},
      {{{"alice/cnn/src/layer/custom/a.cc", "1"}, {"alice/cnn/main.cc", "2"}},
       "alice:cnn/src/layer/custom"},
      {{{"alice/one/a.cc", "1"}, {"alice/two/a.cc", "2"}},
       "a.cc is in 2 folders: alice/one/, alice/two/"},
      {{empty}, "a.cc is missing"},
  };
  for (const auto& layout : layouts) {
    rules.folders = layout.folders;
    const auto packed = take(pack(layout.files));
    const auto folder = take_files(unpacked(layout.files), rules, {"a.cc"});
    const auto place_or_reason = [](const tl::expected<TakenFiles, Refusal>& files) {
      return files ? files->inner + ":" + files->folder : files.error().reason;
    };
    const std::string& name = layout.files.front().path;
    EXPECT_EQ(place_or_reason(packed), layout.place) << name;
    EXPECT_EQ(place_or_reason(folder), layout.place) << name;
    if (!packed || !folder) {
      EXPECT_EQ(packed.error().hint, folder.error().hint) << name;
      continue;
    }
    EXPECT_EQ(fingerprint({*packed}), fingerprint({*folder})) << name;
  }
}

TEST_F(Archive, FoldersOfTheConfigAreFoundInAndBelowThePackedOne) {
  rules.folders = {"custom", "src/custom"};
  EXPECT_THAT(taken(pack({{"custom/a.cc", "1"}})), ElementsAre("a.cc=1"));
  EXPECT_THAT(taken(pack({{"alice/custom/a.cc", "2"}})), ElementsAre("a.cc=2"));
  EXPECT_THAT(taken(pack({{"alice/src/custom/a.cc", "3"}, {"alice/README", ""}})),
              ElementsAre("a.cc=3"));
  EXPECT_THAT(taken(pack({{"alice/a.cc", "4"}})), ElementsAre("a.cc=4"));
}

TEST_F(Archive, WhatIsNoArchive) {
  for (const std::string& bytes :
       {std::string(), std::string("text\n"), std::string(5000, '\0'), std::string("PK\3\4"),
        std::string("\x1f\x8b\x08\0\0\0\0\0", 8), std::string("7z\xbc\xaf\x27\x1c")}) {
    EXPECT_THAT(refusal(bytes), testing::AnyOf(HasSubstr("neither a folder nor a readable archive"),
                                               HasSubstr("a.cc is missing")));
  }
}

TEST_F(Archive, OtherFormatsOfTheLibraryAreOff) {
  // A list of files in the grader's own file system, which libarchive would read from there.
  EXPECT_THAT(refusal("#mtree\na.cc type=file contents=/etc/passwd\n"),
              HasSubstr("neither a folder nor a readable archive"));
  EXPECT_THAT(refusal(pack({{"a.cc", "x"}}, "cpio")), HasSubstr("neither"));
  EXPECT_THAT(refusal(pack({{"a.cc", "x"}}, "7zip")), HasSubstr("neither"));
  EXPECT_THAT(refusal(pack({{"a.cc", "x"}}, "gnutar", "uuencode")), HasSubstr("neither"));
}

TEST_F(Archive, Encrypted) {
  EXPECT_EQ(refusal(pack({{"a.cc", "secret"}}, "zip", "none", "password")),
            "the archive is encrypted");
}

TEST_F(Archive, TooLargeAnArchive) {
  EXPECT_EQ(refusal(std::string(std::size_t{20} << 20, 'x')),
            "the archive has 17 MiB, more than the 16 MiB that are taken");
}

TEST_F(Archive, ManyEntriesDeepFoldersAndLongNames) {
  std::vector<Packed> many{{"a.cc", "x"}};
  for (int i = 0; i < 10'000; ++i) many.push_back({fmt::format("f{}", i), ""});
  EXPECT_EQ(refusal(pack(many)), "the archive has more than 10000 entries");
  many.pop_back();
  EXPECT_THAT(taken(pack(many)), ElementsAre("a.cc=x"));

  std::string deep;
  for (int i = 0; i < 16; ++i) deep += "d/";
  EXPECT_THAT(taken(pack({{"a.cc", "x"}, {deep + "b.h", "y"}})),
              ElementsAre("a.cc=x", deep + "b.h=y"));
  EXPECT_THAT(refusal(pack({{"a.cc", "x"}, {deep + "d/b.h", "y"}})), HasSubstr("16 folders deep"));
  EXPECT_THAT(refusal(pack({{"a.cc", "x"}, {std::string(256, 'n'), "y"}}, "pax")),
              HasSubstr("a name of more than 255 bytes"));
  std::string path = "p";
  while (path.size() < 5000) path += "/ppppppp";
  EXPECT_THAT(refusal(pack({{"a.cc", "x"}, {path, "y"}}, "pax")), HasSubstr("4000 bytes"));
}

TEST_F(Archive, AFileOfHolesIsNotReadOut) {
  // 1 TiB that is stored in a few KiB.
  const auto bytes =
      pack({{"a.cc", "x"}, {"b.h", "start", AE_IFREG, "", "", std::int64_t{1} << 40}}, "pax");
  EXPECT_LT(bytes.size(), 20'000U);
  EXPECT_THAT(taken(bytes), ElementsAre("a.cc=x"));
  // A small hole is filled with zeros, as on disk.
  const auto small = take(pack({{"a.cc", "x"}, {"b.h", "start", AE_IFREG, "", "", 100}}, "pax"));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->files.at(1).bytes, "start" + std::string(95, '\0'));
}

TEST_F(Archive, HeadersCountToo) {
  // Each entry is empty; the room is in names that the decompressor has to make.
  const ArchiveLimits limits{.unpacked_bytes = 1 << 20};
  std::vector<Packed> files;
  for (int i = 0; i < 3000; ++i) files.push_back({fmt::format("f{}", i), ""});
  const auto got = read_archive(
      pack(files, "gnutar", "xz"), [](const auto&) { return true; }, 1 << 20, limits);
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().reason, HasSubstr("unpacks to more than"));
}

TEST_F(Archive, AnArchiveInAnArchiveIsAFile) {
  const std::string inner = pack({{"a.cc", "x"}}, "gnutar", "gzip");
  EXPECT_EQ(refusal(pack({{"inner.tar.gz", inner}})), "a.cc is missing");
}

TEST_F(Archive, NamesAreShownSafely) {
  const std::string reason = refusal(pack({{"a.cc", "x"}, {"../\x1b[31m\n::error::", "y"}}));
  EXPECT_THAT(reason, AllOf(HasSubstr("\\x1b"), Not(HasSubstr("\x1b")), Not(HasSubstr("\n"))));
}

TEST_F(Archive, ThePathOfTheArchiveIsNotSpecial) {
  std::ofstream(folder_.path() / "-x y\n.zip", std::ios::binary) << pack({{"a.cc", "x"}});
  EXPECT_TRUE(take_files(folder_.path() / "-x y\n.zip", rules, {"a.cc"}));
}

}  // namespace
}  // namespace opgrade
