/// Answers in JSON, for the client and for scripts. docs/service.md lists them.
#pragma once

#include "grader/service/routes.hpp"
#include "grader/service/status.hpp"

namespace opgrade::service::api {

Response health(Service& service, const Visit& visit);
Response me(Service& service, const Visit& visit);
Response submit(Service& service, const Visit& visit);
Response status(Service& service, const Visit& visit);
Response events(Service& service, const Visit& visit);
Response report(Service& service, const Visit& visit);
Response archive(Service& service, const Visit& visit);
Response files(Service& service, const Visit& visit);
Response cancel(Service& service, const Visit& visit);
Response queue(Service& service, const Visit& visit);
Response history(Service& service, const Visit& visit);
Response ranking(Service& service, const Visit& visit);
Response requeue(Service& service, const Visit& visit);
Response drain(Service& service, const Visit& visit);
Response start(Service& service, const Visit& visit);
Response stop(Service& service, const Visit& visit);
Response audit(Service& service, const Visit& visit);

}  // namespace opgrade::service::api
