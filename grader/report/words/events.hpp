/// Events in words and as JSON.
#pragma once

#include <optional>
#include <string>

#include "grader/base/core/events.hpp"
#include "grader/report/fields/view.hpp"

namespace opgrade::report {

std::string_view event_name(const Event& event);

/// One line; empty where the event is not for this audience. Students' lines name no hidden case
/// and nothing of the machine.
std::string event_text(const Event& event, Audience audience);

/// Of an event that ends a step or all of them.
std::optional<Outcome> event_outcome(const Event& event);

/// {"event":"case_started","id":"cpu/high/100"}, on one line.
std::string event_json(const Event& event);

/// A text that is no JSON object is a Remark. An unknown event is one without words.
Event event_from_json(const std::string& text);

}  // namespace opgrade::report
