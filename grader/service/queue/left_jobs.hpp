/// Cleans up what finished runs have left on a cluster.
#pragma once

#include "grader/service/state/service.hpp"

namespace opgrade::service {

/// Cancels the tasks of submissions that are neither queued nor being graded, such as a run that
/// its student ended, and removes what a killed worker left in the shared folder. Calls Slurm,
/// which may take minutes. Returns false if the cluster does not answer: then its tasks go on.
bool cancel_left_jobs(const Service& service);

}  // namespace opgrade::service
