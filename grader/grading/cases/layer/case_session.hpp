/// The sandboxed process of a case.
#pragma once

#include <memory>

#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/run/session.hpp"

namespace opgrade {

/// A process of its own for a case, on the context's device and within the config's limits.
std::unique_ptr<Session> start_session(const CaseContext& context,
                                       Session::Load load = Session::Load::now);

}  // namespace opgrade
