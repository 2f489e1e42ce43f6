/// The tables of course.db, the migration of older files, and short forms for statements and rows.
/// Only .cpp files that have tables in course.db include this header.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <array>
#include <boost/pfr.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "grader/base/core/outcome.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::course {

/// Statements that lead from schema version i to i + 1; version 0 is an empty file.
std::span<const char* const> migrations();

/// Brings `database` up to the last of `steps` and of each module's. Unless only new tables are
/// added, a file that already has a schema is first copied to `<name>.v<schema>.<time>.bak` in its
/// folder. Throws UsageError if the schema is a newer opgrade's.
void migrate(SQLite::Database& database, const std::filesystem::path& file,
             std::span<const char* const> steps, std::span<const ModuleTables> modules = {});

namespace sql {

using SQLite::Database;

inline void from_column(const SQLite::Column& column, std::int64_t& out) {
  out = column.getInt64();
}
inline void from_column(const SQLite::Column& column, int& out) { out = column.getInt(); }
inline void from_column(const SQLite::Column& column, bool& out) { out = column.getInt() != 0; }
inline void from_column(const SQLite::Column& column, double& out) { out = column.getDouble(); }
inline void from_column(const SQLite::Column& column, std::string& out) {
  out = column.getString();
}
inline void from_column(const SQLite::Column& column, Moment& out) {
  out = Moment(std::chrono::seconds(column.getInt64()));
}
inline void from_column(const SQLite::Column& column, Outcome& out) {
  const auto known = std::ranges::find(kOutcomes, column.getString(), &OutcomeWords::id);
  out = known == kOutcomes.end() ? Outcome::not_run : known->outcome;
}
template <class T>
void from_column(const SQLite::Column& column, std::optional<T>& out) {
  out.reset();
  if (!column.isNull()) from_column(column, out.emplace());
}

/// The value of an enumeration whose names are `names`, in its order; nullopt for other texts.
template <class E, std::size_t N>
std::optional<E> value_named(const std::array<std::string_view, N>& names, std::string_view text) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<E>(found - names.begin());
}

template <class T>
void bind(SQLite::Statement& statement, int i, const T& value) {
  if constexpr (std::is_same_v<T, Moment>)
    statement.bind(i, std::int64_t{value.time_since_epoch().count()});
  else if constexpr (std::is_same_v<T, std::string_view>)
    statement.bind(i, std::string(value));
  else
    statement.bind(i, value);
}
template <class T>
void bind(SQLite::Statement& statement, int i, const std::optional<T>& value) {
  if (value) bind(statement, i, *value);
}

/// A statement with its values bound to ?1, ?2, ... in order.
template <class... Values>
SQLite::Statement prepare(Database& database, const std::string& text, const Values&... values) {
  SQLite::Statement statement(database, text);
  int i = 0;
  (bind(statement, ++i, values), ...);
  return statement;
}

/// Returns the number of changed rows.
template <class... Values>
int execute(Database& database, const std::string& text, const Values&... values) {
  return prepare(database, text, values...).exec();
}

/// Reads the columns from `i` on. A record takes one column for each member, in the members' order.
template <class T>
void read(SQLite::Statement& query, int& i, T& value) {
  if constexpr (requires { from_column(query.getColumn(i), value); }) {
    from_column(query.getColumn(i++), value);
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    std::apply([&](auto&... part) { (read(query, i, part), ...); }, value);
  } else {
    boost::pfr::for_each_field(value, [&](auto& member) { read(query, i, member); });
  }
}

/// The rows of a query, each a `Row`: a record, a pair or the value of the only column.
template <class Row, class... Values>
std::vector<Row> rows(Database& database, const std::string& text, const Values&... values) {
  SQLite::Statement query = prepare(database, text, values...);
  std::vector<Row> all;
  while (query.executeStep()) {
    int i = 0;
    read(query, i, all.emplace_back());
  }
  return all;
}

/// Runs `work` within Store::work() and returns its result.
template <class Work>
auto change(const Store& store, Work&& work) {
  std::invoke_result_t<Work&, Database&> result{};
  store.work([&](Database& database) { result = work(database); });
  return result;
}

/// The rows of a query within one Store::read().
template <class Row, class... Values>
std::vector<Row> rows(const Store& store, const std::string& text, const Values&... values) {
  std::vector<Row> all;
  store.read([&](Database& database) { all = rows<Row>(database, text, values...); });
  return all;
}
template <class... Values>
int execute(const Store& store, const std::string& text, const Values&... values) {
  return change(store, [&](Database& database) { return execute(database, text, values...); });
}

/// Adds a line to the audit log.
template <class Action>
void audit(Database& database, Moment at, const std::string& who, const std::string& address,
           const Action& action, const std::string& subject) {
  execute(database, "INSERT INTO audit (at, who, address, action, subject) VALUES (?, ?, ?, ?, ?)",
          at, who, address, action, subject);
}

/// Adds a submission, whose id it sets; returns false if the store has the owner's submission of
/// this content and time.
bool add(Database& database, Submission& submission);

}  // namespace sql
}  // namespace opgrade::course
