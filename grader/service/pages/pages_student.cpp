#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/statistics.hpp"
#include "grader/base/files/archives.hpp"
#include "grader/course/documents/document.hpp"
#include "grader/course/exchange/pack.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradebook/standing.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/report/fields/view.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/report/html/html.hpp"
#include "grader/report/html/html_plot.hpp"
#include "grader/report/html/html_style.hpp"
#include "grader/report/words/events.hpp"
#include "grader/service/api/api.hpp"
#include "grader/service/pages/class_grades.hpp"
#include "grader/service/pages/markdown.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/pages/pages_practice.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/queue/uploads.hpp"
#include "grader/service/state/messages.hpp"
#include "grader/service/state/ranking.hpp"
#include "grader/service/state/students_files.hpp"
#include "grader/task/config/student_files.hpp"
#include "grader/task/config/task_files.hpp"

namespace opgrade::service::pages {

void add_countdown(xml_node parent, course::Moment until, course::Moment now) {
  if (until <= now) return;
  with(add(parent, "strong", "in " + course::span_text(until - now)),
       {{"data-until", fmt::format("{}", until.time_since_epoch().count())}});
}

std::string late_promise(const course::LateRule& rule, const course::Due& due) {
  std::string text = rule_text(rule);
  if (due.slip_days > 0) {
    const bool one = due.slip_days == 1;
    text = fmt::format("{} {} left and {} no points; {}", counted(due.slip_days, "slip day"),
                       one ? "is" : "are", one ? "costs" : "cost",
                       rule.days == 0 ? "nothing later is accepted" : "after that " + text);
  }
  if (due.grace.count() > 0)
    text += fmt::format("; the deadline {} {} of grace",
                        due.slip_days + rule.days > 0 ? "and each late day have" : "has",
                        course::span_text(due.grace));
  return text;
}

namespace {

using course::Assignment;

/// The student who reads a page of assignments; nullptr for staff, and for a student who is not in
/// the roster any more.
const course::Student* reader_in(const course::CourseFolder& folder, const Identity& who) {
  return who.role == Role::student ? folder.roster.find(who.person) : nullptr;
}

/// "Ada Lovelace (ada)": the students for whom a name in the ranking stands and whom this reader
/// may see.
std::string members_text(const course::CourseFolder& folder, const Assignment& assignment,
                         const std::string& owner, const Identity& who) {
  std::vector<std::string> names;
  for (const auto* const student : seen_members(who, folder.roster.members(assignment, owner)))
    names.push_back(fmt::format("{} ({})", student->name, student->login));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// A sentence if the ranking has another time than the report of the submission that counts; empty
/// if the times are equal. It names no cause.
std::string own_time_text(const Service& service, const course::Entry& entry,
                          const RankingConfig& rule, double ranked_ms) {
  if (!entry.counts) return "";
  const course::Result& result = entry.submissions[*entry.counts].result;
  const auto text = [](double ms) { return fmt::format("{:.4g} ms", ms); };
  const double own = service.contenders->of(std::vector{result.decisive()}, rule).time_ms;
  if (text(own) == text(ranked_ms)) return "";
  return fmt::format(
      "The report of your submission has {}; the ranking combines and rounds times, so that no "
      "rank is decided by chance.",
      text(own));
}

/// Adds the ranking. `entry` is the entry of `own`; nullptr if there is none.
void add_ranking(xml_node main, const Service& service, const Assignment& assignment,
                 const std::string& own, const Identity& who, const course::Entry* entry) {
  constexpr std::size_t kFewest = 10;  // fewer dots would show single students, not the class
  const Ranking ranking = ranking_of(service, assignment, own, who.is_staff());
  if (!ranking.why_none.empty()) return;
  const auto config = service.files.config_of(assignment);
  auto section = add_section(main, "Ranking");
  if (!ranking.own_text.empty()) add(section, "p", ranking.own_text);
  const auto own_row = std::ranges::find(ranking.rows, true, &RankingRow::own);
  if (entry != nullptr && own_row != ranking.rows.end())
    if (const auto why = own_time_text(service, *entry, *config->ranking, own_row->time_ms);
        !why.empty())
      add(section, "p", why, "soft");
  if (ranking.provisional)
    add(section, "p",
        "Provisional: after the deadline staff time all once more, and that decides.");
  report::Plot plot{
      .title = "The class, the fastest first", .x_title = "rank", .y_title = "Op Time, ms"};
  for (const RankingRow& row : ranking.rows)
    plot.points.push_back({.x = static_cast<double>(*row.rank),
                           .y = row.time_ms,
                           .name = row.own ? row.name + " (you)" : row.name,
                           .marked = row.own});
  if (config->ranking->bonus_points > 0)
    plot.lines = {{config->ranking->bonus_below_ms, "bonus below"}};
  if (who.is_staff() || plot.points.size() >= kFewest) report::add_plot(section, plot);
  std::vector<const char*> titles{"Rank", "Name"};
  if (who.is_staff()) titles.push_back("Student");
  titles.push_back("Op Time");
  std::vector<bool> numbers(titles.size(), false);
  numbers.front() = numbers.back() = true;
  HtmlTable table(section, titles, numbers);
  const auto folder = service.files.folder();
  for (const RankingRow& row : ranking.rows) {
    std::vector<report::Cell> cells{{fmt::format("{}", *row.rank)},
                                    {row.own ? row.name + " (you)" : row.name}};
    if (who.is_staff()) cells.push_back({members_text(*folder, assignment, row.owner, who)});
    cells.push_back({fmt::format("{:.4g} ms", row.time_ms)});
    table.row(cells, row.own ? "own" : "");
  }
  if (own.empty() || who.form_key.empty()) return;
  auto choose = form(section, who, "/ranking-name");
  with(field(choose, "Name in the ranking (empty: an alias)", "name", "text"),
       {{"maxlength", "40"}, {"value", chosen_names(service)[own]}});
  hidden(choose, "assignment", assignment.name);
  button(choose, "Save the name", "quiet");
}

/// The assignment itself, or the one that its practice runs or documents are for.
const Assignment& counted_one(const course::CourseFolder& folder, const Assignment& a) {
  const auto* const counted = a.is_practice
                                  ? folder.course.find(a.name.substr(course::kPractice.size()))
                              : !a.report_of.empty() ? folder.course.find(a.report_of)
                                                     : nullptr;
  return counted == nullptr ? a : *counted;
}

/// A file's name without its folders, which some browsers send.
std::string base_of(const std::string& file_name) {
  return file_name.substr(file_name.find_last_of("/\\") + 1);
}

/// The uploaded archive, or the uploaded files as an archive, with the names that the browser sent.
std::string packed(const std::vector<FormPart>& parts) {
  std::map<std::string, std::string> files;
  for (const FormPart& part : parts) {
    if (part.name != "files" || part.file_name.empty()) continue;
    if (!archive_ending(part.file_name).empty()) return part.bytes;
    if (const std::string base = base_of(part.file_name); !base.empty()) files[base] = part.bytes;
  }
  return files.empty() ? "" : course::pack(files);
}

/// "uses 1 slip day and loses nothing": the price of a submission after the deadline.
std::string cost_text(const course::LateRule& rule, const course::Lateness& late) {
  const std::string slip =
      late.slip_days > 0 ? fmt::format("uses {}", counted(late.slip_days, "slip day")) : "";
  if (late.days == 0)
    return slip.empty() ? "is in time, by the grace period" : slip + " and loses nothing";
  using Price = course::LateRule::Price;
  const double lost = rule.a_day * late.days;
  const char* const unit = rule.price == Price::percent_of_earned    ? " % of its points"
                           : rule.price == Price::percent_of_maximum ? " % of the maximum"
                           : lost == 1                               ? " point"
                                                                     : " points";
  return fmt::format("{}is {} late and loses {:g}{}", slip.empty() ? "" : slip + ", ",
                     counted(late.days, "day"), lost, unit);
}

/// The text with its first letter in upper case.
std::string capitalised(std::string text) {
  if (!text.empty())
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

/// Adds the task's statement and the files to start from. `folded`: they are hidden until they are
/// opened, because the reader knows them.
void add_task(xml_node main, const Service& service, const Assignment& a, bool folded) {
  auto section = add_section(main, "Task");
  // A milestone of a course has no task folder with a statement. Its README says what to write.
  std::string statement = statement_of(*service.files.config_of(a));
  if (statement.empty()) statement = value_in(files_to_start_from(service, a), "README.md");
  if (!statement.empty()) {
    auto details = add(section, "details");
    if (!folded) details.append_attribute("open") = "open";
    add(details, "summary", "Statement");
    add_markdown(add(details, "div", "", "statement"), statement);
  }
  link(add(section, "p"), fmt::format("The files to start from ({}.zip)", a.name),
       fmt::format("/api/assignments/{}/files", a.name));
  add(add(section, "p", "By opgrade on your machine: "), "code",
      fmt::format("opgrade fetch --assignment {}", a.name), "command");
  const auto argument = config_argument(service, a);
  if (!argument) return;
  // The course's own config is among the files.
  add(add(section, "p", "In the folder that you unpacked: "), "code",
      fmt::format("opgrade check . --config {}", *argument), "command");
}

/// The bytes of a document that was handed in. If there are several files, one is the document,
/// whatever its name, and the others are pictures that it names. Throws NotDone if it is not clear
/// which file is the document.
std::string document_of(const std::vector<FormPart>& parts, const course::ReportRules& rules) {
  std::vector<const FormPart*> files;
  for (const FormPart& part : parts)
    if (part.name == "files" && !part.file_name.empty()) files.push_back(&part);
  if (files.empty()) return "";
  if (files.size() == 1) return files.front()->bytes;
  const auto wanted = documents::kind_of_name(rules.file);
  std::map<std::string, std::string> packed;
  std::size_t found = 0;
  for (const FormPart* const part : files) {
    const bool is_document = documents::kind_of_name(part->file_name) == wanted;
    if (is_document) ++found;
    packed[is_document ? rules.file : base_of(part->file_name)] = part->bytes;
  }
  if (wanted != documents::DocumentKind::markdown || found != 1)
    throw NotDone(400, fmt::format("Choose one file for {}{}.", rules.file,
                                   wanted == documents::DocumentKind::markdown
                                       ? ", and with it the pictures that it names"
                                       : ""));
  return course::pack(packed);
}

/// Adds the names of files that an upload needs and, separately, of files that it may have.
void add_expected(xml_node section, const std::vector<std::string>& names,
                  const std::vector<std::string>& patterns) {
  add(section, "p", fmt::format("Expected: {}", fmt::join(names, ", ")), "score");
  if (!patterns.empty())
    add(add(section, "p", "", "soft"), "small",
        fmt::format("Taken along if they are there: {}", fmt::join(patterns, ", ")));
}

/// Adds until when a late submission is accepted. `cost`: a sentence about its price; may be empty.
void add_last_moment(xml_node section, const course::TimeZone& zone, const course::Due& due,
                     course::Moment now, const std::string& cost) {
  const auto last = last_moment(zone, due);
  add_countdown(add(section, "p",
                    fmt::format("The deadline is over.{} The last moment at which a submission is "
                                "accepted: {} ",
                                cost, zone.text(last)),
                    "notice"),
                last, now);
}

void add_due(xml_node section, const Service& service, const course::CourseFolder& folder,
             const course::Due& due, const Assignment& a, const course::Owner& owner) {
  const course::TimeZone& zone = *folder.course.zone;
  const auto now = service.now();
  auto when = add(section, "p", fmt::format("Due {} ", zone.text(due.deadline)));
  add_countdown(when, due.deadline, now);
  if (service.files.keeps_gpu_hours(a))
    add(section, "p", fmt::format("Graded in the GPU's hours: {}.", service.files.gpu_hours()));
  if (const auto regular = owner.members.front()->deadline_of(a); due.deadline != regular)
    add(section, "p", "Extended for you, from " + zone.text(regular) + ".");
  add(section, "p", fmt::format("Late: {}.", late_promise(a.late, due)));
  if (const int all = folder.course.slip_days; all > 0)
    add(section, "p",
        fmt::format("Slip days: {} of {} left. A late day uses one, and then costs nothing.",
                    due.slip_days, all));
  if (const auto late = lateness(zone, due, now); late.after.count() > 0)
    add_last_moment(section, zone, due, now,
                    fmt::format(" A submission that comes now {}.", cost_text(a.late, late)));
}

/// Adds the form for an upload. Returns its fieldset.
xml_node add_upload(xml_node section, const Service& service, const Identity& who,
                    const Assignment& a, const std::vector<std::string>& expected,
                    const std::vector<std::string>& patterns, bool was_refused) {
  auto upload = with(form(section, who, "/assignments/" + a.name, "multipart/form-data"),
                     {{"class", "drop"},
                      {"id", "upload"},
                      {"data-expects", fmt::format("{}", fmt::join(expected, "|"))},
                      {"data-takes", fmt::format("{}", fmt::join(patterns, "|"))},
                      {"data-most", fmt::format("{}", service.options.upload_bytes)}});
  hidden(upload, "key", new_secret());
  auto parts = upload.append_child("fieldset");
  if (who.form_key.empty()) parts.append_attribute("disabled") = "disabled";
  with(field(parts, "Choose source files or one archive (.zip, .tar.gz), or drop them here",
             "files", "file"),
       {{"multiple", "multiple"}, {"required", "required"}});
  with(add(parts, "ul"), {{"id", "chosen"}, {"aria-live", "polite"}});
  with(add(parts, "p", "", "notice"), {{"id", "refused"}, {"hidden", "hidden"}, {"role", "alert"}});
  auto tick = field(parts, "Hand in without them", "incomplete", "checkbox").parent();
  tick.append_attribute("id") = "incomplete";
  if (!was_refused) tick.append_attribute("hidden") = "hidden";
  auto ended = with(add(parts, "p", "Your session has ended; the files are still here. ", "notice"),
                    {{"id", "ended"}, {"hidden", "hidden"}, {"role", "alert"}});
  link(ended, "Log in in a new tab", "/login").append_attribute("target") = "_blank";
  append_text(ended, ", then hand in again.");
  button(parts, "Hand in");
  return parts;
}

/// Adds the button for a practice run to the form, and the list of earlier runs.
void add_practice(xml_node section, xml_node parts, const Service& service, const Identity& who,
                  const course::CourseFolder& folder, const Assignment& practice,
                  const course::Owner& owner) {
  add_tool_choice(parts, practice);
  with(add(parts, "button", "Practice run", "quiet"),
       {{"type", "submit"}, {"formaction", "/assignments/" + practice.name}});
  add(parts, "p",
      fmt::format(
          "A practice run checks on {}, behind all that counts, and never counts itself; {}.",
          practice.practice.on_devices ? "the course's GPU" : "the emulated device",
          allowance_of(service, practice, owner.key).text()),
      "soft");
  auto all = service.queue.of_owner(owner.key, practice.name);
  const auto plotted = all;
  if (all.size() > 5) all.erase(all.begin(), all.end() - 5);
  if (all.empty()) return;
  add(section, "h3", "Practice runs");
  const auto entry = entry_of(service, folder, *owner.members.front(), practice);
  add_history(section, folder, &entry, all);
  add_times_of_runs(section, service, who, plotted);
}

/// Adds the deadline, the rules for late submissions and the limits, then the form. `complaint`:
/// why the last upload was refused.
void add_hand_in(xml_node main, const Service& service, const Identity& who, const Assignment& a,
                 const course::Owner& owner, const std::string& complaint) {
  const auto folder = service.files.folder();
  const course::TimeZone& zone = *folder->course.zone;
  const course::Due due = course::DueDates(*folder, service.store).of(owner, a);
  const auto config = service.files.config_of(a);
  const auto now = service.now();
  auto section = add_section(main, "Hand in");
  if (!complaint.empty()) add(section, "p", complaint, "notice").append_attribute("role") = "alert";
  if (a.opens && now < *a.opens) {
    add_countdown(add(section, "p", fmt::format("Opens {} ", zone.text(*a.opens)), "notice"),
                  *a.opens, now);
    return;
  }
  if (!lateness(zone, due, now).accepted) {
    add(section, "p",
        fmt::format("Closed since {}: nothing more is taken in.",
                    zone.text(last_moment(zone, due))),
        "notice");
    return;
  }
  const auto expected = own_sources_of(*config);
  auto taken = config->files.take;
  if (!a.report.file.empty()) taken.push_back(a.report.file);
  if (documents::kind_of_name(a.report.file) == documents::DocumentKind::markdown)
    taken.insert(taken.end(), {"*.png", "*.jpg", "*.jpeg"});
  add_expected(section, expected, taken);
  if (a.report.required)
    add(section, "p",
        fmt::format("{} is required: in the archive, or handed in apart before.", a.report.file));
  add_due(section, service, *folder, due, a, owner);
  add(section, "p", capitalised(allowance_of(service, a, owner.key).text()) + ".");
  const auto parts = add_upload(section, service, who, a, expected, taken, !complaint.empty());
  if (const auto* practice = folder->course.find(std::string(course::kPractice) + a.name))
    add_practice(section, parts, service, who, *folder, *practice, owner);
}

/// Adds links to what staff do most often. They come first, because a report may be long.
void add_ways_of_staff(xml_node main, const Identity& who, const std::string& address,
                       const std::vector<NamedAddress>& others) {
  auto ways = with(add(main, "nav"), {{"aria-label", "Of this submission"}});
  if (may(who, "POST", address + "/messages")) link(ways, "Comment", "#comments");
  if (may(who, "POST", "/staff/rejudges")) link(ways, "Grade again", "#again");
  for (const auto& [name, way] : others) link(ways, name, way);
}

/// Links to the previous and the next submission that counts. Following them visits each once: a
/// team's submission has the place of the team's first student in the roster. A submission that
/// does not count has the place of its owner's.
std::vector<NamedAddress> neighbours_of(const Service& service, const Identity& who,
                                        const HandIn& hand_in) {
  const auto& submission = hand_in.submission;
  const auto grades = service.grades->of(service, submission.assignment);
  if (grades == nullptr) return {};
  struct Stop {
    std::int64_t id;
    std::size_t place;  ///< index in the roster
  };
  std::vector<Stop> stops;
  std::set<std::int64_t> known;
  const auto members = grades->folder->roster.members(*grades->assignment, submission.owner);
  std::optional<std::size_t> own;
  for (std::size_t i = 0; i < grades->entries.size(); ++i) {
    const course::Entry& entry = grades->entries[i];
    if (!may_see(who, *entry.student)) continue;
    if (!own && std::ranges::find(members, entry.student) != members.end()) own = i;
    if (!entry.counts) continue;
    const auto id = entry.submissions[*entry.counts].standing.submission.id;
    if (known.insert(id).second) stops.push_back({id, i});
  }
  if (const auto here = std::ranges::find(stops, submission.id, &Stop::id); here != stops.end())
    own = here->place;
  std::vector<NamedAddress> ways;
  const auto add_way = [&](const char* name, const Stop& to) {
    ways.push_back({name, fmt::format("/submissions/{}", to.id)});
  };
  if (!own) return ways;
  const auto at = std::ranges::lower_bound(stops, *own, {}, &Stop::place);
  if (at != stops.begin()) add_way("Previous student", *std::prev(at));
  const auto behind = std::ranges::upper_bound(stops, *own, {}, &Stop::place);
  if (behind != stops.end()) add_way("Next student", *behind);
  return ways;
}

/// For staff: adds the other owners' submissions with the same files, as many as a page can show.
/// Staff of a section see only the number of those in other sections.
void add_copies(xml_node main, const Service& service, const Identity& who, const HandIn& h) {
  const auto copies = service.queue.copies_of(h.submission);
  if (copies.empty()) return;
  auto section = add_section(main, "The same files");
  const auto folder = service.files.folder();
  constexpr std::int64_t kShown = 20;  // many may hand in the unchanged template
  std::int64_t others = 0, seen = 0;
  std::optional<HtmlTable> table;
  for (const HandIn& copy : copies) {
    if (!may_see(*folder, who, copy.submission)) {
      ++others;
      continue;
    }
    if (++seen > kShown) continue;
    if (!table)
      table.emplace(section,
                    std::vector<const char*>{"Submission", "Student", "Handed in", "The two"});
    table->begin_row();
    link_submission(table->cell(), copy.submission.id);
    link_owner(table->cell(), *folder, who, copy.submission);
    table->cell(folder->course.zone->text(copy.submission.handed_in));
    link(table->cell(), "Compare",
         fmt::format("{}/source?with={}", hand_in_address(h), copy.submission.id));
  }
  if (seen > kShown) add(section, "p", fmt::format("and {} more", seen - kShown));
  if (others > 0)
    add(section, "p",
        fmt::format("{} of other sections {} the same files.", counted(others, "submission"),
                    others == 1 ? "has" : "have"));
}

/// Adds the steps of a grading so far, each with its seconds.
void add_steps(xml_node list, const std::vector<StoredEvent>& events, report::Audience audience,
               bool held) {
  std::optional<course::Moment> before;
  for (const StoredEvent& e : events) {
    const auto line = step_text(e.event, audience, held);
    if (line.empty()) continue;
    const auto outcome = report::event_outcome(e.event);
    auto item = with(add(list, "li", line, outcome ? report::outcome_css(*outcome) : ""),
                     {{"data-event", fmt::format("{}", e.id)}});
    if (before && e.at > *before)
      add(item, "span", " " + course::span_text(e.at - *before), "soft");
    before = e.at;
  }
  if (before)
    list.append_attribute("data-last") = static_cast<long long>(before->time_since_epoch().count());
}

}  // namespace

std::string heading_of(const Assignment& a) {
  return a.title.empty() || a.title == a.name ? a.name : fmt::format("{}: {}", a.name, a.title);
}

Response style(Service&, const Visit&) {
  return {200,
          "text/css",
          std::string(report::kHtmlStyle) + kClassStyle,
          {{"Cache-Control", "max-age=3600"}}};
}
Response script(Service&, const Visit&) {
  return {200, "text/javascript", kScript, {{"Cache-Control", "max-age=3600"}}};
}

Response icon(Service&, const Visit&) {
  return {200, "image/svg+xml", kIcon, {{"Cache-Control", "max-age=86400"}}};
}

namespace {

/// An assignment as the home page of a student lists it.
struct HomeItem {
  const Assignment* assignment;
  std::optional<course::Owner> owner;
  course::Due due;
  enum class State { open, not_open_yet, over } state;
};

/// Sorted: first the assignments that can still be handed in, by deadline; then those that open
/// later; then those that are over, the last one first.
std::vector<HomeItem> home_items(const Service& service, const course::CourseFolder& folder,
                                 const Identity& student) {
  const auto now = service.now();
  course::DueDates dates(folder, service.store);
  std::vector<HomeItem> all;
  for (const Assignment& a : folder.course.assignments) {
    HomeItem item{&a, owner_of(folder, student, a), {a.deadline}, HomeItem::State::open};
    if (item.owner) item.due = dates.of(*item.owner, a);
    bool accepted = lateness(*folder.course.zone, item.due, now).accepted;
    if (const auto* const documents = folder.course.report_for(a);
        documents != nullptr && item.owner)
      accepted |= lateness(*folder.course.zone, dates.of(*item.owner, *documents), now).accepted;
    if (a.opens && now < *a.opens)
      item.state = HomeItem::State::not_open_yet;
    else if (!accepted)
      item.state = HomeItem::State::over;
    all.push_back(std::move(item));
  }
  std::ranges::stable_sort(all, {}, [](const HomeItem& item) {
    const auto due = item.due.deadline.time_since_epoch();
    return std::pair(item.state, item.state == HomeItem::State::over ? -due : due);
  });
  return all;
}

}  // namespace

void fill_home(xml_node main, Service& service, const Identity& student, const std::string& base) {
  const auto folder = service.files.folder();
  const auto places = queue_now(service);
  const auto now = service.now();
  add_announcements(main, service);
  for (const auto& [assignment, owner, due, state] : home_items(service, *folder, student)) {
    const Assignment& a = *assignment;
    // A report may be due later than the code.
    const bool closed = !lateness(*folder->course.zone, due, now).accepted;
    auto section = add(main, "section");
    auto title = add(section, "h2");
    link(title, heading_of(a), base + a.name);
    if (a.opens && now < *a.opens)
      add_countdown(add(section, "p", fmt::format("Opens {} ", folder->course.zone->text(*a.opens)),
                        "notice"),
                    *a.opens, now);
    const course::TimeZone& zone = *folder->course.zone;
    add_countdown(add(section, "p", fmt::format("Due {} ", zone.text(due.deadline))), due.deadline,
                  now);
    if (state == HomeItem::State::open && !closed && now > due.deadline)
      add_last_moment(section, zone, due, now, "");
    if (const auto* const documents = folder->course.report_for(a); documents != nullptr && owner)
      if (const auto of_report = course::DueDates(*folder, service.store).of(*owner, *documents);
          lateness(zone, of_report, now).accepted)
        add_countdown(
            add(section, "p", fmt::format("Report due {} ", zone.text(of_report.deadline))),
            of_report.deadline, now);
    const auto* const reader = reader_in(*folder, student);
    if (!owner || reader == nullptr) continue;
    const auto entry = entry_of(service, *folder, *reader, a);
    add_grade(section, *folder, entry, now, false);
    if (!closed)
      add(section, "p", capitalised(allowance_of(service, a, owner->key).text()), "soft");
    for (const Place& p : places)
      if (const auto& name = p.hand_in.submission.assignment;
          p.hand_in.submission.owner == owner->key &&
          (name == a.name || name == std::string(course::kPractice) + a.name))
        link(add(section, "p"),
             fmt::format("{} {}: {}", p.hand_in.is_practice() ? "Practice run" : "Submission",
                         p.hand_in.submission.id, place_text(p)),
             fmt::format("/submissions/{}", p.hand_in.submission.id));
    auto all = service.queue.of_owner(owner->key, a.name);
    if (closed && !all.empty()) {
      section = add(section, "details");
      add(section, "summary", counted(all.size(), "submission"));
    }
    if (all.size() > 5) all.erase(all.begin(), all.end() - 5);
    if (!closed || !all.empty()) add_history(section, *folder, &entry, all);
  }
  if (service.options.notices && !student.form_key.empty()) {
    const bool wanted = wants_notices(service.store, student.person);
    auto ask = form(add(main, "section"), student, "/notices");
    hidden(ask, "wanted", wanted ? "" : "yes");
    if (wanted) add(ask, "p", "You get a notice when a grading is done.");
    button(ask, wanted ? "Send me no more notices" : "Tell me when a grading is done", "quiet");
  }
  add(main, "p",
      fmt::format("The queue has {} waiting and {} being graded.", waiting_in(places),
                  std::ranges::count(places, 0, &Place::position)),
      "soft");
}

Response home(Service& service, const Visit& visit) {
  if (visit.who->is_staff()) return see_other("/staff");
  return page(service, visit.who, "Assignments",
              [&](xml_node main) { fill_home(main, service, *visit.who); });
}

void fill_assignment(xml_node main, Service& service, const Identity& who, const Assignment& a,
                     const Complaint& complaint) {
  const auto folder = service.files.folder();
  const auto owner = owner_of(*folder, who, a);
  std::optional<course::Entry> entry;
  add_announcements(main, service, a.name);
  if (may_read_task(service, who, a))
    add_task(main, service, a, owner && !service.queue.of_owner(owner->key, a.name).empty());
  if (owner) {
    add_hand_in(main, service, who, a, *owner, complaint.of_report ? "" : complaint.text);
    const auto* const reader = reader_in(*folder, who);
    if (reader != nullptr) entry = entry_of(service, *folder, *reader, a);
    add_report(main, service, who, a, *owner, entry ? &*entry : nullptr,
               complaint.of_report ? complaint.text : "");
    if (reader != nullptr) {
      const auto all = service.queue.of_owner(owner->key, a.name);
      auto grade = add_section(main, "Your grade");
      add_grade(grade, *folder, *entry, service.now(), true);
      auto history = add_section(main, "Submissions");
      add_history(history, *folder, &*entry, all);
      add_attempts(history, service, *entry, all);
    }
  }
  add_ranking(main, service, a, owner ? owner->key : "", who, entry ? &*entry : nullptr);
}

namespace {

Response assignment_page(Service& service, const Visit& visit, const Assignment& asked,
                         const NotDone& complaint) {
  const auto folder = service.files.folder();
  const Assignment& a = counted_one(*folder, asked);
  return page(
      service, visit.who, heading_of(a),
      [&](xml_node main) {
        fill_assignment(main, service, *visit.who, a, {complaint.what(), !asked.report_of.empty()});
      },
      {.status = complaint.status,
       .trail = {visit.who->is_staff() ? NamedAddress{"Class", "/staff"}
                                       : NamedAddress{"Assignments", "/"}}});
}

}  // namespace

Response assignment(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  return assignment_page(service, visit, assignment_in(*folder, visit.captured.front()), {200, ""});
}

Response hand_in(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  const Assignment& a = assignment_in(*folder, visit.captured.front());
  const auto parts = read_multipart(visit.request.header("content-type"), visit.request.body);
  if (!parts) throw NotDone(400, "the form cannot be read; load the page again");
  std::string key, tool, kernel;
  bool incomplete = false;
  for (const FormPart& part : *parts) {
    if (part.name == "key") key = part.bytes;
    if (part.name == "tool") tool = part.bytes;
    if (part.name == "kernel") kernel = part.bytes;
    incomplete |= part.name == "incomplete";
  }
  try {
    std::string bytes = a.report_of.empty() ? packed(*parts) : document_of(*parts, a.report);
    if (bytes.empty()) throw NotDone(400, "Choose at least one file.");
    // A form that the Back button shows again has its old key but may send other files, so the key
    // includes the files. Hand-ins and practice runs share one form, so the tool is ignored for a
    // hand-in.
    tool = a.is_practice ? chosen_tool(tool, kernel) : "";
    key = hash_of_secret(key + course::sha256_of_text(bytes) + tool);
    const Taken taken = take_upload(service, {*visit.who, visit.request.address, a.name, key,
                                              std::move(bytes), "", tool, incomplete});
    return see_other(fmt::format("/submissions/{}", taken.hand_in.submission.id));
  } catch (const NotDone& e) {
    return assignment_page(service, visit, a, e);
  }
}

namespace {

/// Adds the tables for a student's own report, to read and to copy. The button that copies appears
/// only with scripts; without them students select the text by hand.
void add_paper(xml_node main, const Grade& grade, report::Audience audience,
               const course::CourseFolder& folder, const Assignment* assignment) {
  auto section = add(add(main, "section"), "details");
  add(section, "summary", "Tables for your report");
  if (const std::string lack = lack_of_tables(grade, assignment); !lack.empty())
    add(section, "p", lack);
  const std::string text = report::exporter("markdown").write(grade, {audience});
  add_markdown(add(section, "div", "", "statement"), text);
  with(add(section, "label", "These tables in Markdown"), {{"for", "paper"}});
  with(add(section, "textarea", text), {{"id", "paper"}, {"readonly", "readonly"}, {"rows", "12"}});
  with(add(section, "button", "Copy for your report"),
       {{"type", "button"}, {"data-copy", "paper"}, {"hidden", "hidden"}});
  if (assignment == nullptr || audience == report::Audience::staff) return;
  const Assignment& counted = counted_one(folder, *assignment);
  if (folder.course.report_for(counted) != nullptr)
    link(add(section, "p"), fmt::format("Hand in {}", counted.report.file),
         fmt::format("/assignments/{}#report", counted.name));
}

}  // namespace

Response submission(Service& service, const Visit& visit) {
  const auto h = own_hand_in(service, visit);
  if (h.is_document()) return document(service, visit, h);
  const std::string address = fmt::format("/submissions/{}", h.submission.id);
  const bool over = is_over(h.state);
  const bool staff = visit.who->is_staff();
  const auto audience = staff ? report::Audience::staff : report::Audience::student;
  const bool held = is_held(service, *visit.who, h);
  const HandInGrade of = grade_for(service, *visit.who, h);
  const auto* const assignment = of.folder->course.find(h.submission.assignment);
  std::vector<NamedAddress> trail{{"Assignments", "/"}};
  if (staff) trail = {{"Class", "/staff"}};
  if (staff && of.entry)
    trail.push_back(
        {of.entry->student->name, "/staff/students/" + encode_percent(of.entry->student->login)});
  if (!staff && assignment != nullptr)
    trail.push_back({heading_of(counted_one(*of.folder, *assignment)),
                     "/assignments/" + counted_one(*of.folder, *assignment).name});
  return page(
      service, visit.who,
      fmt::format("{} {} for {}", h.is_practice() ? "Practice run" : "Submission", h.submission.id,
                  assignment == nullptr ? h.submission.assignment
                                        : counted_one(*of.folder, *assignment).name),
      [&](xml_node main) {
        add(main, "p",
            fmt::format("Handed in by {} at {}{}.", h.person,
                        of.folder->course.zone->text(h.submission.handed_in),
                        h.tool.empty() ? "" : ", to run under " + tool_title(h)),
            "soft");
        std::vector<NamedAddress> ways{
            {"The files", address + "/source"},
            {"The archive as it was handed in",
             fmt::format("/api/submissions/{}/archive", h.submission.id)}};
        if (h.state == State::done && !held)
          ways.push_back({"The report as one file", address + "/report"});
        if (staff) {
          auto more = neighbours_of(service, *visit.who, h);
          more.insert(more.begin(), ways.begin(), ways.end());
          add_ways_of_staff(main, *visit.who, address, more);
        }
        const auto events = service.queue.events(h.submission.id, 0);
        if (staff && h.state == State::added)
          add(main, "p",
              fmt::format("opgrade course grade {} {} grades what opgrade course add took in.",
                          service.path.string(), h.submission.assignment));
        if (!over) {
          auto steps = add_section(main, "In work");
          const auto where = place_of(service, h.submission.id);
          with(add(steps, "p", where ? place_text(*where) : " ", "score"),
               {{"id", "place"}, {"aria-live", "polite"}});
          auto list = with(add(steps, "ol"), {{"aria-live", "polite"},
                                              {"id", "log"},
                                              {"data-id", fmt::format("{}", h.submission.id)}});
          if (!events.empty())
            list.append_attribute("data-age") =
                static_cast<long long>((service.now() - events.back().at).count());
          add_steps(list, events, audience, held);
          if (h.state == State::queued && !visit.who->form_key.empty())
            button(form(steps, *visit.who, address + "/cancel"), "Take it back", "quiet");
          if (h.state == State::running && h.is_practice() && !visit.who->form_key.empty())
            button(form(steps, *visit.who, address + "/cancel"), "End this run", "quiet");
        }
        if (auto shown = shown_grade(service, h, of)) {
          Grade grade = without_grade_of_assignment(*std::move(shown));
          grade.machine.started =
              course::local_text(grade.machine.started, *of.folder->course.zone);
          report::add_report(main, report::view_for(grade, audience), source_of(service, h));
          add_paper(main, grade, audience, *of.folder, assignment);
        }
        if (h.is_practice() && over) add_tool_files(main, service, *of.folder, h);
        if (h.is_practice() && h.state == State::done && !visit.who->form_key.empty()) {
          auto files = add_section(main, "Hand in");
          add(files, "p", "The hand-in has exactly the bytes of this run.");
          button(form(files, *visit.who, address + "/hand-in"), "Hand in these files");
        }
        auto section = add_section(main, staff ? "Grade of the assignment" : "Your grade");
        const report::Cell verdict = verdict_cell(of.entry ? &*of.entry : nullptr, h);
        // Until the submission is over, its place in the queue is shown in place of the verdict.
        if (over) add(add(section, "p", "This submission: "), "span", verdict.text, verdict.css);
        if (h.is_practice())
          add(section, "p", "A practice run: it never counts.");
        else if (of.entry)
          add_grade(section, *of.folder, *of.entry, service.now(), true);
        if (staff && of.entry) add_choice_of_submission(section, *visit.who, h, *of.entry);
        if (staff && !h.is_practice()) add_copies(main, service, *visit.who, h);
        if (!staff)
          for (const auto& [name, way] : ways) link(add(section, "p"), name, way);
        add_messages(main, service, *visit.who, h, !visit.request.parameter("sent").empty());
        if (!over || events.empty()) return;
        auto steps = add(add(main, "section"), "details");
        add(steps, "summary", "Steps of the grading");
        add_steps(add(steps, "ol"), events, audience, held);
      },
      {.again_after_s = over ? 0 : 10, .scripted = true, .trail = trail});
}

Response report(Service& service, const Visit& visit) {
  const auto h = own_hand_in(service, visit);
  auto grade = shown_grade(service, h, grade_for(service, *visit.who, h));
  if (!grade) throw NotDone(404, "there is no result yet");
  grade->machine.started =
      course::local_text(grade->machine.started, *service.files.folder()->course.zone);
  // The report contains its own style, and its policy forbids scripts.
  return {200,
          "text/html; charset=utf-8",
          report::exporter("html").write(*grade, {.source = source_of(service, h)}),
          {{"Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"}}};
}

Response cancel(Service& service, const Visit& visit) {
  api::cancel(service, visit);
  return see_other("/submissions/" + visit.captured.front());
}

Response hand_in_run(Service& service, const Visit& visit) {
  const Taken taken = take_run(service, visit, own_hand_in(service, visit));
  return see_other(fmt::format("/submissions/{}", taken.hand_in.submission.id));
}

Response notices(Service& service, const Visit& visit) {
  want_notices(service.store, visit.who->person,
               service.options.notices && !read_form(visit.request.body)["wanted"].empty());
  return see_other("/");
}

Response ranking_name(Service& service, const Visit& visit) {
  auto fields = read_form(visit.request.body);
  const auto folder = service.files.folder();
  const Assignment& a = assignment_in(*folder, fields["assignment"]);
  const auto owner = owner_of(*folder, *visit.who, a);
  if (!owner) throw NotDone(404, "the course has no such student");
  // Limited, because each change adds a line to the audit log.
  const std::string person = "names of " + visit.who->person;
  if (!service.flood.may_fail(person)) throw NotDone(429, "too many names; wait a minute");
  service.flood.failed(person);
  choose_name(service, owner->key, fields["name"]);
  service.audit(*visit.who, visit.request.address, "ranking name", owner->key);
  return see_other("/assignments/" + a.name);
}

}  // namespace opgrade::service::pages
