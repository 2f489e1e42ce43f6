#include "grader/grading/run/chain_tensors.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

namespace opgrade {
namespace {

/// More threads stand in each other's way: finding 1 GiB takes one thread 430 ms, two 240, four
/// 170, sixteen 190 on a 16-core virtual machine.
constexpr int kThreads = 4;

BufferSize largest_output(const std::vector<CallShape>& shapes) {
  const auto bytes = [](const CallShape& shape) { return shape.buffers.front().bytes(); };
  return std::ranges::max_element(shapes, {}, bytes)->buffers.front();
}

SharedTensor first_input_of(const CallShape& shape) {
  return {shape.buffers[1], SharedTensor::SubmissionMay::read};
}

/// Runs `work` and drops its exceptions, because they must not leave its thread. Memory that is
/// missing here is requested again where it is used; the failure is then that case's.
void try_to(const std::function<void()>& work) noexcept {
  try {
    work();
  } catch (const std::exception&) {
  }
}

}  // namespace

ChainTensors::ChainTensors(std::vector<CallShape> shapes, Memory memory)
    : shapes_(std::move(shapes)), inputs_(shapes_.size()) {
  tensors_.emplace(shapes_.front().sizes, shapes_.front().buffers, largest_output(shapes_).bytes());
  if (memory == Memory::when_touched) return;
  others_ = std::jthread([this] {
    try_to([&] {
      tensors_->input(0).populate(kThreads);
      tensors_->output().populate(kThreads);
      for (std::size_t i = 1; i < inputs_.size(); ++i) {
        inputs_[i].emplace(first_input_of(shapes_[i]));
        inputs_[i]->populate(kThreads);
      }
    });
  });
}

void ChainTensors::wait_for_memory() {
  if (!others_.joinable()) return;
  others_.join();
  tensors_->output().resize(shapes_[current_].buffers.front());
}

SharedTensor& ChainTensors::next_input() {
  wait_for_memory();
  auto& input = inputs_[current_ + 1];
  if (!input) input.emplace(first_input_of(shapes_[current_ + 1]));
  return *input;
}

void ChainTensors::advance() {
  SharedTensor& input = next_input();
  ++current_;
  // The old input stays behind the new one, because giving its memory back here would take time.
  std::swap(tensors_->input(0), input);
  make_other_inputs();
}

void ChainTensors::rewind() {
  wait_for_memory();
  for (; current_ > 0; --current_) std::swap(tensors_->input(0), *inputs_[current_]);
  make_other_inputs();
  tensors_->output().resize(largest_output(shapes_));
  others_ = std::jthread([this] { try_to([&] { tensors_->output().poison(kThreads); }); });
}

/// Makes new weights: they are small, and another submission's process may still map the old ones.
void ChainTensors::make_other_inputs() {
  const CallShape& shape = shapes_[current_];
  tensors_->sizes = shape.sizes;
  tensors_->output().resize(shape.buffers.front());
  for (std::size_t i = 2; i < shape.buffers.size(); ++i)
    tensors_->buffers[i] = SharedTensor(shape.buffers[i], SharedTensor::SubmissionMay::read);
}

}  // namespace opgrade
