#include "grader/grading/cases/case_device.hpp"

#include <algorithm>

#include "grader/base/core/error.hpp"

namespace opgrade {

CaseDevice lease_device(const StageContext& stage, GpuPool& gpus, GpuPool::Leases& leases,
                        const Listener& listen, const GpuPool::Launch& launch) {
  if (stage.device != Device::cuda) return {};
  const auto is_missing = [](const GpuPool::Lease& lease) { return lease.referee() == nullptr; };
  if (leases.empty() || std::ranges::any_of(leases, is_missing)) {
    leases.clear();  // a thread that waits for several holds none from before
    if (stage.gpus == 1)
      leases.push_back(gpus.take(listen, launch));
    else
      leases = gpus.take_together(stage.gpus, listen);
  }
  const GpuPool::Lease& lease = leases.front();
  if (lease.referee() == nullptr) {
    throw Error("there is a GPU, and opgrade's own CUDA part finds none",
                "run `opgrade doctor`; opgrade must be built with CUDA, and "
                "the driver must work");
  }
  const bool tensors = stage.interface.device_tensors;
  CaseDevice on{.gpu = lease.referee(), .referee = tensors ? lease.referee() : nullptr};
  for (std::size_t i = 1; i < leases.size(); ++i) on.others.push_back(leases[i].gpu().uuid);
  // Starts the process now, because its memory on the device must not look like a case's.
  if (stage.costs != nullptr) {
    if (tensors)
      stage.costs->on(*on.gpu);
    else
      stage.costs->of_host_on(*on.gpu);
  }
  return on;
}

}  // namespace opgrade
