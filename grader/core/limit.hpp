/// The limit that ended a run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "grader/core/fields.hpp"
#include "grader/core/outcome.hpp"

namespace opgrade {

struct Limit {
  enum class Kind {
    wall_time,
    cpu_time,
    stopping_time,  ///< a process did not stop between calls
    memory,
    output,
    file_size,
    processes,  ///< and threads
  };

  Kind kind = Kind::wall_time;
  /// Seconds, bytes or a number of processes; 0 where the run did not tell which limit stood.
  double value = 0;

  bool operator==(const Limit&) const = default;
};

inline constexpr std::array<std::string_view, 7> kLimitNames{
    "wall_time", "cpu_time", "stopping_time", "memory", "output", "file_size", "processes"};

constexpr EnumNames enum_names(Limit::Kind) { return {"a limit", kLimitNames}; }

/// What a submission that reached the limit is graded as.
Outcome outcome_of(Limit::Kind kind);

/// "wall time 60 s", "memory 4 GiB", "threads and processes 64".
std::string text_of(const Limit& limit);

}  // namespace opgrade
