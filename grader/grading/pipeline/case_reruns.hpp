/// Runs a case once more, to find what its own run does not show.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "grader/grading/build/toolchain.hpp"
#include "grader/grading/cases/case_run.hpp"
#include "grader/grading/cases/plan/stage_plan.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"
#include "grader/grading/pipeline/case_notes.hpp"
#include "grader/grading/pipeline/stage_build.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

class CaseReruns {
 public:
  /// `seed` is that of the random cases. All other arguments must outlive this object.
  CaseReruns(const Toolchain& tools, std::uint64_t seed, const StageContext& stage,
             StageBuild& build, CaseNotes& notes)
      : tools_(tools), seed_(seed), stage_(stage), build_(build), notes_(notes) {}

  /// Reruns the case on the emulated device in another way, if the plan says so: see
  /// rerun_varied(). `run` made `c` in `context`.
  void rerun_otherwise(const CasePlan& plan, const CaseContext& context, JudgedCase& c,
                       const std::function<JudgedCase(const CaseContext&)>& run);

  /// Reruns the case in the build that finds data races of OpenMP's threads.
  void find_races(const CasePlan& plan, const std::vector<NamedProblem>& problems,
                  const std::mt19937_64& random, JudgedCase& judged);

  /// Reruns the case in the build that has the CPU's sanitizers. Changes no outcome.
  void sanitize(const CasePlan& plan, CaseReport& report);

 private:
  const Toolchain& tools_;
  const std::uint64_t seed_;
  const StageContext& stage_;
  StageBuild& build_;
  CaseNotes& notes_;
};

}  // namespace opgrade
