#include "grader/emulation/runtime/check/vtables.hpp"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "grader/emulation/runtime/check/segments.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {
namespace {

/// Addresses that hold a pointer to a table of virtual functions. of_host: written by the host, in
/// device memory or in a kernel's parameters. of_device: written by a kernel, in device memory or
/// in the host's copy of it.
struct Objects {
  std::mutex guard;  ///< of all below, because any host thread or worker may make objects
  std::set<std::uintptr_t> of_host, of_device;
  std::map<std::uintptr_t, bool> tables;  ///< cache, because looking up variables' names is slow
};
/// True once of_device was not empty. Until then the host's own objects need no lock.
std::atomic<bool> any_of_device = false;

Objects& objects() {
  static auto* const all = new Objects;
  return *all;
}

std::uintptr_t word_at(std::uintptr_t address) {
  std::uintptr_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  return word;
}

/// The caller holds the lock.
bool is_in_table(Objects& all, std::uintptr_t word) {
  if (own_segment(word) == nullptr) return false;
  const auto [entry, fresh] = all.tables.try_emplace(word, false);
  if (fresh) entry->second = names_table(variable_at(reinterpret_cast<const void*>(word)).c_str());
  return entry->second;
}

void erase(std::set<std::uintptr_t>& all, std::uintptr_t begin, std::size_t bytes) {
  all.erase(all.lower_bound(begin), all.lower_bound(begin + bytes));
}

/// The caller holds the lock.
void forget(Objects& all, const void* begin, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  erase(all.of_host, first, bytes);
  erase(all.of_device, first, bytes);
}

}  // namespace

bool names_table(const char* variable) { return std::strncmp(variable, "_ZTV", 4) == 0; }

void remember_host_objects(const void* begin, std::size_t bytes) {
  Objects& all = objects();
  const std::scoped_lock lock(all.guard);
  forget(all, begin, bytes);
  constexpr std::uintptr_t kWord = sizeof(std::uintptr_t);
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kWord - 1) / kWord * kWord;
  const auto end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
  for (std::uintptr_t at = first; at + kWord <= end; at += kWord)
    if (is_in_table(all, word_at(at))) all.of_host.insert(at);
}

void forget_objects(const void* begin, std::size_t bytes) {
  Objects& all = objects();
  const std::scoped_lock lock(all.guard);
  forget(all, begin, bytes);
}

void copied_to_host(const void* to, const void* from, std::size_t bytes) {
  if (!any_object_of_device()) return;
  const std::scoped_lock lock(objects().guard);
  auto& all = objects().of_device;
  const auto begin = reinterpret_cast<std::uintptr_t>(from);
  const auto there = reinterpret_cast<std::uintptr_t>(to);
  const std::vector<std::uintptr_t> copied(all.lower_bound(begin), all.lower_bound(begin + bytes));
  erase(all, there, bytes);
  for (const std::uintptr_t at : copied) all.insert(there + (at - begin));
}

void object_made(const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const bool in_device_memory = device_range().contains(at);
  const bool by_host = current_worker == nullptr;
  if (!in_device_memory && !(by_host && any_object_of_device())) return;
  Objects& all = objects();
  const std::scoped_lock lock(all.guard);
  if (by_host) {
    if (in_device_memory) all.of_host.insert(address);
    all.of_device.erase(address);
  } else {
    all.of_host.erase(address);
    all.of_device.insert(address);
    any_of_device.store(true, std::memory_order_relaxed);
  }
}

bool is_devices_own_table(const char* variable) {
  Objects& all = objects();
  const std::scoped_lock lock(all.guard);
  for (const std::uintptr_t at : all.of_host)
    if (variable_at(reinterpret_cast<const void*>(word_at(at))) == variable) return false;
  return true;
}

bool any_object_of_device() { return any_of_device.load(std::memory_order_relaxed); }

void host_reads_word(const void* at, const void* site) {
  if (!any_object_of_device()) return;
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  {
    Objects& all = objects();
    const std::scoped_lock lock(all.guard);
    if (!all.of_device.contains(address) || !is_in_table(all, word_at(address))) return;
  }
  report({.kind = "device_pointer_on_host",
          .message =
              "The host calls a virtual function of an object that a kernel made; on a GPU the "
              "host finds the device's functions there. Make the object on the side that calls.",
          .site = site});
}

}  // namespace opgrade_emulation
