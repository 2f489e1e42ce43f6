#include "grader/service/secret.hpp"

#include <fmt/format.h>

#include "grader/core/system_random.hpp"
#include "grader/course/result_files.hpp"

namespace opgrade::service {

std::string new_secret() {
  SystemRandom random;
  return fmt::format("{:016x}{:016x}{:016x}{:016x}", random(), random(), random(), random());
}

std::string hash_of_secret(const std::string& secret) { return course::sha256_of_text(secret); }

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

}  // namespace opgrade::service
