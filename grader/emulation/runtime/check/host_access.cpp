// Accesses of a kernel to memory that is not the device's.
#include <link.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "grader/emulation/runtime/check/context.hpp"
#include "grader/emulation/runtime/check/segments.hpp"
#include "grader/emulation/runtime/check/vtables.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "grader/emulation/runtime/symbols.hpp"

namespace opgrade_emulation {

namespace {

/// The loaded parts of the shared object that contains this code: the submission.
const std::vector<Segment>& own_segments() {
  static const std::vector<Segment> segments = [] {
    std::vector<Segment> found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& out = *static_cast<std::vector<Segment>*>(data);
          std::vector<Segment> all;
          bool own = false;
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& header = info->dlpi_phdr[i];
            if (header.p_type != PT_LOAD) continue;
            const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
            all.push_back({begin, begin + header.p_memsz, (header.p_flags & PF_W) != 0});
            const auto self_address = reinterpret_cast<std::uintptr_t>(&own_segments);
            own = own || (self_address >= begin && self_address < begin + header.p_memsz);
          }
          if (own) out = all;
          return own ? 1 : 0;
        },
        &found);
    return found;
  }();
  return segments;
}

/// Cells of `__device__` variables, one for every four bytes.
struct SymbolCells {
  std::vector<Cell> cells;
  std::vector<std::uint32_t> sites;
};
std::map<const SymbolRange*, SymbolCells>& all_symbol_cells() {
  static auto* all = new std::map<const SymbolRange*, SymbolCells>;
  return *all;
}
SymbolCells& cells_of(const SymbolRange& symbol) {
  SymbolCells& found = all_symbol_cells()[&symbol];
  if (found.cells.empty()) {
    found.cells.assign((symbol.bytes + 3) / 4,
                       kClean);  // CUDA sets them to zero or their initialiser
    found.sites.assign(found.cells.size(), 0);
  }
  return found;
}

void judge_symbol(const SymbolRange& symbol, std::uintptr_t address, unsigned bytes, Access access,
                  const void* site) {
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(symbol.begin);
  if (bytes < 4 || offset % 4 != 0 || offset + bytes > symbol.bytes)
    return;  // smaller variables have no cell
  SymbolCells& own = cells_of(symbol);
  for (std::size_t i = offset / 4; i < (offset + bytes) / 4; ++i)
    judge_cell(own.cells[i], own.sites[i], reinterpret_cast<std::uintptr_t>(symbol.begin) + i * 4,
               4, access, site);
}

std::string symbol_name(const void* address) {
  const SymbolRange* const symbol = find_symbol(address);
  return symbol != nullptr ? symbol->name : "";
}

constexpr std::size_t kRightBehind = 64;
constexpr std::size_t kFarBehind = 64 * 1024;  // the size of constant memory

bool in_stack_of_this_block(std::uintptr_t address) {
  for (unsigned t = 0; t < current_worker->threads(); ++t) {
    const Fiber* fiber = current_worker->waiting_fiber(t);
    if (fiber != nullptr && address - reinterpret_cast<std::uintptr_t>(fiber->stack) < kStackBytes)
      return true;
  }
  return false;
}

}  // namespace

const Segment* own_segment(std::uintptr_t address) {
  for (const Segment& s : own_segments()) {
    if (address >= s.begin && address < s.end) return &s;
  }
  return nullptr;
}

void forget_symbol_launches() {
  for (auto& entry : all_symbol_cells())
    std::fill(entry.second.cells.begin(), entry.second.cells.end(), kClean);
}

void check_elsewhere(std::uintptr_t address, unsigned bytes, Access access, const void* site) {
  const void* pointer = reinterpret_cast<const void*>(address);
  if (address - self.parameters < self.parameter_bytes) return;
  if (const SymbolRange* symbol = find_symbol(pointer)) {
    if (symbol->kind == SymbolKind::constant && !is_read(access)) {
      report_access("constant_written", address, bytes, access, site,
                    std::string("The kernel writes the __constant__ variable ") + symbol->name +
                        "; nvcc refuses that.");
    }
    if (symbol->kind == SymbolKind::constant) {
      self.symbol = reinterpret_cast<std::uintptr_t>(symbol->begin);
      self.symbol_bytes = symbol->bytes;
    } else {
      judge_symbol(*symbol, address, bytes, access, site);
    }
    return;
  }
  const Segment* segment = own_segment(address);
  if (segment != nullptr && !segment->writable && is_read(access) &&
      symbol_before(pointer, kRightBehind) == nullptr)
    return;  // literals and constant tables
  // An index that leaves a variable continues through the host's variables behind it.
  if (segment != nullptr && count_again("out_of_bounds", site)) return;
  const std::string variable = segment != nullptr ? variable_at(pointer) : std::string();
  const bool table = names_table(variable.c_str());
  if (table && access == Access::read && is_devices_own_table(variable.c_str())) return;
  const SymbolRange* const symbol =
      symbol_before(pointer, segment != nullptr && variable.empty() ? kFarBehind : kRightBehind);
  if (symbol != nullptr) {
    report_access("out_of_bounds", address, bytes, access, site,
                  std::string("The thread ") + (is_read(access) ? "reads" : "writes") + " byte " +
                      std::to_string(address - reinterpret_cast<std::uintptr_t>(symbol->begin)) +
                      ", counted from 0, of the variable " + symbol->name + " of " +
                      std::to_string(symbol->bytes) + " bytes.");
    return;
  }
  if (is_registered(pointer)) return;
  if (in_stack_of_this_block(address)) {
    report_access("local_of_another_thread", address, bytes, access, site,
                  "The thread follows a pointer to a local variable of another thread; on a GPU "
                  "every thread sees its "
                  "own local memory at that address.");
    return;
  }
  std::string what =
      "The thread follows a pointer to host memory. Memory from malloc, new or a host variable has "
      "to be "
      "copied to memory from cudaMalloc first, and that pointer passed to the kernel.";
  if (address < 4096) {
    what =
        "The thread follows a null pointer: was the memory ever allocated, and was cudaMalloc's "
        "error looked at?";
    report_access("out_of_bounds", address, bytes, access, site, what);
    return;
  }
  if (device_side(pointer) != pointer) {
    what = std::string("The kernel is given the host's address of the variable ") +
           symbol_name(device_side(pointer)) +
           ". A kernel uses the variable by its name, or by the address that cudaGetSymbolAddress "
           "gives.";
  } else if (table) {
    what =
        "The kernel calls a virtual function of an object that the host made and copied; a GPU "
        "finds the host's functions there. Make the object in a kernel.";
  } else if (segment != nullptr) {
    what = std::string("The kernel uses a host variable") +
           (variable.empty() ? "" : " (" + variable + ")") +
           "; variables for kernels are declared __device__ or __constant__.";
  }
  report_access("host_pointer_in_kernel", address, bytes, access, site, what);
}

}  // namespace opgrade_emulation
