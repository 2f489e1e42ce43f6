#include "grader/build/compiler_words.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

namespace opgrade {
namespace {

using Words = std::span<const char* const>;

/// A fork or clone was refused: strerror(EAGAIN), and the drivers' own words.
constexpr std::array kNoProcess{"Resource temporarily unavailable", "Cannot fork", "cannot fork"};
/// An allocation was refused. Without a control group the limit on memory is such a
/// refusal, of which compilers speak themselves.
constexpr std::array kNoMemory{"out of memory allocating", "virtual memory exhausted",
                               "LLVM ERROR: out of memory", "Cannot allocate memory"};
/// Other troubles, which no source causes by itself.
constexpr std::array kTrouble{"No space left on device", "out of memory", "Input/output error",
                              "internal compiler error", "Killed"};
/// An error in a source.
constexpr std::array kSourceError{"error: ", "undefined reference"};

bool says_any(const std::string& messages, Words words) {
  return std::ranges::any_of(
      words, [&](const char* word) { return messages.find(word) != std::string::npos; });
}

}  // namespace

bool processes_ran_out(const std::string& messages) { return says_any(messages, kNoProcess); }

bool could_be_machine_fault(const SandboxReport& run, const std::string& messages) {
  if (run.limit || !std::holds_alternative<Exited>(run.process.end)) return true;
  return processes_ran_out(messages) || says_any(messages, kNoMemory) ||
         says_any(messages, kTrouble) || !says_any(messages, kSourceError);
}

std::optional<Limit> compiler_limit(const SandboxReport& run, const std::string& messages,
                                    const LimitConfig& limits) {
  if (run.limit) return run.limit;
  // The messages of the g++ and nvcc drivers for a part that SIGXFSZ (25) or SIGXCPU (24) ended.
  const auto says = [&](const char* words) { return messages.find(words) != std::string::npos; };
  if (says("File size limit exceeded") || says("died due to signal 25"))
    return Limit{Limit::Kind::file_size, static_cast<double>(limits.file_bytes)};
  if (says_any(messages, kNoMemory))
    return Limit{Limit::Kind::memory, static_cast<double>(limits.memory_bytes)};
  const bool in_words = says("CPU time limit exceeded") || says("died due to signal 24");
  if (!in_words && run.process.user + run.process.system < limits.cpu * 95 / 100) return {};
  return Limit{Limit::Kind::cpu_time, std::chrono::duration<double>(limits.cpu).count()};
}

}  // namespace opgrade
