/// Converts events to words and to JSON.
#pragma once

#include <optional>
#include <string>

#include "grader/base/core/events.hpp"
#include "grader/report/fields/view.hpp"

namespace opgrade::report {

std::string_view event_name(const Event& event);

/// One line; empty if the event is not for this audience. Students' lines never name a hidden case
/// or anything about the machine.
std::string event_text(const Event& event, Audience audience);

/// The outcome of an event that ends a step or the whole grading.
std::optional<Outcome> event_outcome(const Event& event);

/// {"event":"case_started","id":"cpu/high/100"}, on one line.
std::string event_json(const Event& event);

/// A text that is not a JSON object becomes a Remark. An unknown event becomes one without words.
Event event_from_json(const std::string& text);

}  // namespace opgrade::report
