#include "grader/emulation/runtime/findings.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "grader/emulation/runtime/late_work.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {
namespace {

constexpr int kNotDelivered = 70;  // EX_SOFTWARE of sysexits.h

int channel = -1;

/// Runs before any constructor of the submission, which could change the environment.
[[gnu::constructor(101)]] void open_channel() {
  if (const char* const number = std::getenv("OPGRADE_FINDINGS_FD"))
    channel = static_cast<int>(std::strtol(number, nullptr, 10));
}

/// Not the C library's functions, because a submission can replace those with its own.
long system_call(long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  long result = number;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = 0;
  register long r9 asm("r9") = 0;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#else
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = 0;
  register long x5 asm("x5") = 0;
  asm volatile("svc #0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
#endif
}

/// Sends one packet to the socket that OPGRADE_FINDINGS_FD names, if it is set. A sent packet stays
/// sent, even if the process dies. If a packet cannot be sent, the process ends, because without
/// its findings a run must not look right.
void deliver(const std::string& packet) {
  if (channel < 0) return;
  long sent = -EINTR;
  while (sent == -EINTR)
    sent = system_call(SYS_sendto, channel, reinterpret_cast<long>(packet.data()),
                       static_cast<long>(packet.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == static_cast<long>(packet.size())) return;
  for (;;) system_call(SYS_exit_group, kNotDelivered, 0, 0, 0);
}

constexpr std::size_t kMost = 50;           // of errors, and of warnings
constexpr std::size_t kLongestText = 1000;  // of a message; kernels' names can be longer

struct Kept {
  Finding finding;
  std::string kernel;
  uint3 block{}, thread{};
  bool has_thread = false;
  std::uint64_t order = 0;  // of the block and thread
  std::uint64_t call = 0;
  std::uint64_t count = 0;
  bool told = false;  // the grader was told of it in its present form
};

struct Store {
  std::mutex mutex;
  std::uint64_t call = 0;  // number of the current call
  std::vector<Kept> kept;
  // By site first: looking up a line takes far longer than finding the same site again.
  std::map<std::tuple<std::string, const void*, std::string, int>, std::size_t> by_site;
  std::map<std::tuple<std::string, std::string, int>, std::size_t> by_line;
  std::unordered_map<const void*, std::size_t> seen;  // the last finding at a site
  std::string json;
};
Store& store() {
  static auto* s = new Store;
  return *s;
}

void append_quoted(std::string& out, const std::string& text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_index(std::string& out, const char* key, const uint3& i) {
  out += std::string(",\"") + key + "\":[" + std::to_string(i.x) + "," + std::to_string(i.y) + "," +
         std::to_string(i.z) + "]";
}

std::string to_json(const Kept& kept) {
  std::string out = "{\"kind\":";
  append_quoted(out, kept.finding.kind);
  out += ",\"severity\":";
  append_quoted(out, kept.finding.severity);
  out += ",\"kernel\":";
  append_quoted(out, kept.kernel.substr(0, kLongestText));
  if (kept.has_thread) {
    append_index(out, "block", kept.block);
    append_index(out, "thread", kept.thread);
  }
  out += ",\"file\":";
  append_quoted(out, kept.finding.file);
  out += ",\"line\":" + std::to_string(kept.finding.line) +
         ",\"count\":" + std::to_string(kept.count) + ",\"message\":";
  append_quoted(out, kept.finding.message.substr(0, kLongestText));
  return out + "}";
}

std::size_t kept_like(const Store& s, const Finding& finding) {
  std::size_t count = 0;
  for (const Kept& kept : s.kept) count += std::strcmp(kept.finding.kind, finding.kind) == 0;
  return count;
}

void tell(Kept& kept) {
  if (!kept.told) deliver(to_json(kept));
  kept.told = true;
}

void tell_all() {
  for (Kept& kept : store().kept) tell(kept);
}

}  // namespace

/// Moves a finding in a library's code to the submission's call of the library.
static void name_call_of_library(Finding& finding) {
  if (running_kernel == nullptr || !running_kernel->of_library) return;
  finding.file = running_kernel->file;
  finding.line = running_kernel->line;
  if (running_kernel->site == nullptr) return;
  const SourceLine call = line_behind(running_kernel->site);
  finding.file = call.file;
  finding.line = call.line;
}

void report(Finding finding) {
  Kept fresh;
  if (finding.in_kernel && current_worker != nullptr) {
    fresh.kernel = running_kernel->name;
    fresh.block = blockIdx;
    fresh.thread = threadIdx;
    fresh.has_thread = true;
    fresh.order = current_worker->block_number() * kMaxThreads + current_worker->thread_number();
  }
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  fresh.call = s.call;
  const auto [site, fresh_site] = s.by_site.try_emplace(
      {finding.kind, finding.site, finding.file, finding.line}, s.kept.size());
  if (fresh_site) {
    if (finding.site != nullptr) {
      const SourceLine place =
          finding.caller != nullptr ? source_line(finding.caller) : line_behind(finding.site);
      finding.file = place.file;
      finding.line = place.line;
      if (finding.line == 0 && finding.in_kernel) name_call_of_library(finding);
    }
    const std::size_t slash = finding.file.rfind('/');
    if (slash != std::string::npos) finding.file.erase(0, slash + 1);
    const auto [line, fresh_line] =
        s.by_line.try_emplace({finding.kind, finding.file, finding.line}, s.kept.size());
    if (!fresh_line) site->second = line->second;
    if (fresh_line && kept_like(s, finding) >= kMost) {
      s.by_line.erase(line);
      s.by_site.erase(site);
      return;
    }
    if (fresh_line) {
      fresh.finding = std::move(finding);
      fresh.count = 1;
      if (fresh.finding.site != nullptr) s.seen[fresh.finding.site] = s.kept.size();
      s.kept.push_back(std::move(fresh));
      tell(s.kept.back());
      return;
    }
  }
  if (finding.site != nullptr) s.seen[finding.site] = site->second;
  Kept& known = s.kept[site->second];
  ++known.count;
  if (fresh.has_thread && fresh.call == known.call &&
      (!known.has_thread || fresh.order < known.order)) {
    known.kernel = fresh.kernel;
    known.block = fresh.block;
    known.thread = fresh.thread;
    known.has_thread = true;
    known.order = fresh.order;
    known.finding.message = std::move(finding.message);
    known.told = false;
  }
}

void next_call() {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  ++s.call;
}

namespace {

std::string all_as_json() {
  Store& s = store();
  std::string json = "[";
  for (const Kept& kept : s.kept) json += (json.size() > 1 ? ",\n" : "") + to_json(kept);
  return json + "]";
}

/// If the submission itself ends the process, no request for the findings follows.
[[gnu::constructor]] void report_at_exit() {
  std::atexit([] {
    report_unchecked_launch();
    report_missing_wait();
    write_report();
  });
}

}  // namespace

void write_report() {
  const char* path = std::getenv("OPGRADE_EMULATION_REPORT");
  if (path == nullptr) return;
  const std::string json = all_as_json() + "\n";
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  (void)!::write(file, json.data(), json.size());
  close(file);
}

bool is_reported(const void* site) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  return s.seen.contains(site);
}

bool count_again(const char* kind, const void* site) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  const auto found = s.seen.find(site);
  if (found == s.seen.end() || std::strcmp(s.kept[found->second].finding.kind, kind) != 0)
    return false;
  ++s.kept[found->second].count;
  return true;
}

/// For the grader's harness: sends the findings that were not sent yet, and a packet that says that
/// these are all. Returns all findings so far as a JSON array, valid until the next call. Call this
/// after the last free, because memory that is still allocated counts as leaked.
extern "C" __attribute__((visibility("default"))) const char* opgrade_emulation_findings(void) {
  report_missing_wait();
  report_leaks();
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  tell_all();
  deliver("{\"complete\":true}");
  s.json = all_as_json();
  return s.json.c_str();
}

}  // namespace opgrade_emulation
