/// Answers in HTML, for browsers.
#pragma once

#include "grader/service/page.hpp"
#include "grader/service/status.hpp"

namespace opgrade::service::pages {

Response style(Service& service, const Visit& visit);
Response script(Service& service, const Visit& visit);
Response login(Service& service, const Visit& visit);
Response log_in(Service& service, const Visit& visit);
Response log_out(Service& service, const Visit& visit);

Response home(Service& service, const Visit& visit);
Response assignment(Service& service, const Visit& visit);
Response hand_in(Service& service, const Visit& visit);
Response submission(Service& service, const Visit& visit);
Response report(Service& service, const Visit& visit);
Response cancel(Service& service, const Visit& visit);
Response ranking_name(Service& service, const Visit& visit);

Response class_table(Service& service, const Visit& visit);
Response student(Service& service, const Visit& visit);
Response audit(Service& service, const Visit& visit);
Response drain(Service& service, const Visit& visit);
Response start(Service& service, const Visit& visit);
Response requeue(Service& service, const Visit& visit);
Response set_points(Service& service, const Visit& visit);

/// A student's assignments with limits, queue and submissions.
void fill_home(xml_node main, Service& service, const Identity& student);

}  // namespace opgrade::service::pages
