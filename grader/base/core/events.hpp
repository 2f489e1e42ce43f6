/// What happens while submissions are graded, as values. Their sentences and their JSON, which a
/// course's store has too, are made in grader/report/words/events.hpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/base/core/outcome.hpp"

namespace opgrade::events {

// While a submission is graded. `hidden`: students see no name of the case.

struct DataSetPrepared {  ///< begins, once on a machine
  static constexpr const char* kName = "data_set_prepared";
  std::string file;
};

struct ReferenceTimed {  ///< a solution of staff's, for a rule that compares with its Op Time
  static constexpr const char* kName = "reference_timed";
  std::string id;
  std::string disturbed;  ///< why it may not have been alone; empty at the begin
  bool serial = false;    ///< the serial solution, else the reference
};

struct ReferenceGraded {  ///< the reference solution, before a class: a test of the config
  static constexpr const char* kName = "reference_graded";
  std::optional<Outcome> outcome;  ///< absent at the begin
};

struct BuildStarted {
  static constexpr const char* kName = "build_started";
  std::string stage;
  std::vector<std::string> sources;
};

struct BuildFinished {
  static constexpr const char* kName = "build_finished";
  std::string stage;
  Outcome outcome = Outcome::not_run;
};

struct TurnAwaited {  ///< one timed run at a time; minutes where others grade on this machine
  static constexpr const char* kName = "turn_awaited";
  std::string id;
  bool hidden = false;
};

struct LockAwaited {  ///< of the device or of the machine's clock
  static constexpr const char* kName = "lock_awaited";
  std::string id, holder, file;
};

struct CaseStarted {
  static constexpr const char* kName = "case_started";
  std::string id;
  bool hidden = false;
};

/// The last one of a case counts: what comes after it in its stage may change the outcome.
struct CaseFinished {
  static constexpr const char* kName = "case_finished";
  std::string id;
  bool hidden = false;
  Outcome outcome = Outcome::not_run;
  std::optional<double> op_time_ms;
};

struct SanitizerStarted {
  static constexpr const char* kName = "sanitizer_started";
  std::string stage;
};

struct CheckStepStarted {  ///< of a task's check
  static constexpr const char* kName = "check_step_started";
  std::string kind;  ///< "sample"
  int index = 1, of = 1;
  std::vector<Device> devices;
  std::string id;  ///< "submissions/wrong_output/one_block"
};

// A submission in the service's queue.

struct Queued {
  static constexpr const char* kName = "queued";
};

struct Started {
  static constexpr const char* kName = "started";
  std::string worker;
};

struct Done {
  static constexpr const char* kName = "done";
  std::optional<Outcome> outcome;  ///< absent where no grading counts
  double points = 0, max_points = 0;
  int gradings = 1;  ///< of which the points are the median
};

struct QueuedAgain {
  static constexpr const char* kName = "again";
  enum class Why { fault, interrupted, staff } why = Why::fault;
};

struct Stuck {
  static constexpr const char* kName = "stuck";
};

struct Cancelled {
  static constexpr const char* kName = "cancelled";
};

// Gradings on a cluster.

struct ArraySubmitted {
  static constexpr const char* kName = "array_submitted";
  std::string array;
  int tasks = 0;
};

struct ArraysFound {  ///< of an earlier call, with some of the jobs
  static constexpr const char* kName = "arrays_found";
  int jobs = 0;
};

struct TaskFailed {
  static constexpr const char* kName = "task_failed";
  std::string array;  ///< empty where the cluster does not know the task any more
  int index = 0;
  std::string node, state;
  bool again = false;  ///< its submissions are submitted again
};

struct ControllerChanged {
  static constexpr const char* kName = "controller_changed";
  bool answers = false;
};

struct TasksLeft {  ///< to the cluster, because `silent` does not answer
  static constexpr const char* kName = "tasks_left";
  std::string silent;
};

struct Remark {  ///< a sentence for people alone, such as one that an earlier version stored
  static constexpr const char* kName = "remark";
  std::string text;
};

}  // namespace opgrade::events

namespace opgrade {

using Event =
    std::variant<events::DataSetPrepared, events::ReferenceTimed, events::ReferenceGraded,
                 events::BuildStarted, events::BuildFinished, events::TurnAwaited,
                 events::LockAwaited, events::CaseStarted, events::CaseFinished,
                 events::SanitizerStarted, events::CheckStepStarted, events::Queued,
                 events::Started, events::Done, events::QueuedAgain, events::Stuck,
                 events::Cancelled, events::ArraySubmitted, events::ArraysFound, events::TaskFailed,
                 events::ControllerChanged, events::TasksLeft, events::Remark>;

/// Called by any thread that grades.
using Listener = std::function<void(const Event&)>;

}  // namespace opgrade
