/// Further runs of a case with findings that warn: its outputs must stay right where a GPU may
/// differ from the emulated device.
#pragma once

#include <filesystem>
#include <functional>

#include "grader/cases/case_run.hpp"

namespace opgrade {

/// Runs the case of `report` once more.
using Rerun = std::function<CaseReport(const CaseContext&)>;

/// Reruns a case of the emulated device whose only mistakes are findings that warn; nothing under
/// `findings: decide`. It ran with `context`. The build `plain` packs allocations as a GPU does.
/// It then runs with other bytes in memory that nothing wrote, then with blocks and threads in
/// reverse order. One wrong output costs the points, and the hint names the run. If all are right,
/// a watched run that crashed or was wrong passes, because only its checks did that.
void vary(CaseReport& report, const CaseContext& context, const std::filesystem::path& plain,
          const Rerun& rerun);

}  // namespace opgrade
