/// The end of a case: how its process ended, and what the emulated device found.
#pragma once

#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"

namespace opgrade {

/// A case with what its stage says of it, before it runs.
JudgedCase new_case(const StageContext& stage);

/// Ends the session and judges the case. A process that failed, also after right outputs, becomes
/// CaseEvidence::failure here.
void end_session(JudgedCase& c, Session& session, const CaseContext& context);

/// For a case whose outputs were right: judges it, and leaves the session for the next one. Returns
/// false if only end_session() can tell how the case ended.
bool end_case(JudgedCase& c, Session& session);

/// Adds what an earlier process of the case used.
void add_use(UsageReport& use, const UsageReport& before);

}  // namespace opgrade
