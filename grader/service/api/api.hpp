/// Answers in JSON, for the client and for scripts. docs/service.md lists their addresses.
#pragma once

#include "grader/service/http/routes.hpp"
#include "grader/service/state/status.hpp"

namespace opgrade::service::api {

Answer health, me, queue, history, ranking;
Answer submit, status, events, report, archive, files, cancel, hand_in_run, tool_file;
Answer requeue, drain, stop, audit;

}  // namespace opgrade::service::api
