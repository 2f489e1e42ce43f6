/// What every alternative of a note has.
///
/// `case_id`, if it has one, is the case that the note is about. Students see no notes about a
/// hidden case. `stage`, if it has one, stands before the sentence.
#pragma once

#include <string>
#include <string_view>

/// Declares an alternative's name in report.json, and its comparison.
#define OPGRADE_NOTE(Type, name)                \
  static constexpr std::string_view id = #name; \
  bool operator==(const Type&) const = default
