#include "grader/client/metadata.hpp"

#include <nlohmann/json.hpp>

#include "grader/core/error.hpp"

namespace opgrade::client {

std::string student_of_metadata(const std::string& text) {
  const auto metadata = nlohmann::json::parse(text, nullptr, false);
  std::string keys;
  if (metadata.is_object() && metadata.contains("users") && metadata["users"].is_array() &&
      !metadata["users"].empty() && metadata["users"][0].is_object()) {
    for (const char* key : {"email", "sid"}) {
      const auto& user = metadata["users"][0];
      if (!user.contains(key) || !user[key].is_string()) continue;
      const auto value = user[key].get<std::string>();
      // One that holds a comma would be two.
      if (value.empty() || value.find(',') != value.npos) continue;
      keys += (keys.empty() ? "" : ",") + value;
    }
  }
  if (keys.empty())
    throw Error("submission metadata: no user has an e-mail or a student id",
                "Give --metadata the submission_metadata.json of the platform.");
  return keys;
}

}  // namespace opgrade::client
