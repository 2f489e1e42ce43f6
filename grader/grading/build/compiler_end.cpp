#include "grader/grading/build/compiler_end.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <span>

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The exit codes for a source with mistakes. g++ exits with 4 if a part of it ended by a signal or
/// by a fault of its own; opgrade-cucc passes that on as 3.
std::span<const int> codes_for_mistakes(Device device) {
  static constexpr std::array kUsual{1};
  static constexpr std::array kNvcc{1, 2};  // of its several parts
  return device == Device::cuda ? std::span<const int>(kNvcc) : kUsual;
}

/// True if the compiler ended as compilers end on a source with mistakes.
bool ended_on_mistakes(const SandboxReport& run, Device device) {
  const auto* const exited = std::get_if<Exited>(&run.process.end);
  return exited != nullptr && std::ranges::find(codes_for_mistakes(device), exited->code) !=
                                  codes_for_mistakes(device).end();
}

Limit cpu_time(const LimitConfig& limits) {
  return {Limit::Kind::cpu_time, std::chrono::duration<double>(limits.cpu).count()};
}

FreeSpace free_space(const fs::path& folder) {
  constexpr auto kAny = std::numeric_limits<std::uintmax_t>::max();
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return {kAny, kAny};
  // Some file systems have no fixed number of files.
  return {std::uintmax_t{status.f_bavail} * status.f_frsize,
          status.f_files == 0 ? kAny : status.f_favail};
}

}  // namespace

bool is_short(const FreeSpace& left) {
  // The largest submissions need as much; with more left there is no reason to suspect the disk.
  constexpr std::uintmax_t kBytes = 64 << 20, kFiles = 1000;
  return left.bytes < kBytes || left.files < kFiles;
}

bool could_be_machine_fault(const SandboxReport& run, Device device, const fs::path& folder) {
  return run.limit || !ended_on_mistakes(run, device) || is_short(free_space(folder));
}

std::optional<Limit> compiler_limit(const SandboxReport& run, Device device,
                                    const std::string& messages, const LimitConfig& limits) {
  if (run.limit) return run.limit;
  if (run.process.user + run.process.system >= limits.cpu * 95 / 100) return cpu_time(limits);
  const auto says = [&](const char* words) { return messages.find(words) != messages.npos; };
  // A refused allocation may be several times as large as the memory that was used.
  const bool large = run.process.peak_memory_bytes >= limits.memory_bytes / 4;
  if (large &&
      (says("out of memory") || says("virtual memory exhausted") || says("Cannot allocate memory")))
    return Limit{Limit::Kind::memory, static_cast<double>(limits.memory_bytes)};
  if (ended_on_mistakes(run, device)) return {};
  // These are the drivers' words for a part that SIGXCPU (24) or SIGXFSZ (25) ended. A control
  // group may count time by clock ticks, and less than was used if others wait for the core at each
  // tick.
  if (says("CPU time limit exceeded") || says("died due to signal 24")) return cpu_time(limits);
  if (says("File size limit exceeded") || says("died due to signal 25"))
    return Limit{Limit::Kind::file_size, static_cast<double>(limits.file_bytes)};
  return {};
}

}  // namespace opgrade
