#include "grader/cases/case_device.hpp"

#include "grader/core/error.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {

void use_device(CaseContext& context, GpuPool& gpus, GpuPool::Lease& lease, const Listener& listen,
                const GpuPool::Start& start) {
  if (context.device != Device::cuda) return;
  if (lease.referee() == nullptr) lease = gpus.take(listen, start);
  if (lease.referee() == nullptr) {
    throw Error("there is a GPU, and opgrade's own CUDA part finds none",
                "run `opgrade doctor`; opgrade must be built with CUDA, and the driver must work");
  }
  context.gpu = lease.referee();
  context.referee = find_interface(context.config.interface).device_tensors ? context.gpu : nullptr;
  // Now, because the memory that this process takes on the device must not look like a case's.
  if (context.referee != nullptr && context.costs != nullptr) context.costs->on(*context.referee);
}

}  // namespace opgrade
