/// What happens while submissions are graded, as values. grader/report/words/events.hpp makes their
/// sentences and their JSON, which a course's store also holds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/base/core/outcome.hpp"

namespace opgrade::events {

// While a submission is graded. If `hidden`, students do not see the case's name.

struct DataSetPrepared {  ///< preparing begins, once on a machine
  static constexpr const char* kName = "data_set_prepared";
  std::string file;
};

struct ReferenceTimed {  ///< a solution of staff's, timed for a rule that compares with its Op Time
  static constexpr const char* kName = "reference_timed";
  std::string id;
  std::string disturbed;  ///< why it may not have been alone; empty at the start
  bool serial = false;    ///< true: the serial solution; false: the reference
};

struct ReferenceGraded {  ///< the reference solution, graded before a class to test the config
  static constexpr const char* kName = "reference_graded";
  std::optional<Outcome> outcome;  ///< absent at the start
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

struct TurnAwaited {  ///< timed runs take turns: takes minutes if others grade here
  static constexpr const char* kName = "turn_awaited";
  std::string id;
  bool hidden = false;
};

struct LockAwaited {  ///< the lock of the device or of the machine's clock
  static constexpr const char* kName = "lock_awaited";
  std::string id, holder, file;
};

struct CaseStarted {
  static constexpr const char* kName = "case_started";
  std::string id;
  bool hidden = false;
};

/// A case may finish several times, because later work in its stage may change its outcome. The
/// last event counts.
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

struct CheckStepStarted {  ///< a step of a task's check
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
  std::optional<Outcome> outcome;  ///< absent if no grading counts
  double points = 0, max_points = 0;
  int gradings = 1;  ///< the points are the median of so many gradings
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

struct ArraysFound {  ///< arrays of an earlier call, with some of the jobs
  static constexpr const char* kName = "arrays_found";
  int jobs = 0;
};

struct TaskFailed {
  static constexpr const char* kName = "task_failed";
  std::string array;  ///< empty if the cluster no longer knows the task
  int index = 0;
  std::string node, state;
  bool again = false;  ///< its submissions are submitted once more
};

struct ControllerChanged {
  static constexpr const char* kName = "controller_changed";
  bool answers = false;
};

struct TasksLeft {  ///< the tasks are left to the cluster because `silent` does not answer
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

/// Called from any thread that grades.
using Listener = std::function<void(const Event&)>;

}  // namespace opgrade
