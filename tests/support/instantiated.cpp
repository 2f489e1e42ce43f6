#include "tests/support/instantiated.hpp"

template class nlohmann::basic_json<>;
template class std::basic_regex<char>;
