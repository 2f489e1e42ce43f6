#include "grader/emulation/runtime/symbols.hpp"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "grader/emulation/runtime/copies.hpp"
#include "grader/emulation/runtime/device.hpp"
#include "grader/emulation/runtime/devices.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/late_work.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/state.hpp"

namespace opgrade_emulation {
namespace {

using Symbols = std::map<const char*, SymbolRange>;

/// All variables. Static constructors fill the map before anything runs; a kernel's own static
/// variables are added when a thread first passes them. Readers need no lock, because a published
/// map never changes and is never destroyed.
std::atomic<const Symbols*>& current() {
  static std::atomic<const Symbols*> all = new Symbols;
  return all;
}

const Symbols& symbols() { return *current().load(std::memory_order_acquire); }

/// With several devices: a variable's initial value, and its values for the devices whose variables
/// are not in place.
struct Values {
  std::string first;
  std::map<int, std::string> of_device;
};
std::map<const char*, Values>& values() {
  static auto* const all = new std::map<const char*, Values>;
  return *all;
}
std::mutex& adding() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

void add(const SymbolRange& symbol) {
  const std::scoped_lock lock(adding());
  if (device_count() > 1 && symbol.kind != SymbolKind::managed)
    values()[symbol.begin].first.assign(symbol.begin, symbol.bytes);
  auto* const more = new Symbols(symbols());
  (*more)[symbol.begin] = symbol;
  current().store(more, std::memory_order_release);
  if (symbol_came != nullptr) symbol_came();
}

struct DeviceSide {
  const char* device;
  std::size_t bytes;
};
/// Keyed by the address of the host's copy. Static constructors fill it.
std::map<const char*, DeviceSide>& copies() {
  static auto* const all = new std::map<const char*, DeviceSide>;
  return *all;
}

/// Refuses a source file that has more constant memory, as nvcc does, which counts each compiled
/// file separately.
void count_constant(std::size_t bytes, const char* name, const char* unit, const char* file,
                    int line) {
  static std::map<std::string, std::size_t> units;
  std::size_t& used = units[unit];
  used += bytes;
  if (used <= device::kConstantMemory) return;
  report({.kind = "constant_memory_too_large",
          .message = std::string("With the variable ") + name + " of " + std::to_string(bytes) +
                     " bytes the file's __constant__ variables take " + std::to_string(used) +
                     " bytes; nvcc refuses more than " + std::to_string(device::kConstantMemory) +
                     ".",
          .file = file,
          .line = line});
}

cudaError_t check_symbol(const void* symbol, std::size_t bytes, std::size_t offset,
                         const void* site) {
  const SymbolRange* range = find_symbol(symbol);
  if (range == nullptr) return cudaErrorInvalidSymbol;
  if (offset <= range->bytes && bytes <= range->bytes - offset) return cudaSuccess;
  report({.kind = "out_of_bounds",
          .message = "A copy of " + std::to_string(bytes) + " bytes at offset " +
                     std::to_string(offset) + " does not fit the variable " + range->name + " of " +
                     std::to_string(range->bytes) + " bytes.",
          .site = site});
  return cudaErrorInvalidValue;
}

}  // namespace

void show_variables_of(int device) {
  const std::scoped_lock lock(adding());
  static int shown = 0;
  if (device == shown) return;
  for (auto& [begin, value] : values()) {
    char* const bytes = const_cast<char*>(begin);
    value.of_device[shown].assign(bytes, value.first.size());
    const auto kept = value.of_device.find(device);
    const std::string& now = kept != value.of_device.end() ? kept->second : value.first;
    std::memcpy(bytes, now.data(), now.size());
  }
  shown = device;
}

HostCopy::HostCopy(const void* host, const void* device, std::size_t bytes) {
  copies()[static_cast<const char*>(host)] = {static_cast<const char*>(device), bytes};
}

const void* device_side(const void* address) {
  const char* const a = static_cast<const char*>(address);
  const auto above = copies().upper_bound(a);
  if (above == copies().begin()) return address;
  const auto& [begin, copy] = *std::prev(above);
  return a < begin + copy.bytes ? copy.device + (a - begin) : address;
}

Symbol::Symbol(const void* address, std::size_t bytes, const char* name, SymbolKind kind,
               const char* unit, const char* file, int line) {
  add({static_cast<const char*>(address), bytes, name, kind});
  if (kind == SymbolKind::constant) count_constant(bytes, name, unit, file, line);
}

const SymbolRange* find_symbol(const void* address) { return symbol_before(address, 0); }

SymbolRange all_symbols() {
  const Symbols& all = symbols();
  if (all.empty()) return {};
  const char* const begin = all.begin()->first;
  const SymbolRange& last = all.rbegin()->second;
  return {begin, static_cast<std::size_t>(last.begin + last.bytes - begin), nullptr, {}};
}

bool has_managed_variables() {
  for (const auto& entry : symbols())
    if (entry.second.kind == SymbolKind::managed) return true;
  return false;
}

bool symbol_contains(const void* address, std::size_t bytes) {
  const SymbolRange* range = find_symbol(address);
  return range != nullptr &&
         static_cast<const char*>(address) + bytes <= range->begin + range->bytes;
}

const SymbolRange* symbol_before(const void* address, std::size_t within) {
  const char* a = static_cast<const char*>(address);
  const Symbols& all = symbols();
  const auto above = all.upper_bound(a);
  if (above == all.begin()) return nullptr;
  const SymbolRange& range = std::prev(above)->second;
  return a < range.begin + range.bytes + within ? &range : nullptr;
}

cudaError_t copy_to_symbol(const void* symbol, const void* from, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind) {
  const void* const site = __builtin_return_address(0);
  if (sticky_error() != cudaSuccess) return sticky_error();
  finish_all({"cudaMemcpyToSymbol", site, false});
  symbol = device_side(symbol);
  const cudaError_t error = check_symbol(symbol, bytes, offset, site);
  if (error != cudaSuccess) return finish(error, site);
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
    return finish(cudaErrorInvalidMemcpyDirection, site);
  return copy_checked(const_cast<char*>(static_cast<const char*>(symbol)) + offset, from, bytes,
                      kind, site);
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind) {
  const void* const site = __builtin_return_address(0);
  if (sticky_error() != cudaSuccess) return sticky_error();
  finish_all({"cudaMemcpyFromSymbol", site, false});
  symbol = device_side(symbol);
  const cudaError_t error = check_symbol(symbol, bytes, offset, site);
  if (error != cudaSuccess) return finish(error, site);
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
    return finish(cudaErrorInvalidMemcpyDirection, site);
  return copy_checked(to, static_cast<const char*>(symbol) + offset, bytes, kind, site);
}

cudaError_t symbol_address(void** pointer, const void* symbol) {
  symbol = device_side(symbol);
  if (find_symbol(symbol) == nullptr) return finish(cudaErrorInvalidSymbol);
  *pointer = const_cast<void*>(symbol);
  return finish(cudaSuccess);
}

cudaError_t symbol_size(std::size_t* bytes, const void* symbol) {
  const SymbolRange* range = find_symbol(device_side(symbol));
  if (range == nullptr) return finish(cudaErrorInvalidSymbol);
  *bytes = range->bytes;
  return finish(cudaSuccess);
}

}  // namespace opgrade_emulation
