/// Grades one submission from its folder or archive to its points: intake, build, run, check,
/// score.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <set>
#include <string>

#include "grader/app/case_run.hpp"
#include "grader/app/device_control.hpp"
#include "grader/app/gpu_pool.hpp"
#include "grader/app/model_store.hpp"
#include "grader/app/reference_times.hpp"
#include "grader/app/selection.hpp"
#include "grader/build/toolchain.hpp"
#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"
#include "grader/core/temp_dir.hpp"
#include "grader/intake/intake.hpp"
#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

struct GraderOptions {
  std::optional<Device> gpu_device;   ///< where cuda stages run; found out when absent
  std::set<std::string> only;         ///< see Selection
  std::optional<std::uint64_t> seed;  ///< of the random cases; drawn when absent
  bool unsafe = false;                ///< grade although there is no sandbox
  int parallel_runs = 1;              ///< parallel submissions
  bool whole_class = false;           ///< many submissions: what their builds share is made once
  bool profile = false;               ///< of each stage's largest case on a device; the smallest
                                      ///< where the device is emulated
  bool sanitize = false;              ///< run cuda stages under compute-sanitizer too
  std::filesystem::path data_folder;
  std::string config_argument;  ///< how the config was named, for the commands in reports
  Log log = [](const std::string&) {};
};

/// Safe to use from several threads at once; timed runs take turns, also between processes.
class Grader {
 public:
  /// Finds out what the machine can do. Throws Error when it cannot grade with this config at all,
  /// UsageError when that is the config's fault or that of `only`.
  Grader(Config config, GraderOptions options);
  ~Grader();

  /// Never throws for what the submission does. A failure of the grader in one case is that case's
  /// outcome grader_fault.
  Grade grade(const std::filesystem::path& submission, const std::string& name);

  const Config& config() const { return config_; }
  const std::string& config_sha256() const { return config_sha256_; }

  /// SHA-256 over the files that would be taken; empty when the submission is refused. A result is
  /// current when this and the config's sum are those in its report.
  std::string fingerprint_of(const std::filesystem::path& submission) const;

  /// True if a grade has this grader's config, opgrade, cases, devices and random numbers.
  bool matches(const Grade& grade) const;

  /// The random cases' seed, the same for all submissions; nothing where none is selected.
  std::optional<std::uint64_t> seed() const;

 private:
  /// A submission's files for each stage, read once: the hashed files are the built files.
  struct Intake {
    std::vector<tl::expected<TakenFiles, Refusal>> stages;  ///< as in the config
    std::string sha256;                                     ///< empty when all are refused
  };
  Intake take_all(const std::filesystem::path& submission) const;
  StageReport run_stage(const StageConfig& stage, const tl::expected<TakenFiles, Refusal>& files,
                        const std::string& submission_argument, std::vector<std::string>& notes);
  void run_sanitizer(StageReport& report, CaseContext& context, GpuPool::Lease& lease,
                     std::vector<std::string>& notes);
  /// `watched`: a build of which the model's layers are run besides, see watch_layers(); or empty.
  void run_case(CaseReport& report, const StageConfig& stage, CaseContext& context,
                const std::filesystem::path& watched, GpuPool::Lease& lease,
                std::vector<std::string>& notes);
  std::optional<Device> resolve(Device wanted, std::string& note) const;
  bool is_profiled(const StageConfig& stage, const std::string& id, Device device) const;
  bool wants_gpu() const;
  void try_device();
  std::vector<NamedProblem> problems_of_case(const StageConfig& stage, const std::string& id,
                                             Device device, std::mt19937_64& random);
  double work_of_case(const CaseConfig& wanted);  ///< in floating-point operations
  void load_models();

  Config config_;
  std::string config_sha256_;
  GraderOptions options_;
  std::uint64_t seed_;
  Selection selection_;
  GpuPool gpus_;  ///< before the others, because it gets ready while the rest does
  std::future<std::optional<std::string>> architecture_;  ///< to build for; likewise
  Sandbox sandbox_;
  Toolchain tools_;
  ModelStore models_;
  TempDir programs_;  ///< the harness, where the sandbox's user may read it
  ProfilerFiles profiler_;
  /// The interface's, for a GPU; only for a whole class, and only once it is there.
  std::shared_future<std::filesystem::path> adapter_object_;
  Leftovers leftovers_;
  CallCosts costs_{sandbox_, programs_.path() / "opgrade-harness",
                   programs_.path() / kEmptyCallLibrary};
  DeviceControl control_{config_, tools_, sandbox_};
  ReferenceTimes reference_times_{config_, tools_,      sandbox_,
                                  models_, gpus_,       programs_.path() / "opgrade-harness",
                                  costs_,  options_.log};
};

/// The grading machine and program; `started` is now.
MachineReport describe_machine(const Sandbox& sandbox, const Toolchain& tools);

}  // namespace opgrade
