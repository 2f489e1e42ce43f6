// Prints what grading costs beside the submission's own time: `make bench`. Figures are recorded in
// docs/performance.md; no test looks at them.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "grader/base/arguments/arguments.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/core/statistics.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/compile.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/grading/pipeline/machine.hpp"
#include "grader/grading/run/runtime_view.hpp"
#include "grader/grading/run/session.hpp"
#include "grader/platform/sandbox/sandbox.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/registry.hpp"
#include "reference/conv_batch.hpp"

namespace {

using namespace opgrade;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// The course's plain loops, the ruler that every term's students start from.
void plain_loops(const ConvShape& s, const float* x, const float* k, float* y) {
  for (int b = 0; b < s.B; ++b)
    for (int m = 0; m < s.M; ++m)
      for (int h = 0; h < s.H_out(); ++h)
        for (int w = 0; w < s.W_out(); ++w) {
          float& out = y[((std::size_t(b) * s.M + m) * s.H_out() + h) * s.W_out() + w];
          out = 0;
          for (int c = 0; c < s.C; ++c)
            for (int p = 0; p < s.K; ++p)
              for (int q = 0; q < s.K; ++q)
                out += x[((std::size_t(b) * s.C + c) * s.H + h + p) * s.W + w + q] *
                       k[((std::size_t(m) * s.C + c) * s.K + p) * s.K + q];
        }
}

/// Every tier that this machine has, the best first.
std::vector<SandboxSupport> all_tiers() {
  std::vector<SandboxSupport> tiers;
  for (const std::set<std::string>& without :
       {std::set<std::string>{}, {"cgroup"}, {"userns"}, {"userns", "landlock"}}) {
    auto support = SandboxSupport::detect_without(without);
    if (tiers.empty() || tiers.back().tier != support.tier) tiers.push_back(std::move(support));
  }
  return tiers;
}

/// An empty program, bare and in the sandbox that a submission runs in, in turn.
void sandbox_cost() {
  SandboxPolicy policy;
  add_runtime_view(policy, Device::cpu);
  policy.mounts.push_back({"/bin/true", "/opgrade/true"});
  for (const SandboxSupport& support : all_tiers()) {
    const Sandbox sandbox(support);
    std::vector<double> bare, boxed;
    for (int i = 0; i < 60; ++i) {
      auto begin = Clock::now();
      run_command({.program = "/bin/true"}, {});
      bare.push_back(ms_since(begin));
      begin = Clock::now();
      sandbox.run(policy, {"/opgrade/true"});
      boxed.push_back(ms_since(begin));
    }
    fmt::print(
        "an empty process, bare / in tier '{}': {:.1f} / {:.1f} ms (medians of 60; least "
        "{:.1f} / {:.1f})\n",
        name_of(support.tier), summarize(bare).median_ms, summarize(boxed).median_ms,
        *std::ranges::min_element(bare), *std::ranges::min_element(boxed));
  }
}

/// Op Time of one call of `shape` in a fresh session, by the harness's clock.
double op_time_ms(const Sandbox& sandbox, const std::filesystem::path& submission,
                  const std::filesystem::path& harness, const CallTensors& tensors) {
  SandboxPolicy policy;
  add_runtime_view(policy, Device::cpu);
  Session session(sandbox, policy, InterfaceSteps{false, false}, harness, submission);
  if (!session.map(tensors)) {
    const auto failure = session.failure(session.finish());
    fmt::print("the solution does not run: {}\n",
               failure ? report::sentence_of(failure->reason) : "");
    return 0;
  }
  session.call();  // the first one warms up
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const auto time = session.call();
    if (!time) return 0;
    times.push_back(std::chrono::duration<double, std::milli>(time->op.harness).count());
  }
  session.finish();
  return summarize(times).median_ms;
}

/// Whether being sandboxed shows in Op Time: the reference solution, 20 pairs in turn.
void op_time_cost() {
  const TempDir folder("opgrade-bench-");
  const SandboxSupport best = SandboxSupport::detect();
  const Sandbox sandbox(best), bare(SandboxSupport{});
  const auto solution = resources::share_folder() / "reference_solution/minidnn-3";
  FilesConfig files;
  const auto taken = take_files(solution, files, {"cpu-new-forward.cc"});
  sandbox.hand_over(folder.path());
  std::filesystem::create_directory(folder.path() / "build");
  const Compiled compiled = compile({find_interface("minidnn-3"),
                                     Device::cpu,
                                     {"cpu-new-forward.cc"},
                                     {"-O3"},
                                     {},
                                     *taken,
                                     Config().build_limits,
                                     false},
                                    Toolchain::detect(), sandbox, folder.path() / "build");
  if (compiled.report.outcome != Outcome::passed) {
    fmt::print("the solution does not build: {}\n", report::sentence_of(compiled.report.reason));
    return;
  }
  std::filesystem::copy_file(resources::helper_program("opgrade-harness"),
                             folder.path() / "opgrade-harness");
  sandbox.hand_over(folder.path());
  const CallTensors tensors({20, 4, 1, 86, 86, 7, 1}, {20 * 4 * 80 * 80, 20 * 86 * 86, 4 * 7 * 7});
  std::vector<double> boxed, alone, ratio;
  for (int i = 0; i < 20; ++i) {
    for (const bool first : {i % 2 == 0, i % 2 != 0}) {
      auto& times = first ? boxed : alone;
      times.push_back(op_time_ms(first ? sandbox : bare, compiled.submission,
                                 folder.path() / "opgrade-harness", tensors));
    }
    ratio.push_back(boxed.back() / alone.back());
  }
  std::sort(ratio.begin(), ratio.end());
  fmt::print(
      "Op Time of B=20 M=4 C=1 86x86 K=7, bare / in tier '{}': {:.3f} / {:.3f} ms (medians of 20 "
      "pairs in turn); ratio within a pair: median {:.3f}, quartiles {:.3f} to {:.3f}\n",
      name_of(best.tier), summarize(alone).median_ms, summarize(boxed).median_ms,
      (ratio[9] + ratio[10]) / 2, ratio[5], ratio[14]);
}

constexpr const char* kConfig = R"(
opgrade: 1
name: bench
models:
  high: {{network: fmnist-86, weights: {}}}
timing: {{repetitions: 1, partial_warmup: true}}
limits:
  run: {{wall: 10 min, cpu: 10 min}}
stages:
  - name: cpu
    device: cpu
    cases:
      - {{model: high, batch: {}}}
)";

/// Grades the reference solution and subtracts its build and its calls.
void grading_cost(const std::string& weights, int batch) {
  auto loaded = parse_config(fmt::format(kConfig, weights, batch), "bench");
  GraderOptions options;
  options.data_folder = resources::data_folder();
  const auto solution = resources::share_folder() / "reference_solution/minidnn-3";
  std::vector<double> rest;
  double op_s = 0;
  std::int64_t memory = 0;
  for (int i = 0; i < 3; ++i) {
    // A fresh grader each time: detecting the machine and loading the model count.
    const auto begin = Clock::now();
    const Grade grade = Grader(loaded.config, options).grade(solution, "reference");
    const double whole_s = ms_since(begin) / 1e3;
    const CaseReport& c = grade.stages.at(0).cases.at(0);
    if (c.outcome != Outcome::passed) {
      fmt::print("B={}: {}: {}\n", batch, words(c.outcome).text, report::sentence_of(c.reason));
      return;
    }
    op_s = 0;
    for (const auto& call : c.calls) {
      for (const double ms : call.process_time.samples_ms) op_s += ms / 1e3;
    }
    rest.push_back(whole_s - op_s - grade.stages.at(0).build.elapsed_s);
    memory = c.usage.peak_memory_bytes;
  }
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  std::sort(rest.begin(), rest.end());
  fmt::print(
      "B={:5}: beside Op Time ({:.2f} s) and build: {:.2f} s (of 3: {:.2f} to {:.2f}); peak memory "
      "grader {:.2f} "
      "GiB + run {:.2f} GiB\n",
      batch, op_s, rest[1], rest[0], rest[2], double(own.ru_maxrss) / (1 << 20),
      double(memory) / (1 << 30));
}

void reference_speed(const ConvShape& shape) {
  std::vector<float> x(std::size_t(shape.x_size()), 0.5f), k(std::size_t(shape.k_size()), 0.25f),
      y(std::size_t(shape.y_size()));
  std::vector<double> plain, fast;
  for (int i = 0; i < 5; ++i) {
    auto begin = Clock::now();
    plain_loops(shape, x.data(), k.data(), y.data());
    plain.push_back(ms_since(begin));
    begin = Clock::now();
    conv_fast(shape, x.data(), k.data(), y.data(), 1);
    fast.push_back(ms_since(begin));
  }
  fmt::print(
      "M={} C={} {}x{} K={} B={}, one core: plain loops {:.1f} ms, reference library {:.2f} ms "
      "({:.0f}x)\n",
      shape.M, shape.C, shape.H, shape.W, shape.K, shape.B, summarize(plain).median_ms,
      summarize(fast).median_ms, summarize(plain).median_ms / summarize(fast).median_ms);
}

}  // namespace

int main(int argc, char** argv) {
  std::string weights = "fmnist-86-high";
  arguments::Parser app("What grading costs beside the submission's own time", "opgrade-bench");
  app.add_option("weights", weights, "Of the model that is graded")->capture_default_str();
  return arguments::run_program(app, argc, argv, [&] {
    fmt::print("{}\n", processor_name());
    sandbox_cost();
    op_time_cost();
    reference_speed({.B = 100, .M = 4, .C = 1, .H = 86, .W = 86, .K = 7});
    reference_speed({.B = 100, .M = 16, .C = 4, .H = 40, .W = 40, .K = 7});
    for (const int batch : {100, 1000, 10000}) grading_cost(weights, batch);
    return 0;
  });
}
