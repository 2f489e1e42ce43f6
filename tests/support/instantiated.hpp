/// Templates that most test programs use and one file instantiates: a fifth to a third of the time
/// of a test's file. Part of the precompiled header; a plain build has none.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>

extern template class nlohmann::basic_json<>;
extern template class std::basic_regex<char>;
