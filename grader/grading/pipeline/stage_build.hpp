/// The builds of one submission for one stage.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/base/core/events.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/compile.hpp"
#include "grader/grading/build/preprocess.hpp"
#include "grader/grading/build/tree_uses.hpp"
#include "grader/grading/intake/intake.hpp"
#include "grader/grading/pipeline/machine.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Each build is made at its first request, and stays as long as this object.
class StageBuild {
 public:
  /// All arguments must outlive this object.
  StageBuild(const Config& config, const StageConfig& stage, Device device, const TakenFiles& files,
             const Machine& machine, const Listener& listen);

  Device device() const { return device_; }
  const TakenFiles& files() const { return files_; }
  std::vector<std::string> sources() const;

  /// Where plain() puts the shared object: alone in a folder that exists from the start.
  std::filesystem::path submission() const { return folder_.path() / "run/submission.so"; }

  /// The submission as it is timed.
  const Compiled& plain();

  /// What the compiler reads of the sources, and makes of `texts`: see preprocess().
  tl::expected<PreprocessedSources, BuildReport> preprocessed(
      const std::vector<std::string>& texts) const;

  /// What the code that can run uses, in the sources as they are built: see read_tree.hpp.
  std::optional<TreeUses> uses(const PreprocessedSources& read) const;

  /// What the compiler of the build that counts accesses reads. Empty if there is no such compiler.
  tl::expected<PreprocessedSources, BuildReport> preprocessed_to_count() const;

  /// The shared object that checks every access, for an emulated device, or why there is none.
  const Compiled& watching();

  /// The shared object that watches OpenMP's threads, on a CPU, or why there is none.
  const Compiled& racing();

  /// The shared object that counts accesses and arithmetic, or why there is none.
  const Compiled& counting();

 private:
  enum class Kind { plain, checked, counted, races };
  CompileJob job(Kind kind) const;
  tl::expected<PreprocessedSources, BuildReport> read(const char* name, Kind kind,
                                                      const std::vector<std::string>& texts) const;
  Compiled build(const char* name, Kind kind) const;
  const Compiled& extra(std::optional<Compiled>& built, const char* name, Kind kind);

  const Config& config_;
  const StageConfig& stage_;
  const Device device_;
  const TakenFiles& files_;
  const Machine& machine_;
  const Listener& listen_;
  const TempDir folder_;
  std::optional<Compiled> plain_;
  std::optional<Compiled> counting_, racing_, watching_;
};

}  // namespace opgrade
