/// Signs in an assignment's gradings that its config is wrong.
#pragma once

#include <string>

#include "grader/course/store.hpp"

namespace opgrade::course {

/// report::class_warning() over the last grading that counts of each submission; empty without one.
std::string config_warning(const Store& store, const std::string& assignment);

}  // namespace opgrade::course
