// Prints what the grader does around one timed call of a task in a folder, in seconds, without a
// GPU and without the call: its inputs, the reference, the comparison; of a submission alone, and
// of the first and the second one of a class. No test looks at the figures.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "grader/base/arguments/arguments.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/grading/pipeline/machine.hpp"
#include "grader/grading/pipeline/reference_process.hpp"
#include "grader/grading/pipeline/set_cache.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/folder/folder_problem.hpp"
#include "grader/task/folder/folder_task.hpp"
#include "grader/task/interface/buffer_memory.hpp"

namespace {

using namespace opgrade;
using Clock = std::chrono::steady_clock;

/// Of the wall, and of all threads of this process.
struct Seconds {
  double wall = 0, cpu = 0;

  static Seconds now() {
    timespec cpu{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return {std::chrono::duration<double>(Clock::now().time_since_epoch()).count(),
            static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec)};
  }
  Seconds operator-(const Seconds& other) const { return {wall - other.wall, cpu - other.cpu}; }
  Seconds operator+(const Seconds& other) const { return {wall + other.wall, cpu + other.cpu}; }
};

/// With the sizes n and m: n by m elements in, and as many or one out.
struct Exercise {
  std::string_view name, function, buffers, reference;
};

constexpr Exercise kExercises[] = {
    {"map", "void map(const float* x, float* y, int n, int m)",
     "x: {extents: [n, m]}, y: {extents: [n, m]}",
     R"(void reference(const float* x, double* y, double*, long long n, long long m) {
  for (long long i = 0; i < n * m; ++i) y[i] = 2.0 * x[i] + 1;
})"},
    {"scaled_map", "void scaled_map(const float* x, float* y, int n, int m)",
     "x: {extents: [n, m]}, y: {extents: [n, m]}",
     R"(void reference(const float* x, double* y, double* y_scale, long long n, long long m) {
  for (long long i = 0; i < n * m; ++i) {
    y[i] = 2.0 * x[i] + 1;
    y_scale[i] = 2 * std::fabs(x[i]) + 1;
  }
})"},
    {"whole_map", "void whole_map(const float* x, int* y, int n, int m)",
     "x: {extents: [n, m]}, y: {extents: [n, m]}",
     R"(void reference(const float* x, long long* y, long long n, long long m) {
  for (long long i = 0; i < n * m; ++i) y[i] = static_cast<long long>(2 * x[i]);
})"},
    {"set", "void set(const int* x, int* y, int n, int m)",
     "x: {extents: [n, m], values: \"integers(0, n)\"}, y: {extents: [n, m], any_order: true}",
     R"(void reference(const int* x, long long* y, long long n, long long m) {
  for (long long i = 0; i < n * m; ++i) y[i] = x[i];
})"},
    {"transpose", "void transpose(const half* x, half* y, int n, int m)",
     "x: {extents: [n, m]}, y: {extents: [m, n]}",
     R"(void reference(const float* x, double* y, double*, long long n, long long m) {
  for (long long r = 0; r < n; ++r)
    for (long long c = 0; c < m; ++c) y[c * n + r] = x[r * m + c];
})"},
    {"reduction", "void reduction(const float* x, float* sum, int n, int m)",
     "x: {extents: [n, m]}, sum: {extents: [1]}",
     R"(void reference(const float* x, double* sum, double* sum_scale, long long n, long long m) {
  double total = 0, all = 0;
  for (long long i = 0; i < n * m; ++i) total += x[i], all += std::fabs(x[i]);
  *sum = total;
  *sum_scale = all;
})"},
};

/// The right output.
void answer(std::string_view name, const Values& values, std::size_t n, std::size_t m) {
  const auto* const x = reinterpret_cast<const float*>(values[1].bytes().data());
  auto* const y = reinterpret_cast<float*>(values[0].bytes().data());
  const auto each = [&](const auto& one) {
    for (std::size_t i = 0; i < n * m; ++i) one(i);
  };
  if (name == "reduction") {
    double sum = 0;
    each([&](std::size_t i) { sum += x[i]; });
    *y = static_cast<float>(sum);
  } else if (name == "transpose") {
    const auto* const from = reinterpret_cast<const std::uint16_t*>(x);
    auto* const to = reinterpret_cast<std::uint16_t*>(y);
    each([&](std::size_t i) { to[i % m * n + i / m] = from[i]; });
  } else if (name == "set") {
    std::reverse_copy(x, x + n * m, y);
  } else if (name == "whole_map") {
    each([&](std::size_t i) { reinterpret_cast<int*>(y)[i] = static_cast<int>(2 * x[i]); });
  } else {
    each([&](std::size_t i) { y[i] = 2 * x[i] + 1; });
  }
}

/// Notes the time that a comparison waits for the reference.
class Timed final : public ReferenceCode {
 public:
  explicit Timed(std::shared_ptr<ReferenceCode> code) : code_(std::move(code)) {}

  StaffOutput run(Step step, const Coordinates& sizes, StaffInputs inputs,
                  std::size_t bytes) override {
    const auto begin = Seconds::now();
    StaffOutput output = code_->run(step, sizes, inputs, bytes);
    const std::scoped_lock lock(guard_);
    seconds = seconds + (Seconds::now() - begin);
    return output;
  }

  Seconds seconds;

 private:
  std::mutex guard_;
  std::shared_ptr<ReferenceCode> code_;
};

/// `size`: rows and columns.
void measure(const FolderProblem& problem, const Timed& reference, std::string_view name,
             std::pair<std::size_t, std::size_t> size, int calls, int threads) {
  const auto [rows, columns] = size;
  std::vector<BufferMemory> memory = memory_of(problem);
  const Values values = values_of(memory);

  std::map<std::string_view, std::vector<Seconds>> parts;
  bool right = true;
  for (int call = 0; call < calls; ++call) {
    const auto time = [&](std::string_view part, const auto& work) {
      const Seconds begin = Seconds::now();
      work();
      parts[part].push_back(Seconds::now() - begin);
    };
    time("1 inputs, outputs ahead", [&] { problem.refresh(values, threads); });
    time("2 output before it", [&] { problem.set_output(values, false, threads); });
    answer(name, values, rows, columns);
    const Seconds before = reference.seconds;
    time("4 comparison",
         [&] { right = problem.check(values, 1e-6, {}, threads).passed() && right; });
    parts["3 reference"].push_back(reference.seconds - before);
    parts["4 comparison"].back() = parts["4 comparison"].back() - parts["3 reference"].back();
    Seconds all;
    for (const auto& [part, times] : parts)
      if (part != "all") all = all + times.back();
    parts["all"].push_back(all);
  }
  if (!right) fmt::print("  NOT RIGHT\n");
  for (const auto& [part, times] : parts) {
    Seconds sum;
    for (const Seconds& one : times) sum = sum + one;
    const double least = std::ranges::min(times, {}, &Seconds::wall).wall;
    const auto count = static_cast<double>(times.size());
    fmt::print("  {:24} mean {:.3f} s, CPU time {:.3f} s; least {:.3f} s; each {:.3f} s\n", part,
               sum.wall / count, sum.cpu / count, least,
               fmt::join(times | std::views::transform(&Seconds::wall), ", "));
  }
}

void measure(const Exercise& exercise, int n, int m, int calls, int threads) {
  const TempDir folder("opgrade-task-bench-");
  write_file(
      folder.path() / "task.yaml",
      fmt::format(
          "opgrade: 1\nname: {}\ntask:\n  function: {}\n  sizes: {{n: {{to: 100000}}, m: {{to: "
          "100000}}}}\n  buffers: {{{}}}\n"
          "stages:\n  - {{name: gpu, device: cuda, random_shapes: {{count: 1}}}}\n",
          exercise.name, exercise.function, exercise.buffers));
  write_file(
      folder.path() / "reference.cpp",
      fmt::format("#include \"reference.h\"\n\n#include <cmath>\n\n{}\n", exercise.reference));
  const LoadedConfig loaded = load_config(folder.path());
  if (!loaded.problems.empty()) throw std::runtime_error(to_text(loaded.problems));
  Machine machine(loaded.config, {.gpu_device = Device::emulated});
  const auto reference = std::make_shared<Timed>(start_reference(
      *loaded.config.task, loaded.config, machine.tools(), machine.sandbox(), machine.harness()));
  SetCache cache(folder.path() / "cache/sets", std::string(exercise.name), {});
  for (const std::string_view submission : {"alone", "the first of a class", "the second"}) {
    const auto sets = cache.for_submission("gpu");
    const FolderProblem problem(loaded.config.task->description(), {{"n", n}, {"m", m}}, reference,
                                submission != "alone" ? sets.get() : nullptr);
    fmt::print("{}, {} x {} elements, {} threads: {}\n", exercise.name, n, m, threads, submission);
    measure(problem, *reference, exercise.name,
            {static_cast<std::size_t>(n), static_cast<std::size_t>(m)}, calls, threads);
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kRows = 5000;
  int columns = 5000, calls = 6;
  std::string only;
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  arguments::Parser app("What the grader does around one call of a task in a folder",
                        "opgrade-task-bench");
  app.add_option("--columns", columns, "Of 5000 rows")->capture_default_str();
  app.add_option("--only", only, "One of the exercises");
  app.add_option("--calls", calls, "Times are printed for each")->capture_default_str();
  app.add_option("--threads", threads, "Of the grader")->capture_default_str();
  return arguments::run_program(app, argc, argv, [&] {
    fmt::print("{}\n", processor_name());
    for (const Exercise& exercise : kExercises)
      if (only.empty() || only == exercise.name) measure(exercise, kRows, columns, calls, threads);
    return 0;
  });
}
