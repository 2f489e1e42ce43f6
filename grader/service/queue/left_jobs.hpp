/// What runs that are over have left on a cluster.
#pragma once

#include "grader/service/state/service.hpp"

namespace opgrade::service {

/// Cancels the tasks of submissions that are neither queued nor graded any more, such as of a run
/// that its student ended, and removes what a killed worker left in the shared folder. Asks Slurm,
/// which may take minutes. False if the cluster does not answer: then its tasks go on.
bool cancel_left_jobs(const Service& service);

}  // namespace opgrade::service
