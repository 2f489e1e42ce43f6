#include "grader/course/exchange/code_export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/error.hpp"
#include "grader/course/exchange/pack.hpp"
#include "grader/task/config/load.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using testing::_;
using testing::ElementsAre;
using testing::Pair;

TEST(CodeExport, WritesTheFilesThatGradingTakes) {
  const TempDir place("opgrade-test-"), out("opgrade-test-");
  const CourseFolder folder = test::make_course(place.path());
  Store store = Store::create(place.path());
  const Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
  const auto hand_in = [&](const char* owner, const char* time, const char* code) {
    Submission s = test::hand_in(folder, store, "m1", owner, time, "x");
    test::write_text(folder.path / s.file,
                     pack({{"cpu-new-forward.cc", code}, {"secret-notes.pdf", "p"}}));
  };
  hand_in("ada", "2026-10-12T10:00:00Z", "old");
  hand_in("ada", "2026-10-12T11:00:00Z", "new");
  const CodeExport done = export_code(folder, store, *folder.course.find("m1"), config, out.path());
  EXPECT_EQ(done.written, 1u);
  EXPECT_THAT(done.left_out, ElementsAre(Pair("bob", "no submission that counts"), Pair("eve", _)));
  EXPECT_EQ(text_of_file(out.path() / "ada/cpu-new-forward.cc"), "new");
  EXPECT_FALSE(fs::exists(out.path() / "ada/secret-notes.pdf"));
  EXPECT_THROW(export_code(folder, store, *folder.course.find("m1"), config, out.path()),
               UsageError);
}

}  // namespace
}  // namespace opgrade::course
