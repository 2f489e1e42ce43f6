/// The limit that ended a run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "grader/base/core/outcome.hpp"

namespace opgrade {

struct Limit {
  enum class Kind {
    wall_time,
    cpu_time,
    stopping_time,  ///< a process did not stop between calls
    memory,
    output,
    file_size,
    processes,  ///< processes and threads
  };

  Kind kind = Kind::wall_time;
  /// Seconds, bytes or a number of processes; 0 if the run did not report the limit's value.
  double value = 0;

  bool operator==(const Limit&) const = default;
};

/// The outcome of a submission that reached the limit.
Outcome outcome_of(Limit::Kind kind);

/// "wall time 60 s", "memory 4 GiB", "threads and processes 64".
std::string text_of(const Limit& limit);

/// Parses a text of text_of(), because reports store limits that way. nullopt for any other text.
std::optional<Limit> limit_of(std::string_view text);

}  // namespace opgrade
