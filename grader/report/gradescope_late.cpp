#include "grader/report/gradescope_late.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "grader/core/error.hpp"
#include "grader/core/wall_time.hpp"

namespace opgrade::report {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& what) {
  throw Error("submission metadata: " + what,
              "Give --metadata the submission_metadata.json of the platform.");
}

const Json* member(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return nullptr;
  return &object[key];
}

std::optional<Moment> time_in(const Json& object, const char* key) {
  const Json* value = member(object, key);
  if (value == nullptr) return std::nullopt;
  const auto time = value->is_string() ? parse_moment(value->get<std::string>()) : std::nullopt;
  if (!time) refuse(std::string("'") + key + "' is not a time");
  return time;
}

std::optional<Moment> due_date(const Json& metadata) {
  std::optional<Moment> due;
  if (const Json* users = member(metadata, "users"); users != nullptr && users->is_array()) {
    for (const Json& user : *users) {
      const Json* own = member(user, "assignment");
      const auto date = own != nullptr ? time_in(*own, "due_date") : std::nullopt;
      if (date) due = std::max(due.value_or(*date), *date);
    }
  }
  if (due) return due;
  const Json* assignment = member(metadata, "assignment");
  return assignment != nullptr ? time_in(*assignment, "due_date") : std::nullopt;
}

}  // namespace

GradescopeLateness gradescope_lateness(const std::string& text, const GradescopeLate& rule) {
  const Json metadata = Json::parse(text, nullptr, false);
  if (!metadata.is_object()) refuse("not a JSON object");
  const auto created = time_in(metadata, "created_at");
  if (!created) refuse("'created_at' is missing");
  const auto due = due_date(metadata);
  if (!due) return {};
  constexpr std::int64_t kDay = 24LL * 60 * 60;
  const std::int64_t over = (*created - *due).count() - rule.grace_minutes * 60LL;
  if (over <= 0) return {};
  GradescopeLateness late;
  late.days = static_cast<int>(std::min<std::int64_t>((over + kDay - 1) / kDay, 1'000'000));
  late.share =
      late.days > rule.days ? 0.0 : std::max(0.0, 1 - 0.01 * late.days * rule.percent_per_day);
  return late;
}

}  // namespace opgrade::report
