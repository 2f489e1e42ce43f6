/// Notes that are sentences already.
#pragma once

#include "grader/base/core/notes/alternative.hpp"

namespace opgrade::notes {

/// A note from a report of an earlier opgrade. Only the reader of reports makes one.
struct EarlierNote {
  std::string words;
  std::string case_id{};
  OPGRADE_NOTE(EarlierNote, told);
};

/// The hint of an Error, if there is no other place for it.
struct NextStep {
  std::string words;
  OPGRADE_NOTE(NextStep, next_step);
};

}  // namespace opgrade::notes
