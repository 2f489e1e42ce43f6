#include "grader/report/formats/autolab.hpp"

#include <nlohmann/json.hpp>

#include "grader/report/formats/text.hpp"
#include "grader/report/words/units.hpp"

namespace opgrade::report {

std::string autolab_feedback(const Grade& grade, Audience audience) {
  using Json = nlohmann::ordered_json;
  const Grade view = view_for(grade, audience);
  const std::string feedback = text_report(grade, audience, {.width = 100});
  if (view.outcome == Outcome::grader_fault) return feedback + "\nNo scores: grader fault.\n";
  Json scores = Json::object();
  for (const auto& stage : view.stages) scores[stage.name] = finite_or_zero(sum_of(stage).points);
  const Json line{{"scores", scores}};
  return feedback + "\n" + line.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace opgrade::report
