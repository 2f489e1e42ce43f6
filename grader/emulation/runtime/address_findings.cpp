// Findings on addresses: their kind and their words.
#include <cstdint>
#include <string>

#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "grader/emulation/runtime/state.hpp"

namespace opgrade_emulation {

void report_bad_free(const void* pointer, const char* function, const void* site) {
  Allocation a;
  const bool twice = find_allocation(pointer, a) && a.freed &&
                     a.address == reinterpret_cast<std::uintptr_t>(pointer);
  Finding finding;
  finding.kind = "invalid_free";
  finding.site = site;
  finding.message = std::string(function) +
                    (twice ? " is given a pointer that was freed before."
                           : " is given a pointer that it cannot free: it did not come from "
                             "the allocation function that belongs to it.");
  report(std::move(finding));
}

std::string describe_address(const void* address, const char*& kind) {
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
  if (line.line > 0) allocation += " (made in line " + std::to_string(line.line) + ")";
  if (a.freed) {
    kind = "use_after_free";
    const SourceLine free_line = source_line(a.freed_at);
    return "it is byte " + std::to_string(at - a.address) + " of " + allocation +
           " that was freed" +
           (free_line.line > 0 ? " in line " + std::to_string(free_line.line) : std::string()) +
           ".";
  }
  if (at < a.address)
    return "it is " + std::to_string(a.address - at) + " bytes before the begin of " + allocation +
           ".";
  return "it is byte " + std::to_string(at - a.address) + ", counted from 0, of " + allocation +
         ".";
}

void report_leaks() {
  if (sticky_error() != cudaSuccess) return;  // cudaFree does nothing any more
  each_allocation([](const Allocation& a) {
    if (source_line(a.site).own) return;  // an adapter's, whose epilog was not called
    Finding finding;
    finding.kind = "leak";
    finding.severity = "warning";
    finding.site = a.site;
    finding.message =
        std::to_string(a.bytes) + " bytes of " +
        (a.kind == MemoryKind::pinned ? "pinned host memory were never freed with cudaFreeHost."
         : a.kind == MemoryKind::heap ? "the device's heap were never freed by a kernel."
                                      : "device memory were never freed with cudaFree.");
    report(std::move(finding));
  });
}

}  // namespace opgrade_emulation
