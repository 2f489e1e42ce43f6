#include "grader/grading/cases/plan/case_calls.hpp"

#include <utility>

#include "grader/grading/cases/layer/layer_run.hpp"

namespace opgrade {

void SingleCall::begin() {
  tensors_ = std::make_unique<CallTensors>(tensors_of(*problem_.problem));
  const Values values = tensors_->values();
  problem_.problem->fill(values, random_);
  problem_.problem->begin(values);
}

std::vector<NamedProblem> SingleCall::with_parts(int) const {
  std::vector<NamedProblem> all;
  all.push_back({problem_.name, problem_.problem->first_parts(problem_.problem->parts())});
  return all;
}

void SingleCall::release(TensorStore* store) {
  if (store != nullptr) store->discard(std::move(tensors_));
  tensors_.reset();
}

}  // namespace opgrade
