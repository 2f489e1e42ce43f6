#include "grader/cases/case_device.hpp"

#include "grader/core/error.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {

void use_device(CaseContext& context, GpuPool& gpus, GpuPool::Lease& lease, const Listener& listen,
                const GpuPool::Launch& launch) {
  if (context.stage.device != Device::cuda) return;
  if (lease.referee() == nullptr) lease = gpus.take(listen, launch);
  if (lease.referee() == nullptr) {
    throw Error("there is a GPU, and opgrade's own CUDA part finds none",
                "run `opgrade doctor`; opgrade must be built with CUDA, and the driver must work");
  }
  context.on.gpu = lease.referee();
  context.on.referee =
      find_interface(context.stage.config.interface).device_tensors ? context.on.gpu : nullptr;
  // Now, because the memory that this process takes on the device must not look like a case's.
  if (context.on.referee != nullptr && context.stage.costs != nullptr)
    context.stage.costs->on(*context.on.referee);
}

}  // namespace opgrade
