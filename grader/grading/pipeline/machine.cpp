#include "grader/grading/pipeline/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/phases.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/core/wall_time.hpp"
#include "grader/grading/build/compile.hpp"
#include "grader/grading/device/device_trial.hpp"
#include "grader/grading/device/gpu.hpp"
#include "grader/grading/pipeline/cache_folder.hpp"
#include "grader/grading/pipeline/processor_name.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/task/config/config_task.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

SandboxTier weakest_allowed(const Config& config) {
  for (const auto tier : {SandboxTier::full, SandboxTier::no_cgroup, SandboxTier::no_userns}) {
    if (config.require_sandbox == name_of(tier)) return tier;
  }
  return SandboxTier::none;
}

SandboxSupport checked_support(const Config& config, const Machine::Wants& wants) {
  SandboxSupport support = SandboxSupport::detect();
  support.parallel_runs = wants.parallel_runs;
  if (support.tier == SandboxTier::none && !wants.unsafe) {
    throw Error(
        "no sandbox here: " + fmt::format("{}", fmt::join(support.notes, "; ")),
        "run `opgrade doctor`; --unsafe grades without one, on a machine you can throw away");
  }
  if (support.tier > weakest_allowed(config) && !wants.unsafe) {
    throw Error(
        fmt::format("the config requires the sandbox tier '{}', this machine has '{}': {}",
                    config.require_sandbox, name_of(support.tier), fmt::join(support.notes, "; ")),
        "run `opgrade doctor`");
  }
  return support;
}

}  // namespace

Machine::Machine(const Config& config, Wants wants)
    : config_(config),
      wants_(std::move(wants)),
      gpus_(wants_.gpu ? GpuPool::Search(GpuPool::visible) : nullptr),
      architecture_(std::async(wants_.gpu ? std::launch::async : std::launch::deferred,
                               [] { return cuda_architecture(find_gpus()); })),
      sandbox_(checked_support(config, wants_)),
      tools_(Toolchain::detect()),
      programs_("opgrade-programs-"),
      harness_(programs_.path() / "opgrade-harness"),
      costs_(sandbox_, harness_, programs_.path() / kEmptyCallLibrary) {
  fs::copy_file(resources::helper_program("opgrade-harness"), harness_);
  // A build on a machine without a GPU need not have this library: `make demo`.
  if (wants_.gpu && tools_.cuda_root && find_gpu())
    fs::copy_file(resources::helper_program(kEmptyCallLibrary),
                  programs_.path() / kEmptyCallLibrary);
  tools_.move_emulator_to(programs_.path() / "emulation");
  if (tools_.cuda_root) profiler_ = find_profiler(*tools_.cuda_root, programs_.path());
  sandbox_.hand_over(programs_.path());
}

void Machine::get_ready() {
  if (wants_.gpu)
    if (const auto architecture = architecture_.get()) tools_.build_for(*architecture);
  phase_over("what to build for");
  cuda_version_ = std::async(wants_.gpu ? std::launch::async : std::launch::deferred, [this] {
                    return wants_.gpu && find_gpu() ? tools_.cuda_version() : std::string();
                  }).share();
  // A class begins when its device is known to work, a single submission with its build.
  tried_ = std::async(wants_.whole_class ? std::launch::deferred : std::launch::async, [this] {
             try_device();
           }).share();
  if (wants_.whole_class) await_device();
  bool on_device = false, on_host = false;
  for (const StageConfig& stage : config_.stages)
    if (stage.device == Device::cuda)
      (interface_of(config_, stage).device_tensors ? on_device : on_host) = true;
  if (wants_.gpu && (on_device || on_host))
    empty_call_ = std::async(std::launch::async, [this, on_device, on_host] {
      const auto lease = gpus_.try_take();
      if (lease && on_device) costs_.on(*lease->referee());
      if (lease && on_host) costs_.of_host_on(*lease->referee());
    });
  if (wants_.gpu) prepare_adapter();
}

/// Uses no cache without a sandbox, because a submission could write into it.
void Machine::prepare_adapter() {
  const auto stage = std::ranges::find(config_.stages, Device::cuda, &StageConfig::device);
  if (stage == config_.stages.end()) return;
  const Interface& interface = interface_of(config_, *stage);
  adapter_of_ = &interface;
  const fs::path object = programs_.path() / "adapter.o";
  const fs::path cached = sandbox_.support().tier == SandboxTier::none
                              ? fs::path()
                              : adapter_in_cache(interface, tools_);
  if (take_adapter(cached, object)) {
    std::promise<fs::path> there;
    there.set_value(object);
    adapter_object_ = there.get_future();
    return;
  }
  if (!wants_.whole_class && cached.empty()) return;
  adapter_object_ = std::async(std::launch::async, [this, &interface, cached] {
    const fs::path folder = programs_.path() / "adapter";
    fs::create_directory(folder);
    const fs::path made =
        compile_adapter(interface, config_.build_limits, tools_, sandbox_, folder);
    keep_adapter(made, cached);
    return made;
  });
}

void Machine::await_device() const { tried_.get(); }

std::future<void> Machine::on_idle_gpu(std::function<void(Referee&)> work) {
  return std::async(std::launch::async, [this, work = std::move(work)] {
    try {
      if (empty_call_.valid()) empty_call_.wait();
      if (const auto lease = gpus_.try_take()) work(*lease->referee());
    } catch (const interrupt::Interrupted&) {
      throw;
    } catch (const std::exception&) {
      // The GPU's next use says why.
    }
  });
}

/// The full tier works on a device wherever bubblewrap does. Other tiers are tried before a class
/// is graded.
void Machine::try_device() {
  const auto& support = sandbox_.support();
  const auto gpus = find_gpus();
  if (!wants_.gpu || support.tier == SandboxTier::full || !tools_.cuda_root || gpus.empty()) return;
  const auto why = why_no_device(sandbox_, harness_, gpus.front().uuid);
  phase_over("device tried in the sandbox");
  if (!why) return;
  throw Error(fmt::format("the GPU does not work in the sandbox tier '{}': {}",
                          name_of(support.tier), *why),
              "run `opgrade doctor`; a better tier needs user namespaces, and --device emulated "
              "grades without the GPU");
}

tl::expected<Device, why::NoDevice> Machine::resolve(const StageConfig& stage) const {
  const Device wanted = stage.device;
  if (wanted == Device::cpu) return Device::cpu;
  const auto& asked = wants_.gpu_device;
  Device device = wanted;
  if (wanted == Device::cuda) {
    const bool gpu = find_gpu() && tools_.cuda_root;
    const int there = count_of_one_model(find_gpus());
    device = asked.value_or(gpu ? Device::cuda : Device::emulated);
    if (device == Device::cuda && !gpu)
      return tl::unexpected(why::NoDevice{find_gpu() ? why::Lack::toolkit : why::Lack::gpu,
                                          tools_.emulator.has_value()});
    if (device == Device::cuda && there < stage.gpus)
      return tl::unexpected(why::NoDevice{
          why::Lack::gpus, tools_.emulator.has_value(),
          fmt::format("{}: its cases use {} GPUs of one model, and opgrade sees {} here",
                      stage.name, stage.gpus, there)});
  }
  if (device == Device::emulated && !tools_.emulator)
    return tl::unexpected(why::NoDevice{
        wanted == Device::cuda && !asked ? why::Lack::gpu_and_emulator : why::Lack::emulator, false,
        tools_.no_emulator.what()});
  return device;
}

bool Machine::emulates_unasked() const {
  const StageConfig on_gpu{.device = Device::cuda};
  return !wants_.gpu_device && resolve(on_gpu) == Device::emulated;
}

fs::path Machine::adapter_object(const Interface& interface) const {
  const bool there = adapter_of_ == &interface && adapter_object_.valid() &&
                     adapter_object_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  return there ? adapter_object_.get() : fs::path();
}

MachineReport Machine::report() const {
  MachineReport machine;
  machine.opgrade_version = program_version();
  machine.host_cpu = processor_name();
  machine.cpus = static_cast<int>(std::thread::hardware_concurrency());
  machine.gpu = find_gpu().value_or("");
  machine.sandbox = std::string(name_of(sandbox_.support().tier));
  machine.compiler = tools_.cxx_version;
  if (const std::string& cuda = cuda_version(); !cuda.empty()) machine.compiler += "; " + cuda;
  machine.started = iso_text(this_second());
  return machine;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  return processor_name_in(file);
}

}  // namespace opgrade
