/// The service's tables in course.db: accounts, queue, messages, settings.
#pragma once

#include <filesystem>

#include "grader/course/store/store.hpp"

namespace opgrade::service {

const course::ModuleTables& tables();

/// Opens the course's store with these tables, which are created if it has none yet.
course::Store open_store(const std::filesystem::path& folder);

}  // namespace opgrade::service
