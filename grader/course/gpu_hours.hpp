/// The hours of the day in which a GPU that is shared with others is for gradings.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "grader/course/time_zone.hpp"

namespace opgrade::course {

struct GpuHours {
  std::chrono::minutes from{0};   ///< since midnight, by the course's clock
  std::chrono::minutes until{0};  ///< before `from`: of the next day
};

/// "18-08", "18:30-08:00", "00-24". False for other texts, and for equal ends.
bool read_gpu_hours(const std::string& text, std::optional<GpuHours>& hours);

/// When they begin; nothing while they last.
std::optional<Moment> closed_until(const GpuHours& hours, const TimeZone& zone, Moment now);

/// "18:00 to 08:00 (America/Chicago), open now", or "..., next from Mon 2026-10-12 18:00:00 CDT".
std::string hours_text(const GpuHours& hours, const TimeZone& zone, Moment now);

}  // namespace opgrade::course
