#include "grader/app/device_turn.hpp"

#include "grader/build/interface.hpp"
#include "grader/core/error.hpp"

namespace opgrade {

void use_device(CaseContext& context, GpuPool& gpus, GpuPool::Lease& lease) {
  if (context.device != Device::cuda) return;
  if (lease.referee() == nullptr) lease = gpus.take();
  if (lease.referee() == nullptr) {
    throw Error("there is a GPU, and opgrade's own CUDA part finds none",
                "run `opgrade doctor`; opgrade must be built with CUDA, and the driver must work");
  }
  context.gpu = lease.referee();
  context.referee = find_interface(context.config.interface).device_tensors ? context.gpu : nullptr;
}

std::optional<TimingLock> take_turn(const GpuPool::Lease& lease, bool timed) {
  if (!timed) return std::nullopt;
  return lease.referee() != nullptr ? TimingLock(lease.lock()) : TimingLock();
}

}  // namespace opgrade
