#include "grader/grading/cases/layer/tensor_store.hpp"

#include <algorithm>
#include <utility>

namespace opgrade {

void TensorStore::prepare(const std::vector<CallShape>& shapes) {
  const std::scoped_lock lock(guard_);
  if (std::ranges::find(known_, shapes) != known_.end()) return;
  known_.push_back(shapes);
  here_.push_back(std::make_unique<ChainTensors>(shapes, ChainTensors::Memory::ahead));
}

std::unique_ptr<ChainTensors> TensorStore::take(const std::vector<CallShape>& shapes) {
  {
    const std::scoped_lock lock(guard_);
    const auto found = std::ranges::find(
        here_, shapes, [](const auto& tensors) -> const auto& { return tensors->shapes(); });
    if (found != here_.end()) {
      auto tensors = std::move(*found);
      here_.erase(found);
      return tensors;
    }
    if (std::ranges::find(known_, shapes) == known_.end()) known_.push_back(shapes);
  }
  return std::make_unique<ChainTensors>(shapes, ChainTensors::Memory::ahead);
}

void TensorStore::give_back(std::unique_ptr<ChainTensors> tensors) {
  tensors->rewind();
  const std::scoped_lock lock(guard_);
  here_.push_back(std::move(tensors));
}

}  // namespace opgrade
