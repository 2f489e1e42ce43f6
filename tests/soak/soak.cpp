// Many gradings in a row by one process: nothing may be left over and nothing may grow. The exit
// code is 1 when something leaked.
//
// Good, wrong, crashing, refused and packed submissions take turns, each through intake, the
// sandboxed compiler, a sandboxed run with one small shape, and all its reports.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "grader/base/arguments/arguments.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/task/config/load.hpp"

using namespace opgrade;

namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = R"(opgrade: 1
name: soak
stages:
  - name: cpu
    title: CPU convolution
    device: cpu
    flags: [-O0]
    random_shapes: {count: 1, points: 1}
)";

/// What a grading might leave behind.
struct Holdings {
  long descriptors = 0, processes = 0, files = 0, cgroups = 0;
  double heap_mib = 0, resident_mib = 0;

  bool same_things(const Holdings& other) const {
    return descriptors == other.descriptors && processes == other.processes &&
           files == other.files && cgroups == other.cgroups;
  }
};

long entries(const fs::path& folder) {
  std::error_code ignored;
  return std::distance(fs::directory_iterator(folder, ignored), fs::directory_iterator());
}

long children() {
  long count = 0;
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (int pid; list >> pid;) ++count;
  }
  return count;
}

long own_cgroups() {
  const std::string mine = fmt::format("opgrade-{}-", ::getpid());
  long count = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at("/sys/fs/cgroup", ignored), end; at != end;
       at.increment(ignored)) {
    if (at->path().filename().string().starts_with(mine)) ++count;
  }
  return count;
}

Holdings look(const fs::path& temporary) {
  const struct mallinfo2 heap = ::mallinfo2();
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {entries("/proc/self/fd"),
          children(),
          entries(temporary),
          own_cgroups(),
          static_cast<double>(heap.uordblks + heap.hblkhd) / (1 << 20),
          static_cast<double>(resident) * 4096 / (1 << 20)};
}

void print(int gradings, double seconds, const Holdings& now) {
  fmt::print("{:>9} {:>8.0f} {:>12} {:>10} {:>6} {:>8} {:>10.2f} {:>14.1f}\n", gradings, seconds,
             now.descriptors, now.processes, now.files, now.cgroups, now.heap_mib,
             now.resident_mib);
  std::fflush(stdout);
}

int run(int gradings) {
  const TempDir place("opgrade-soak-");
  const fs::path temporary = place.path() / "tmp";
  fs::create_directory(temporary);
  ::chmod(place.path().c_str(), 0755);
  ::chmod(temporary.c_str(), 0755);
  ::setenv("TMPDIR", temporary.c_str(), 1);

  std::vector<fs::path> submissions;
  for (const char* name : {"good", "good", "wrong_nan", "good", "crash_segv", "good",
                           "not_compiling", "good", "missing_file", "exits_early"}) {
    submissions.push_back(fs::path(OPGRADE_SOURCE_DIR "/tests/corpus/submissions") / name);
  }
  submissions.emplace_back(OPGRADE_SOURCE_DIR "/tests/fuzz/seeds/archive/links.tar");

  GraderOptions options;
  options.config_argument = "soak";
  Grader grader(parse_config(kConfig, "soak.yaml").config, options);
  std::map<std::string, int> outcomes;
  // Caches, thread arenas and the like fill up first.
  const int warm_up = std::min(gradings / 4, 100);
  Holdings first;
  bool kept = true;
  fmt::print("{:>9} {:>8} {:>12} {:>10} {:>6} {:>8} {:>10} {:>14}\n", "gradings", "seconds",
             "descriptors", "processes", "files", "cgroups", "heap MiB", "resident MiB");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 1; i <= gradings; ++i) {
    const auto& submission = submissions[static_cast<std::size_t>(i) % submissions.size()];
    const Grade grade = grader.grade(submission, submission.filename());
    write_result(place.path() / "results", grade);
    ++outcomes[std::string(words(grade.outcome).id)];
    const Holdings now = look(temporary);
    if (i == warm_up) first = now;
    if (i > warm_up) kept = kept && now.same_things(first);
    if (i == warm_up || i % 100 == 0 || i == gradings || (i > warm_up && !now.same_things(first))) {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      print(i, seconds.count(), now);
    }
  }
  const Holdings last = look(temporary);
  for (const auto& [outcome, count] : outcomes) fmt::print("{} {}\n", count, outcome);
  constexpr double kGrowthMib = 1;  // a leak of one KiB a grading shows in 1,000
  const bool grew = !(last.heap_mib - first.heap_mib < kGrowthMib);
  fmt::print("{}\n", !kept  ? "LEAKED descriptors, processes, files or control groups"
                     : grew ? "GREW: the heap in use"
                            : "nothing was left over and nothing grew");
  return kept && !grew && !outcomes.contains("grader_fault") ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int gradings = 1000;
  arguments::Parser app("Grades many submissions in a row and looks for what is left over",
                        "opgrade-soak");
  app.add_option("gradings", gradings, "How many")
      ->check(arguments::range(8, 1'000'000))
      ->capture_default_str();
  return arguments::run_program(app, argc, argv, [&] { return run(gradings); });
}
