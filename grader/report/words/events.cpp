#include "grader/report/words/events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/json_reader.hpp"
#include "grader/base/core/json_writer.hpp"
#include "grader/report/fields/fields.hpp"
#include "grader/report/words/units.hpp"

namespace opgrade::events {

inline constexpr std::array<std::string_view, 3> kWhyNames{"fault", "interrupted", "staff"};
constexpr EnumNames enum_names(QueuedAgain::Why) { return {"a reason", kWhyNames}; }

template <class T>
concept Named = requires {
  T::kName;
};

/// The fields of all events: members of the same name are one field.
void fields(auto& io, Named auto& e) {
  if constexpr (requires { e.id; }) io("id", e.id, "");
  if constexpr (requires { e.kind; }) io("kind", e.kind, "");
  if constexpr (requires { e.of; }) io("of", e.of, "");
  if constexpr (requires { e.devices; }) io("devices", e.devices, "");
  if constexpr (requires { e.stage; }) io("stage", e.stage, "");
  if constexpr (requires { e.hidden; }) io.rare("hidden", e.hidden, "");
  if constexpr (requires { e.outcome; }) io("outcome", e.outcome, "");
  if constexpr (requires { e.op_time_ms; }) io.rare("op_time_ms", e.op_time_ms, "");
  if constexpr (requires { e.sources; }) io("sources", e.sources, "");
  if constexpr (requires { e.disturbed; }) io.rare("disturbed", e.disturbed, "");
  if constexpr (requires { e.serial; }) io.rare("serial", e.serial, "");
  if constexpr (requires { e.holder; }) io("holder", e.holder, "");
  if constexpr (requires { e.file; }) io("file", e.file, "");
  if constexpr (requires { e.worker; }) io("worker", e.worker, "");
  if constexpr (requires { e.points; }) io("points", e.points, "");
  if constexpr (requires { e.max_points; }) io("max_points", e.max_points, "");
  if constexpr (requires { e.gradings; }) io("gradings", e.gradings, "");
  if constexpr (requires { e.why; }) io("why", e.why, "");
  if constexpr (requires { e.array; }) io("array", e.array, "");
  if constexpr (requires { e.tasks; }) io("tasks", e.tasks, "");
  if constexpr (requires { e.jobs; }) io("jobs", e.jobs, "");
  if constexpr (requires { e.index; }) io("index", e.index, "");
  if constexpr (requires { e.node; }) io("node", e.node, "");
  if constexpr (requires { e.state; }) io("state", e.state, "");
  if constexpr (requires { e.again; }) io.rare("again", e.again, "");
  if constexpr (requires { e.answers; }) io("answers", e.answers, "");
  if constexpr (requires { e.silent; }) io("silent", e.silent, "");
  if constexpr (requires { e.text; }) io("text", e.text, "");
}

namespace {

/// The sentences, one function for each event.
struct Words {
  bool staff;

  std::string operator()(const DataSetPrepared& e) const {
    return staff ? fmt::format("preparing the data set {} (once)", e.file) : "";
  }
  std::string operator()(const ReferenceTimed& e) const {
    if (!staff) return "";
    const std::string timing =
        fmt::format("timing the {} solution", e.serial ? "serial" : "reference");
    return e.disturbed.empty() ? fmt::format("{} ({})", timing, e.id)
                               : fmt::format("{}: {}", timing, e.disturbed);
  }
  std::string operator()(const ReferenceGraded& e) const {
    if (!staff) return "";
    return e.outcome ? fmt::format("the reference solution: {}", words(*e.outcome).text)
                     : "grading the reference solution";
  }
  std::string operator()(const BuildStarted& e) const {
    return staff ? fmt::format("{}: building {}", e.stage, fmt::join(e.sources, ", "))
                 : e.stage + ": building";
  }
  std::string operator()(const BuildFinished& e) const {
    return fmt::format("{}: {}", e.stage,
                       e.outcome == Outcome::passed ? "built" : words(e.outcome).text);
  }
  std::string operator()(const TurnAwaited& e) const {
    return name(e) + (staff ? ": waiting for its turn, one timed run at a time"
                            : ": waiting for its turn on the device");
  }
  std::string operator()(const LockAwaited& e) const {
    return staff ? fmt::format("{}: waiting for {}, which has {}", e.id, e.holder, e.file) : "";
  }
  std::string operator()(const CaseStarted& e) const { return name(e) + ": running"; }
  std::string operator()(const CaseFinished& e) const {
    return fmt::format("{}: {}", name(e), words(e.outcome).text);
  }
  std::string operator()(const SanitizerStarted& e) const {
    return staff ? e.stage + ": compute-sanitizer" : "";
  }
  std::string operator()(const CheckStepStarted& e) const {
    std::vector<std::string_view> devices;
    for (const Device device : e.devices) devices.push_back(name_of(device));
    return fmt::format("{} ({}){}{}",
                       e.of > 1 ? fmt::format("{} {} of {}", e.kind, e.index, e.of) : e.kind,
                       fmt::join(devices, ", "), e.id.empty() ? "" : ": ", e.id);
  }

  std::string operator()(const Queued&) const { return "received and stored"; }
  std::string operator()(const Started& e) const { return e.worker; }
  std::string operator()(const Done& e) const {
    if (!e.outcome) return "graded";
    return fmt::format(
        "{}: {} of {} points{}", words(*e.outcome).text, report::show_points(e.points),
        report::show_points(e.max_points),
        e.gradings > 1 ? fmt::format(", the median of {} gradings", e.gradings) : "");
  }
  std::string operator()(const QueuedAgain& e) const {
    switch (e.why) {
      case QueuedAgain::Why::fault:
        return "the grader failed, which costs no attempt";
      case QueuedAgain::Why::interrupted:
        return "the grading was interrupted and is queued again; this costs no attempt";
      case QueuedAgain::Why::staff:
        return "staff let it be graded again";
    }
    return "";
  }
  std::string operator()(const Stuck&) const { return "the grader failed, which costs no attempt"; }
  std::string operator()(const Cancelled&) const { return "taken back before it ran"; }

  std::string operator()(const ArraySubmitted& e) const {
    return staff ? fmt::format("Slurm array {}: {}", e.array, counted(e.tasks, "task"))
                 : "waiting for a machine of the cluster";
  }
  std::string operator()(const ArraysFound& e) const {
    return staff ? fmt::format("an earlier call submitted {} of these: waiting for them", e.jobs)
                 : "its job on the cluster goes on";
  }
  std::string operator()(const TaskFailed& e) const {
    if (!staff) return e.again ? "its machine failed; waiting for another one" : "";
    const std::string task = e.array.empty()
                                 ? "a Slurm task is lost"
                                 : fmt::format("Slurm task {}_{} on {}: {}", e.array, e.index,
                                               e.node.empty() ? "no node" : e.node, e.state);
    return task + (e.again ? "; its submissions are submitted again" : "");
  }
  std::string operator()(const ControllerChanged& e) const {
    if (!staff) return "waiting for the cluster";
    return e.answers ? "Slurm's controller answers again"
                     : "squeue does not answer; waiting for Slurm's controller";
  }
  std::string operator()(const TasksLeft& e) const {
    if (!staff) return "waiting for the cluster";
    return e.silent +
           " does not answer, so Slurm's tasks go on; repeat the command, which waits for them";
  }
  std::string operator()(const Remark& e) const { return e.text; }

 private:
  std::string name(const auto& e) const { return e.hidden && !staff ? "a hidden case" : e.id; }
};

}  // namespace
}  // namespace opgrade::events

namespace opgrade::report {
namespace {

using json_reading::json;

/// Tries each type of event for the name.
template <std::size_t I = 0>
Event event_in(const json& object, std::string_view name) {
  if constexpr (I < std::variant_size_v<Event>) {
    std::variant_alternative_t<I, Event> event;
    if (name != event.kName) return event_in<I + 1>(object, name);
    json_reading::read(object, "", event);
    return event;
  }
  json_reading::fail("event", "is not known");
}

}  // namespace

std::string_view event_name(const Event& event) {
  return std::visit([](const auto& e) -> std::string_view { return e.kName; }, event);
}

std::string event_text(const Event& event, Audience audience) {
  return std::visit(events::Words{audience == Audience::staff}, event);
}

std::optional<Outcome> event_outcome(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<Outcome> {
        if constexpr (requires { e.outcome; }) return e.outcome;
        return std::nullopt;
      },
      event);
}

std::string event_json(const Event& event) {
  JsonWriter writer;
  writer.out["event"] = event_name(event);
  std::visit([&](const auto& e) { fields(writer, e); }, event);
  return writer.out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Event event_from_json(const std::string& text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return events::Remark{text};
  try {
    return event_in(object, object.value("event", ""));
  } catch (const json_reading::Mismatch&) {  // from a newer version, and may name a hidden case
  } catch (const json::exception&) {         // "event" is not a text
  }
  return events::Remark{};
}

}  // namespace opgrade::report
