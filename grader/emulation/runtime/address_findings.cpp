// Findings on addresses: their kind and their words.
#include <cstdint>
#include <string>

#include "grader/emulation/runtime/devices.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/launch_counts.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "grader/emulation/runtime/state.hpp"

namespace opgrade_emulation {
namespace {

/// Describes the same place as an element of an array of floats or ints, which most arrays are.
std::string as_elements(std::size_t byte, std::size_t bytes, std::size_t element = 4) {
  if (element < 2 || bytes % element != 0) return "";
  return ", as " + std::to_string(element) + "-byte element " + std::to_string(byte / element) +
         " of " + std::to_string(bytes / element);
}

}  // namespace

void report_bad_free(const void* pointer, const char* function, const void* site) {
  Allocation a;
  const bool twice = find_allocation(pointer, a) && a.freed &&
                     a.address == reinterpret_cast<std::uintptr_t>(pointer);
  report({.kind = "invalid_free",
          .message = std::string(function) +
                     (twice ? " is given a pointer that was freed before."
                            : " is given a pointer that it cannot free: it did not come from "
                              "the allocation function that belongs to it."),
          .site = site});
}

std::string describe_address(const void* address, const char*& kind, std::size_t element) {
  kind = "out_of_bounds";
  Allocation a;
  if (!device_range().contains(address)) {
    kind = "host_pointer_in_kernel";
    return "this is no device memory; host memory has to be copied with cudaMemcpy first.";
  }
  if (!find_allocation(address, a)) return "no allocation is near it.";
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const SourceLine line = source_line(a.site);
  std::string allocation = "an allocation of " + std::to_string(a.bytes) + " bytes";
  if (line.line > 0) allocation += " (made in " + line_in_words(line) + ")";
  if (a.freed) {
    kind = "use_after_free";
    const SourceLine free_line = source_line(a.freed_at);
    return "it is byte " + std::to_string(at - a.address) + " of " + allocation +
           " that was freed" +
           (free_line.line > 0 ? " in " + line_in_words(free_line) : std::string()) + ".";
  }
  if (at < a.address)
    return "it is " + std::to_string(a.address - at) + " bytes before the begin of " + allocation +
           ".";
  return "it is byte " + std::to_string(at - a.address) + ", counted from 0, of " + allocation +
         as_elements(at - a.address, a.bytes, element) + ".";
}

std::string describe_other_device(const void* address, int device) {
  Allocation a;
  if (!device_range().contains(address) || !find_allocation(address, a) || a.freed) return "";
  const bool is_own = a.kind == MemoryKind::device || a.kind == MemoryKind::heap;
  if (!is_own || may_access(device, a.device)) return "";
  const char* kind = nullptr;
  const std::string other = std::to_string(a.device), own = std::to_string(device);
  return "The kernel runs on device " + own + " and uses memory of device " + other + ": " +
         describe_address(address, kind) + " Copy it by cudaMemcpyPeer, or call " +
         "cudaDeviceEnablePeerAccess(" + other + ", 0) while device " + own + " is current.";
}

void report_unwritten_copy(const void* from, std::size_t unwritten, std::size_t bytes,
                           const void* site) {
  const SourceLine copy = line_behind(site);
  Allocation a;
  const bool known = find_allocation(from, a) && !a.freed;
  const SourceLine made = known ? source_line(a.site) : SourceLine();
  const std::string copies = "line " + std::to_string(copy.line) + " copies the memory" +
                             (made.line > 0 ? " of " + line_in_words(made, copy) : std::string()) +
                             " to the host";
  const std::string part =
      unwritten == 0 ? "none of it was written, or not its beginning"
                     : "the first byte that nothing wrote is " + std::to_string(unwritten) +
                           " of " + std::to_string(bytes) + as_elements(unwritten, bytes);
  Finding finding{.kind = "uninitialized_copy", .severity = "warning"};
  const KnownLaunch launch = last_launch();
  if (copy.line == 0 || (known && a.kind == MemoryKind::heap)) {
    finding.site = site;
    finding.message = "This copies device memory to the host: " + part + ".";
  } else if (known && launches_so_far() == a.launches_before) {
    // Without a place, because the copy's line is right, and the missing launch has no line.
    finding.message = "No kernel was launched before " + copies +
                      ": a launch <<<grid, block>>> is missing, or was refused.";
  } else {
    finding.file = launch.file;
    finding.line = launch.line;
    if (launch.line == 0) finding.site = site;
    finding.message = "After this launch of " + launch.kernel + ", with a grid of " +
                      text_of(launch.grid) + " blocks of " + text_of(launch.block) + " threads, " +
                      copies + ", and " + part + ".";
  }
  report(std::move(finding));
}

void report_leaks() {
  if (sticky_error() != cudaSuccess) return;  // cudaFree does nothing any more
  each_allocation([](const Allocation& a) {
    if (source_line(a.site).own) return;  // an adapter's, whose epilog was not called
    report({.kind = "leak",
            .severity = "warning",
            .message =
                std::to_string(a.bytes) + " bytes of " +
                (a.kind == MemoryKind::pinned
                     ? "pinned host memory were never freed with cudaFreeHost."
                 : a.kind == MemoryKind::heap ? "the device's heap were never freed by a kernel."
                                              : "device memory were never freed with cudaFree."),
            .site = a.site});
  });
}

}  // namespace opgrade_emulation
