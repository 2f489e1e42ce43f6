#include "grader/course/dashboard.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "grader/core/statistics.hpp"
#include "grader/course/why.hpp"
#include "grader/results/result_folder.hpp"

namespace opgrade::course {
namespace {

using nlohmann::json;

/// By case: the sum over its layers of the median Op Time. Samples of all gradings that count.
json op_times(const Store& store, const std::vector<Attempt>& counted) {
  std::map<std::string, std::map<std::string, std::vector<double>>> samples;
  for (const Attempt& a : counted)
    for (const Sample& s : store.samples(a.id)) samples[s.case_id][s.layer].push_back(s.op_time_ms);
  json times = json::object();
  for (auto& [case_id, layers] : samples) {
    double sum = 0;
    for (auto& [layer, all] : layers) {
      std::ranges::sort(all);
      sum += (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
    }
    times[case_id] = sum;
  }
  return times;
}

json attempt_json(const Attempt& a) {
  return {{"id", a.id},
          {"number", a.number},
          {"outcome", words(a.outcome).text},
          {"points", a.points},
          {"max", a.max_points},
          {"open", a.open_points},
          {"config", a.config_sha256.substr(0, 12)},
          {"version", a.version},
          {"machine", a.machine},
          {"tier", a.tier},
          {"device", a.device},
          {"started", a.started},
          {"result", a.result},
          {"rejudge", a.rejudge},
          {"counts", a.counts}};
}

json change_json(const Change& c, const TimeZone& zone) {
  return {{"at", zone.text(c.at)},
          {"who", c.who},
          {"what", std::string(c.kind == Change::Kind::none ? "taken back" : name_of(c.kind)) +
                       (c.item.empty() ? "" : " " + c.item) +
                       (c.points ? " " + points_text(*c.points) : "")},
          {"reason", c.reason}};
}

/// The longest build of a grading, in seconds.
double build_seconds(const CourseFolder& folder, const Attempt& attempt) {
  double longest = 0;
  if (const auto grade = read_result((folder.path / attempt.result).parent_path()))
    for (const auto& stage : grade->stages) longest = std::max(longest, stage.build.elapsed_s);
  return longest;
}

json grade_json(const Entry& entry, const CourseFolder& folder, const Store& store) {
  const TimeZone& zone = *folder.course.zone;
  json grade{{"assignment", entry.assignment->name},
             {"state", name_of(entry.state)},
             {"maximum", entry.maximum},
             {"reason", entry.reason},
             {"due", zone.text(entry.due.deadline)},
             {"grade", grade_text(entry)},
             {"why", derivation(entry, folder, report::Audience::staff)},
             {"points", nullptr}};
  if (entry.points) grade["points"] = *entry.points;
  if (entry.counts) {
    const GradedSubmission& g = entry.submissions[*entry.counts];
    grade["late"] = g.standing.late.days;
    grade["outcome"] = words(g.result.decisive().outcome).text;
    grade["build"] = build_seconds(folder, g.result.decisive());
    grade["times"] = op_times(store, g.result.counted);
  }
  grade["submissions"] = json::array();
  for (std::size_t i = 0; i < entry.submissions.size(); ++i) {
    const GradedSubmission& g = entry.submissions[i];
    json submission{
        {"id", g.standing.submission.id},     {"at", zone.text(g.standing.submission.handed_in)},
        {"file", g.standing.submission.file}, {"late", g.standing.late.days},
        {"whyNot", g.standing.why_not},       {"counts", entry.counts == i},
        {"attempts", json::array()}};
    for (const Attempt& a : g.attempts) submission["attempts"].push_back(attempt_json(a));
    grade["submissions"].push_back(std::move(submission));
  }
  grade["changes"] = json::array();
  for (const Change& c : entry.changes) grade["changes"].push_back(change_json(c, zone));
  return grade;
}

}  // namespace

std::string dashboard(const CourseFolder& folder, const Store& store, const Gradebook& book,
                      Moment now) {
  json data{{"title", folder.course.title},
            {"at", folder.course.zone->text(now)},
            {"assignments", json::array()},
            {"students", json::array()}};
  for (const Assignment& a : folder.course.assignments)
    data["assignments"].push_back({{"name", a.name},
                                   {"title", a.title},
                                   {"maximum", book.facts(a).maximum},
                                   {"due", folder.course.zone->text(a.deadline)}});
  for (const Student& student : folder.roster.students) {
    json one{{"login", student.login},     {"id", student.id},     {"name", student.name},
             {"section", student.section}, {"team", student.team}, {"grades", json::array()}};
    for (const Assignment& a : folder.course.assignments)
      one["grades"].push_back(grade_json(book.entry(student, a), folder, store));
    data["students"].push_back(std::move(one));
  }
  return dashboard_page(folder.course.title,
                        data.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace opgrade::course
