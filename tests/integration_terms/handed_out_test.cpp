// What a course hands out is built with a submission that uses and lacks it, wherever the only
// folder with the submission's own files is.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "grader/base/core/resources.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/load.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

class HandedOutFiles : public testing::Test {
 protected:
  static constexpr const char* kFolder = OPGRADE_SOURCE_DIR "/tests/corpus/terms/handed_out";
  static constexpr const char* kCustom = "cnn/src/layer/custom";

  void SetUp() override {
    OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "there is no sandbox here");
    LoadedConfig loaded = load_config(fs::path(kFolder) / "config.yaml");
    ASSERT_EQ(to_text(loaded.problems), "");
    config = loaded.config;
    std::ostringstream text;
    text << std::ifstream(fs::path(kFolder) / kCustom / "unroll-new-forward.cu").rdbuf();
    uses_the_courses = text.str();
    // The same with a product of its own, by the course's name.
    const std::string include = "#include \"matmul.h\"\n";
    own_product = uses_the_courses;
    own_product.replace(own_product.find(include), include.size(), text_of("matmul.h") + product());
  }

  std::string text_of(const char* name) const {
    return config.files.find_handed_out(name)->text.bytes;
  }
  std::string product() const {
    const std::string text = text_of("matmul.cu");
    return text.substr(text.find('\n'));
  }

  /// The outcome of the stage's only case, or of its build.
  Outcome outcome(const std::string& stage, const std::map<std::string, std::string>& files) {
    const TempDir folder("opgrade-test-");
    for (const auto& [name, text] : files) {
      const fs::path file = folder.path() / kCustom / name;
      fs::create_directories(file.parent_path());
      std::ofstream(file) << text;
    }
    GraderOptions options;
    options.gpu_device = Device::emulated;
    options.only = {stage};
    options.data_folder = resources::share_folder() / "test-data";
    const Grade grade = Grader(config, options).grade(folder.path(), "repository");
    const StageReport& report = grade.stages.at(0);
    why = report.build.compiler_output + report::sentence_of(report.build.reason);
    if (report.build.outcome != Outcome::passed) return report.build.outcome;
    why += report::sentence_of(report.cases.at(0).reason);
    return report.cases.at(0).outcome;
  }

  Config config;
  std::string uses_the_courses, own_product, why;
};

TEST_F(HandedOutFiles, ASubmissionThatUsesThemNeedNotHaveThem) {
  EXPECT_EQ(outcome("m2-unroll", {{"unroll-new-forward.cu", uses_the_courses}}), Outcome::passed)
      << why;
  EXPECT_EQ(outcome("m3", {{"m3-forward.cu", uses_the_courses}}), Outcome::passed) << why;
}

TEST_F(HandedOutFiles, AFileAloneMayDefineTheSameNames) {
  EXPECT_EQ(outcome("m3", {{"m3-forward.cu", own_product}}), Outcome::passed) << why;
  EXPECT_EQ(outcome("m3", {{"m3-forward.cu", own_product}, {"matmul.h", text_of("matmul.h")}}),
            Outcome::passed)
      << why;
}

TEST_F(HandedOutFiles, AChangedCopyIsBuilt) {
  std::string wrong = text_of("matmul.cu");
  const std::string sum = "sum +=";
  wrong.replace(wrong.find(sum), sum.size(), "sum -=");
  EXPECT_EQ(outcome("m3", {{"m3-forward.cu", uses_the_courses}, {"matmul.cu", wrong}}),
            Outcome::wrong_output)
      << why;
  for (HandedOutFile& file : config.files.handed_out)
    file.changed = HandedOutFile::Changed::replace;
  EXPECT_EQ(outcome("m3", {{"m3-forward.cu", uses_the_courses}, {"matmul.cu", wrong}}),
            Outcome::passed)
      << why;
  for (HandedOutFile& file : config.files.handed_out) file.changed = HandedOutFile::Changed::refuse;
  EXPECT_EQ(outcome("m3", {{"m3-forward.cu", uses_the_courses}, {"matmul.cu", wrong}}),
            Outcome::refused)
      << why;
}

TEST_F(HandedOutFiles, TheSubmissionsOwnSourceIsStillMissing) {
  EXPECT_EQ(outcome("m3", {{"matmul.cu", text_of("matmul.cu")}}), Outcome::refused) << why;
}

}  // namespace
}  // namespace opgrade
