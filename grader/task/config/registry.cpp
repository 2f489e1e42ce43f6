#include "grader/task/config/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "grader/base/core/error.hpp"
#include "task_table.hpp"  // generated: kTasks

namespace opgrade {

std::span<const Task* const> tasks() {
  static const auto all = task_table();
  return all;
}

std::span<const Interface> interfaces() {
  static const std::vector<Interface> all = [] {
    std::vector<Interface> list;
    for (const Task* task : tasks())
      list.insert(list.end(), task->interfaces().begin(), task->interfaces().end());
    return list;
  }();
  return all;
}

const Interface& find_interface(std::string_view id) {
  std::string known;
  for (const auto& candidate : interfaces()) {
    if (candidate.id == id) return candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate.id);
  }
  throw UsageError(fmt::format("unknown interface '{}'", id), "known are: " + known);
}

const Task* find_task(std::string_view interface_id) {
  const auto found = std::ranges::find_if(tasks(), [&](const Task* task) {
    return std::ranges::find(task->interfaces(), interface_id, &Interface::id) !=
           task->interfaces().end();
  });
  return found != tasks().end() ? *found : nullptr;
}

std::span<const std::string_view> adapter_files() { return adapter_table; }

}  // namespace opgrade
