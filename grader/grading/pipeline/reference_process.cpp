#include "grader/grading/pipeline/reference_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/parallel.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/compile.hpp"
#include "grader/grading/build/limits.hpp"
#include "grader/grading/intake/intake.hpp"
#include "grader/grading/pipeline/staff_prototypes.hpp"
#include "grader/grading/run/runtime_view.hpp"
#include "grader/grading/run/session.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/folder/folder_task.hpp"
#include "grader/task/folder/staff_text.hpp"

namespace opgrade {
namespace {

constexpr const char* kHint =
    "mend that file, or the extents in task.yaml; `opgrade task check` runs it";

/// In the order of ReferenceCode::Step.
constexpr std::array<const char*, 4> kFiles{"reference.cpp", "generate.cpp", "validate.cpp",
                                            "check.cpp"};

class ReferenceProcess final : public ReferenceCode {
 public:
  ReferenceProcess(const FolderTask& task, const Config& config, const Toolchain& tools,
                   const Sandbox& sandbox, const std::filesystem::path& harness, UnsetMemory unset)
      : unset_(unset),
        name_(task.folder().filename()),
        limits_(config.run_limits),
        sandbox_(sandbox),
        folder_("opgrade-reference-") {
    std::filesystem::create_directory(folder_.path() / "build");
    std::filesystem::create_directory(folder_.path() / "bin");
    harness_ = folder_.path() / "bin" / harness.filename();
    std::filesystem::copy_file(harness, harness_);
    sandbox_.hand_over(folder_.path());
    const std::vector<std::string> sources = task.staff_sources();
    const auto files = take_files(task.folder(), FilesConfig{.take = {}}, sources);
    if (!files)
      throw UsageError(fmt::format("the task {}: {}", name_, files.error().reason), kHint);
    TakenFiles taken = *files;
    taken.left_out.clear();  // what else the task's folder holds has nothing to do with it
    const Compiled compiled = compile(
        {task.reference_interface(), Device::cpu, sources, flags(), {}, taken, config.build_limits},
        tools, sandbox_, folder_.path() / "build");
    if (compiled.report.outcome != Outcome::passed) {
      const std::string other = other_prototypes(task.reference_interface().cpu_signature, taken);
      if (!other.empty())
        throw UsageError(fmt::format("the task {}: {}", name_, other),
                         "the first line of a function must be as opgrade calls it; names of "
                         "parameters are free");
      throw UsageError(
          fmt::format("the task {}: {} does not build: {}. {}\n{}", name_, fmt::join(sources, ", "),
                      report::sentence_of(compiled.report.reason),
                      report::hint_of(compiled.report.reason), compiled.report.compiler_output),
          kHint);
    }
    submission_ = compiled.submission;
  }

  StaffOutput run(Step step, const Coordinates& sizes, StaffInputs inputs,
                  std::size_t bytes) override {
    std::vector<int> numbers;
    for (const auto& size : sizes) numbers.push_back(static_cast<int>(size.value));
    numbers.push_back(static_cast<int>(step));
    std::vector<BufferSize> buffers{size_of(bytes)};
    for (const auto& input : inputs) buffers.push_back(size_of(input.size()));
    auto one = take(numbers, buffers);
    one->session->begin_case();
    bool mapped = one->is_for(numbers, buffers);
    if (!mapped) {
      one->buffers = buffers;
      one->tensors.emplace(std::move(numbers), buffers);
      mapped = one->session->map(*one->tensors);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) copy(inputs[i], one->tensors->input(i).bytes());
    if (!mapped || !one->session->call()) {
      const auto report = one->session->finish();
      const auto failure = one->session->failure(report);
      throw Error(fmt::format("the task {}: {} failed at {}: {}", name_,
                              kFiles[static_cast<std::size_t>(step)], text_of(sizes),
                              failure ? report::sentence_of(failure->reason)
                                      : std::string("its process ended")),
                  kHint);
    }
    one->session->await_case();
    const CallTensors& tensors = *one->tensors;
    std::vector<std::span<const std::byte>> copies;
    for (std::size_t i = 0; i < inputs.size(); ++i) copies.emplace_back(tensors.input(i).bytes());
    return {tensors.output().bytes(),
            std::shared_ptr<const void>(one.release(),
                                        [this](One* used) {
                                          const std::scoped_lock lock(guard_);
                                          idle_.emplace_back(used);
                                        }),
            std::move(copies)};
  }

 private:
  /// The poisoned build has no -O2, with which the compiler may take any value for a variable that
  /// is not set.
  std::vector<std::string> flags() const {
    if (unset_ == UnsetMemory::as_it_is) return {"-O2"};
    return {"-O1", "-ftrivial-auto-var-init=pattern",
            fmt::format("-D{}={:#x}", kOutputFill, kTrialFill)};
  }

  struct One {
    std::unique_ptr<Session> session;
    std::optional<CallTensors> tensors;
    std::vector<BufferSize> buffers;

    /// True if its memory can serve another call of the same sizes.
    bool is_for(const std::vector<int>& numbers, const std::vector<BufferSize>& wanted) const {
      return tensors && tensors->sizes == numbers && buffers == wanted;
    }
  };

  /// Four threads copy as fast as the machine's memory allows, if it has the cores.
  static void copy(std::span<const std::byte> from, std::span<std::byte> to) {
    constexpr std::size_t kPiece = 4 << 20;
    parallel_for_pieces(from.size(), kPiece, 4, [&](std::size_t at, std::size_t count) {
      std::ranges::copy(from.subspan(at, count), to.subspan(at).begin());
    });
  }

  static BufferSize size_of(std::size_t bytes) {
    return {static_cast<std::int64_t>(bytes), ElementType::Id::u8};
  }

  std::unique_ptr<One> take(const std::vector<int>& numbers,
                            const std::vector<BufferSize>& buffers) {
    {
      const std::scoped_lock lock(guard_);
      if (!idle_.empty()) {
        // Finding memory for other sizes takes as long as many calls.
        const auto same = std::ranges::find_if(
            idle_, [&](const auto& one) { return one->is_for(numbers, buffers); });
        std::swap(same != idle_.end() ? *same : idle_.back(), idle_.back());
        auto one = std::move(idle_.back());
        idle_.pop_back();
        return one;
      }
    }
    SandboxPolicy policy;
    add_runtime_view(policy, Device::cpu);
    if (unset_ == UnsetMemory::poisoned)
      policy.environment.emplace_back("GLIBC_TUNABLES=glibc.malloc.perturb=91");
    LimitConfig limits = limits_;
    limits.cpu = std::chrono::hours(100);  // over all calls; each has its wall time
    set_limits(policy, limits);
    InterfaceSteps steps;
    steps.prolog = steps.epilog = false;
    steps.operation = "reference";
    auto one = std::make_unique<One>();
    one->session = std::make_unique<Session>(sandbox_, policy, steps, harness_, submission_);
    return one;
  }

  const UnsetMemory unset_;
  const std::string name_;
  const LimitConfig limits_;
  const Sandbox sandbox_;
  TempDir folder_;
  std::filesystem::path harness_, submission_;
  std::mutex guard_;
  std::vector<std::unique_ptr<One>> idle_;
};

}  // namespace

std::shared_ptr<ReferenceCode> start_reference(const FolderTask& task, const Config& config,
                                               const Toolchain& tools, const Sandbox& sandbox,
                                               const std::filesystem::path& harness,
                                               UnsetMemory unset) {
  return std::make_shared<ReferenceProcess>(task, config, tools, sandbox, harness, unset);
}

}  // namespace opgrade
