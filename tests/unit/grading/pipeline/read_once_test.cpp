// A submission that changes while it is graded: what was hashed is what is built.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "grader/grading/intake/stage_files.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/load.hpp"
#include "tests/support/archive_bytes.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

// Random shapes alone: they need no network and no data.
constexpr const char* kConfig = R"(opgrade: 1
name: once
limits: {run: {wall: 20 s, memory: 512 MiB}}
stages:
  - {name: first, device: cpu, random_shapes: {count: 1, points: 1}}
  - {name: second, device: cpu, random_shapes: {count: 1, points: 1}}
)";
const char* const kGood = OPGRADE_SOURCE_DIR "/tests/corpus/submissions/good/cpu-new-forward.cc";

std::string text_of(const char* file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(StageFiles, OtherSourcesStayBesideAGivenFile) {
  Config config = load_config(OPGRADE_SOURCE_DIR "/labs/find_the_bug").config;
  config.stages.resize(1);
  config.stages[0].sources = {"find_the_bug.cu", "more.cu"};
  const TempDir folder("opgrade-test-");
  fs::copy_file(OPGRADE_SOURCE_DIR "/labs/find_the_bug/template/find_the_bug.cu",
                folder.path() / "find_the_bug.cu");
  std::ofstream(folder.path() / "more.cu") << "int more;\n";
  std::ofstream(folder.path() / "own.h") << "#error\n";
  const auto files = take_stage_files(folder.path(), config).stages.at(0);
  ASSERT_TRUE(files);
  std::vector<std::string> names;
  for (const auto& file : files->files) names.push_back(file.name);
  EXPECT_EQ(names, (std::vector<std::string>{"find_the_bug.cu", "more.cu"}));
  EXPECT_EQ(files->files.at(1).bytes, "int more;\n");
}

TEST(StageFiles, TheSameContentAlsoWhereAStageLacksItsFiles) {
  Config config = parse_config(kConfig, "once.yaml").config;
  config.stages[1].sources = {"other.cc"};
  const auto content = [&](const std::map<std::string, std::string>& files) {
    const TempDir folder("opgrade-test-");
    fs::create_directory(folder.path() / "src");
    for (const auto& [name, text] : files) std::ofstream(folder.path() / name) << text;
    return content_of(take_stage_files(folder.path(), config));
  };
  const std::string one = content({{"cpu-new-forward.cc", "int one;"}});
  EXPECT_NE(one, "");
  EXPECT_EQ(content({{"cpu-new-forward.cc", "int one;"}}), one);
  EXPECT_NE(content({{"cpu-new-forward.cc", "int two;"}}), one);
  EXPECT_NE(content({{"src/cpu-new-forward.cc", "int one;"}}), one);
  EXPECT_EQ(content({}), "");
}

class ReadOnce : public testing::Test {
 protected:
  void SetUp() override {
    const auto support = SandboxSupport::detect();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
    ::chmod(folder.path().c_str(), 0755);
  }

  /// Grades `submission`, and calls `change` when the first stage begins to build.
  void expect_hash_of_what_was_built(const fs::path& submission,
                                     const std::function<void()>& change) {
    bool changed = false;
    GraderOptions options;
    options.config_argument = "once";
    options.listen = [&](const Event& event) {
      const auto* const build = std::get_if<events::BuildStarted>(&event);
      if (build == nullptr || build->stage != "first") return;
      change();
      changed = true;
    };
    const Config config = parse_config(kConfig, "once.yaml").config;
    Grader grader(config, options);
    const std::string before = take_stage_files(submission, config).sha256;
    const Grade grade = grader.grade(submission, "once");
    EXPECT_TRUE(changed);
    EXPECT_EQ(grade.submission_sha256, before);
    ASSERT_EQ(grade.stages.size(), 2U);
    for (const auto& stage : grade.stages) {
      EXPECT_EQ(stage.build.outcome, Outcome::passed)
          << stage.name << ": " << report::sentence_of(stage.build.reason)
          << stage.build.compiler_output;
    }
    EXPECT_EQ(grade.outcome, Outcome::passed) << report::sentence_of(grade.reason);
    EXPECT_FALSE(grader.is_current(grade, submission)) << "it has changed";
  }

  TempDir folder{"opgrade-test-"};
};

TEST_F(ReadOnce, AFolder) {
  const fs::path source = folder.path() / "cpu-new-forward.cc";
  fs::copy_file(kGood, source);
  expect_hash_of_what_was_built(folder.path(),
                                [&] { std::ofstream(source) << "#error another one\n"; });
}

TEST_F(ReadOnce, AnArchive) {
  const fs::path archive = folder.path() / "one.zip";
  const auto pack = [&](const std::string& text) {
    std::ofstream(archive, std::ios::binary)
        << test::pack({{"cpu-new-forward.cc", text}}, "zip", "none");
  };
  pack(text_of(kGood));
  expect_hash_of_what_was_built(archive, [&] { pack("#error another one\n"); });
}

}  // namespace
}  // namespace opgrade
