/// The tables of course.db, and the migration of older files.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <span>

namespace opgrade::course {

/// Statements that lead from schema version i to i + 1; version 0 is an empty file.
std::span<const char* const> migrations();

/// Brings `database` up to the last of `steps`. A file that has a schema already is copied first,
/// beside itself, to `<name>.v<schema>.<time>.bak`. Throws UsageError for the schema of a newer
/// opgrade.
void migrate(SQLite::Database& database, const std::filesystem::path& file,
             std::span<const char* const> steps);

}  // namespace opgrade::course
