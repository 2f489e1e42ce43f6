#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/cli/commands.hpp"
#include "grader/course/documents/renderers.hpp"
#include "grader/grading/build/installed_tools.hpp"
#include "grader/grading/build/toolchain.hpp"
#include "grader/grading/cases/rerun/sanitize_run.hpp"
#include "grader/grading/device/device_trial.hpp"
#include "grader/grading/device/gpu.hpp"
#include "grader/grading/profile/device_tool.hpp"
#include "grader/platform/gpu/referee.hpp"
#include "grader/platform/sandbox/sandbox.hpp"
#include "grader/report/words/note_words.hpp"
#include "grader/task/config/registry.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

/// One line of the examination: the subject, its state, and the advice.
void marked_line(std::string_view mark, const std::string& what, const std::string& state,
                 const std::string& advice = {}) {
  fmt::print("{:<8} {:<18} {}\n", mark, what, state);
  if (mark != "ok" && !advice.empty()) fmt::print("{:<8} {:<18} -> {}\n", "", "", advice);
}

void line(bool good, bool needed, const std::string& what, const std::string& state,
          const std::string& advice = {}) {
  marked_line(good ? "ok" : needed ? "MISSING" : "none", what, state, advice);
}

void note(const std::string& text) { fmt::print("{:<27} -> {}\n", "", text); }

/// Lists the compiler that opgrade uses, and the others by name, because a loaded module may
/// suggest that another one is used.
bool examine_compilers(const Toolchain& tools) {
  const auto compilers = cxx_compilers();
  line(tools.cxx.has_value(), true, "C++ compiler",
       tools.cxx ? fmt::format("{}, {}", tools.cxx->string(), tools.cxx_version)
                 : "no g++ or clang++ in /usr/bin",
       "apt-get install g++");
  for (const auto& other : compilers) {
    if (tools.cxx == other.path) continue;
    note(is_of_the_system(other)
             ? fmt::format("not used: {}", other.path.string())
             : fmt::format("not used: {} of PATH, because the sandbox shows the system's compiler "
                           "and libraries alone",
                           other.path.string()));
  }
  return tools.cxx.has_value();
}

/// Lists the toolkit that opgrade uses, how it was found, and the other toolkits.
void examine_toolkits(const Toolchain& tools) {
  const auto toolkits = cuda_toolkits();
  line(tools.cuda_root.has_value(), false, "CUDA toolkit",
       tools.cuda_root ? fmt::format("{}, found by {}, builds for {}", tools.cuda_root->string(),
                                     toolkits.front().found_by, tools.cuda_architecture)
                       : "no nvcc found",
       "only needed to grade on a GPU; `module load cuda`, or set CUDA_HOME to its folder");
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const folder = std::getenv(name);
    if (folder != nullptr && *folder != '\0' && !fs::exists(fs::path(folder) / "bin/nvcc"))
      note(fmt::format("{} is {}, which has no bin/nvcc", name, folder));
  }
  for (const auto& other : toolkits)
    if (tools.cuda_root != other.path)
      note(fmt::format("not used: {}, found by {}; CUDA_HOME chooses another toolkit",
                       other.path.string(), other.found_by));
}

/// Lists every device that the driver knows, and whether GPU stages will run on it.
void examine_gpus() {
  const auto all = machine_gpus();
  if (all.empty())
    line(false, false, "GPU", "no NVIDIA device answers",
         "GPU stages run on the emulated device, without Op Time");
  const auto visible = Referee::devices();
  for (const GpuId& gpu : all) {
    const bool seen = std::ranges::find(visible, gpu.uuid, &GpuId::uuid) != visible.end();
    const std::string what = fmt::format("{} ({})", gpu.name, gpu.uuid);
    if (visible.empty()) {
      line(false, false, "GPU", what,
           find_gpus().empty() ? "CUDA_VISIBLE_DEVICES hides it"
                               : "CUDA does not answer, or opgrade was built without it");
    } else if (!seen) {
      line(false, false, "GPU", what, "not used: CUDA_VISIBLE_DEVICES hides it");
    } else {
      line(gpu.name == visible.front().name, false, "GPU", what,
           fmt::format("not used: only devices of the first one's model, {}, are; "
                       "CUDA_VISIBLE_DEVICES chooses another first one",
                       visible.front().name));
    }
  }
}

/// Tests GPU stages inside the sandbox, where submissions run: nvidia-smi may work although a
/// program in the sandbox does not.
bool examine_device_in_sandbox(const SandboxSupport& support, bool needed) {
  const auto gpus = find_gpus();
  if (gpus.empty() || support.tier == SandboxTier::none) return true;
  const Sandbox sandbox(support);
  const TempDir folder("opgrade-doctor-");
  const fs::path harness = folder.path() / "opgrade-harness";
  fs::copy_file(resources::helper_program("opgrade-harness"), harness);
  sandbox.hand_over(folder.path());
  const auto why = why_no_device(sandbox, harness, gpus.front().uuid);
  line(!why, needed, "GPU in the sandbox", why.value_or("memory was written and read back"),
       "GPU stages cannot run in this tier; see the sandbox's lines for a better one, and the "
       "rights of /dev/nvidia*");
  return !why || !needed;
}

/// Lists the tools that staff can offer in practice runs, in addition to the profiler.
void examine_tools(const Toolchain& tools) {
  const bool sanitizer = tools.cuda_root && find_sanitizer(*tools.cuda_root);
  line(sanitizer, false, "compute-sanitizer", sanitizer ? "ready" : "not found",
       "it comes with the CUDA toolkit");
  for (const DeviceTool& tool : device_tools()) {
    if (!tool.runs_around()) continue;
    const std::string title(tool.title);
    const auto found = find_tool(tool, tools.cuda_root);
    line(found.has_value(), false, title, found ? found->program.string() : "not found",
         fmt::format("install it from NVIDIA, below /opt/nvidia or in the toolkit, or name the "
                     "program in {}",
                     tool.variable));
    if (!found || !tool.reads_counters) continue;
    const std::string why = counters_restricted();
    line(why.empty(), false, "GPU counters",
         why.empty() ? "the driver lets users read them" : "kept from users", why);
  }
}

/// Lists what a service needs to show the pages of students' reports.
void examine_renderers() {
  const auto missing = documents::missing_packages(documents::Renderers::find());
  line(missing.empty(), false, "documents",
       missing.empty() ? "a service shows PDF, Markdown and pictures"
                       : "a service offers some kinds as a download alone",
       fmt::format("only needed to serve a course that wants reports: apt-get install {}",
                   fmt::join(missing, " ")));
}

}  // namespace

void add_doctor(arguments::Parser& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("doctor", "Print what this machine can grade, and how to get the rest");
  verb->footer(
      "Environment:\n"
      "  OPGRADE_BWRAP             the bubblewrap program, where it is not on PATH\n"
      "  OPGRADE_SANDBOX_WITHOUT   forbidden sandbox features: a list of cgroup, userns and "
      "landlock\n"
      "  OPGRADE_DATA              the folder of prepared data\n"
      "  OPGRADE_CUDA_ARCH         the architecture that nvcc builds for, such as sm_80\n"
      "  CUDA_HOME, CUDA_PATH      the CUDA toolkit; otherwise that of PATH, then the usual "
      "folders\n"
      "  CUDA_VISIBLE_DEVICES      the GPUs to use\n"
      "  OPGRADE_NCU, OPGRADE_NSYS the programs of Nsight Compute and Nsight Systems");
  verb->callback([&exit_code] {
    bool healthy = true;
    Toolchain tools = Toolchain::detect();
    if (const auto architecture = cuda_architecture(find_gpus())) tools.build_for(*architecture);
    healthy &= examine_compilers(tools);
    examine_toolkits(tools);
    examine_gpus();
    line(tools.emulator.has_value(), false, "emulated device",
         tools.emulator ? "ready" : tools.no_emulator.what(),
         tools.emulator ? "" : tools.no_emulator.hint);
    if (tools.emulator && tools.cxx && !tools.cxx_can_watch) note(report::kCannotWatch);
    if (tools.emulator) {
      const bool reads = tools.has_front_end();
      line(reads, false, "CUDA's rules",
           reads ? "checked without a toolkit" : "not checked: this opgrade has no front end",
           reads ? "" : "build it with the packages of tools/install-packages.sh");
    }

    examine_tools(tools);
    examine_renderers();

    const SandboxSupport sandbox = SandboxSupport::detect();
    // Tiers between full and none still allow grading.
    marked_line(sandbox.tier == SandboxTier::full   ? "ok"
                : sandbox.tier == SandboxTier::none ? "MISSING"
                                                    : "weaker",
                "sandbox", fmt::format("tier '{}'", name_of(sandbox.tier)),
                sandbox.notes.empty() ? "" : sandbox.notes.front());
    for (std::size_t i = 1; i < sandbox.notes.size(); ++i) note(sandbox.notes[i]);
    healthy &= sandbox.tier != SandboxTier::none;
    healthy &= examine_device_in_sandbox(sandbox, tools.cuda_root.has_value());

    for (const Task* task : tasks()) {
      for (const Requirement& needed : task->requirements(resources::data_folder())) {
        line(needed.met, true, needed.name, needed.state, needed.advice);
        healthy &= needed.met;
      }
    }
    exit_code = healthy ? kPassed : kFault;
  });
}

}  // namespace opgrade::cli
