// The watched cases of a GPU's stage on the emulated device: no GPU is needed for them.
#include "grader/grading/pipeline/findings_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/intake/stage_files.hpp"
#include "grader/grading/pipeline/reference_process.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/folder/folder_task.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A lab's stage on a GPU and a submission for it.
class LabStage {
 public:
  LabStage(const std::string& lab, const std::string& source, int cores = 4)
      : config_(load_config(OPGRADE_SOURCE_DIR "/labs/" + lab).config),
        machine_(config_, {.gpu = false}),
        selection_(config_, {}),
        cores_(cores, 1),
        bench_{config_,  options_, selection_, 7,           machine_, nullptr,
               control_, tensors_, cores_,     references_, ranked_} {
    machine_.get_ready();
    stage_ = &*std::ranges::find(config_.stages, Device::cuda, &StageConfig::device);
    const fs::path file = stage_->sources.empty() ? lab + ".cu" : stage_->sources[0];
    std::ofstream(folder_.path() / file.filename()) << source;
    files_ = take_stage_files(folder_.path(), config_);
  }

  std::vector<std::string> ids() const { return selection_.ids(*stage_); }
  std::vector<std::string> watched() const {
    return watched_cases(nullptr, config_, *stage_, ids());
  }

  std::map<std::string, EmulatedFindings> found(bool start = true) {
    const auto at = static_cast<std::size_t>(stage_ - config_.stages.data());
    EXPECT_TRUE(files_.stages.at(at)) << "the submission has other files";
    FindingsRun run(bench_, *stage_, *files_.stages.at(at), ids());
    if (start) run.start();
    return run.end();
  }

  const SpareCores& cores() const { return cores_; }

 private:
  const Config config_;
  GraderOptions options_;
  Machine machine_;
  const Selection selection_;
  TensorStore tensors_;
  DeviceSelfTest control_{config_, machine_.tools(), machine_.sandbox()};
  SpareCores cores_;
  RankSoFar ranked_;
  const References references_{
      {std::string(config_.task->id()), start_reference(*config_.task, config_, machine_.tools(),
                                                        machine_.sandbox(), machine_.harness())}};
  const GradingBench bench_;
  const StageConfig* stage_ = nullptr;
  const TempDir folder_{"opgrade-findings-"};
  StageFiles files_;
};

std::string text_of_file_at(const std::string& path) {
  std::ifstream in(OPGRADE_SOURCE_DIR + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string right_softmax() { return text_of_file_at("/labs/softmax/solution/softmax.cu"); }

class FindingsOfAGpuStage : public testing::Test {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("sandbox", SandboxSupport::detect().tier != SandboxTier::none,
                        "no sandbox here");
    OPGRADE_SKIP_UNLESS("emulation", Toolchain::detect().emulator,
                        "built without the emulated device");
  }
};

TEST_F(FindingsOfAGpuStage, SmallCasesAreWatched) {
  const LabStage lab("softmax", right_softmax());
  EXPECT_THAT(lab.watched(), Contains("gpu/random"));
  EXPECT_THAT(lab.watched(), ElementsAre("gpu/random", "gpu/narrow", "gpu/large"));
}

TEST_F(FindingsOfAGpuStage, ARightSubmissionHasNone) {
  for (const int cores : {1, 4}) {  // after the GPU's run, and beside it
    LabStage lab("softmax", right_softmax(), cores);
    const auto found = lab.found();
    ASSERT_EQ(found.size(), 3U);
    for (const auto& [id, one] : found) {
      EXPECT_FALSE(one.mistake || one.hidden) << id;
      EXPECT_FALSE(one.fault) << report::sentence_of(*one.fault);
      EXPECT_FALSE(one.left_out) << id;
    }
  }
}

TEST_F(FindingsOfAGpuStage, AMistakeIsFoundInEachCaseThatHasIt) {
  std::string racy =
      text_of_file_at("/labs/softmax/submissions/mistake_found/no_barriers/softmax.cu");
  LabStage lab("softmax", racy);
  const auto found = lab.found();
  ASSERT_TRUE(found.contains("gpu/random"));
  ASSERT_TRUE(found.at("gpu/random").mistake);
  const Finding* const decided = finding_of(*found.at("gpu/random").mistake);
  ASSERT_NE(decided, nullptr);
  EXPECT_EQ(decided->kind, "data_race");
}

TEST_F(FindingsOfAGpuStage, WhatIsNotEmulatedIsTold) {
  LabStage lab("softmax", "#include <curand_kernel.h>\n" + right_softmax());
  for (const auto& [id, one] : lab.found()) {
    ASSERT_TRUE(one.left_out) << id;
    EXPECT_THAT(report::sentence_of(*one.left_out), HasSubstr("cuRAND")) << id;
    EXPECT_FALSE(one.mistake || one.fault);
  }
}

}  // namespace
}  // namespace opgrade
