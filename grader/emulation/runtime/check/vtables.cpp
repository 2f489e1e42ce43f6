#include "grader/emulation/runtime/check/vtables.hpp"

#include <cstring>
#include <set>
#include <string>

#include "grader/emulation/runtime/check/segments.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {
namespace {

/// Addresses in device memory to which the host copied a pointer to a table.
std::set<std::uintptr_t>& host_objects() {
  static auto* const all = new std::set<std::uintptr_t>;
  return *all;
}

std::uintptr_t word_at(std::uintptr_t address) {
  std::uintptr_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  return word;
}

}  // namespace

bool names_table(const char* variable) { return std::strncmp(variable, "_ZTV", 4) == 0; }

void remember_host_objects(const void* begin, std::size_t bytes) {
  forget_host_objects(begin, bytes);
  constexpr std::uintptr_t kWord = sizeof(std::uintptr_t);
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kWord - 1) / kWord * kWord;
  const auto end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
  for (std::uintptr_t at = first; at + kWord <= end; at += kWord) {
    const std::uintptr_t word = word_at(at);
    if (own_segment(word) != nullptr &&
        names_table(variable_at(reinterpret_cast<const void*>(word)).c_str()))
      host_objects().insert(at);
  }
}

void forget_host_objects(const void* begin, std::size_t bytes) {
  auto& all = host_objects();
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  all.erase(all.lower_bound(first), all.lower_bound(first + bytes));
}

void object_made(const void* at) {
  if (!device_range().contains(at)) return;
  if (current_worker == nullptr) {
    host_objects().insert(reinterpret_cast<std::uintptr_t>(at));
  } else if (!host_objects().empty()) {
    host_objects().erase(reinterpret_cast<std::uintptr_t>(at));
  }
}

bool is_devices_own_table(const char* variable) {
  for (const std::uintptr_t at : host_objects())
    if (variable_at(reinterpret_cast<const void*>(word_at(at))) == variable) return false;
  return true;
}

}  // namespace opgrade_emulation
