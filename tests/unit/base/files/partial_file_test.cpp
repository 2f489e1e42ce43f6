#include "grader/base/files/partial_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/temp_dir.hpp"
#include "tests/unit/task/conv/data/files.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;

TEST(PartialFile, AppearsWhenCommitted) {
  const TempDir folder("opgrade-test-");
  const auto path = folder.path() / "out";
  test::write_file(path, "old");
  {
    PartialFile partial(path);
    test::write_file(partial.path(), "new");
    EXPECT_EQ(test::read_file(path), "old");
    partial.commit();
  }
  EXPECT_EQ(test::read_file(path), "new");
  EXPECT_THAT(test::names_in(folder.path()), ElementsAre("out"));
}

TEST(PartialFile, LeavesNothingWithoutCommit) {
  const TempDir folder("opgrade-test-");
  const auto path = folder.path() / "out";
  test::write_file(path, "old");
  {
    const PartialFile partial(path);
    test::write_file(partial.path(), "half");
  }
  EXPECT_EQ(test::read_file(path), "old");
  EXPECT_THAT(test::names_in(folder.path()), ElementsAre("out"));
}

TEST(PartialFile, BadPlacesAreNamed) {
  const TempDir folder("opgrade-test-");
  EXPECT_THAT(test::complaint([&] { PartialFile(folder.path() / "no/out"); }),
              testing::HasSubstr("no is not a folder"));
  EXPECT_THAT(test::complaint([&] { PartialFile{folder.path()}; }),
              testing::HasSubstr("it is a folder"));
  PartialFile never_written(folder.path() / "out");
  EXPECT_THAT(test::complaint([&] { never_written.commit(); }), testing::HasSubstr("cannot write"));
}

}  // namespace
}  // namespace opgrade
