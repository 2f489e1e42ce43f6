#include "grader/cases/case_device.hpp"

#include "grader/core/error.hpp"

namespace opgrade {

CaseDevice lease_device(const StageContext& stage, GpuPool& gpus, GpuPool::Lease& lease,
                        const Listener& listen, const GpuPool::Launch& launch) {
  if (stage.device != Device::cuda) return {};
  if (lease.referee() == nullptr) lease = gpus.take(listen, launch);
  if (lease.referee() == nullptr) {
    throw Error("there is a GPU, and opgrade's own CUDA part finds none",
                "run `opgrade doctor`; opgrade must be built with CUDA, and "
                "the driver must work");
  }
  const bool tensors = stage.interface.device_tensors;
  const CaseDevice on{.gpu = lease.referee(), .referee = tensors ? lease.referee() : nullptr};
  // Now, because the memory that this process takes on the device must not look like a case's.
  if (on.referee != nullptr && stage.costs != nullptr) stage.costs->on(*on.referee);
  return on;
}

}  // namespace opgrade
