/// Short forms for statements; for this module's .cpp files.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <optional>
#include <string>

#include "grader/course/time_zone.hpp"

namespace opgrade::service::sql {

inline std::int64_t stored(course::Moment moment) { return moment.time_since_epoch().count(); }
inline course::Moment moment_in(const SQLite::Column& column) {
  return course::Moment(std::chrono::seconds(column.getInt64()));
}
inline std::optional<course::Moment> maybe_moment_in(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return moment_in(column);
}

/// A statement with its values bound to ?1, ?2, ... in order.
template <class... Values>
SQLite::Statement prepare(SQLite::Database& database, const char* text, const Values&... values) {
  SQLite::Statement statement(database, text);
  int i = 0;
  (statement.bind(++i, values), ...);
  return statement;
}

template <class... Values>
int execute(SQLite::Database& database, const char* text, const Values&... values) {
  return prepare(database, text, values...).exec();
}

}  // namespace opgrade::service::sql
