/// The grader's actions at both ends of a timed step, besides reading its clock.
#pragma once

namespace opgrade {

class CallGate {
 public:
  virtual ~CallGate() = default;

  /// True if the gate keeps the submission from its input until open(). The process is then woken
  /// before the time begins; otherwise waking it is part of the time.
  virtual bool holds() const { return false; }

  /// Called right after the time has begun.
  virtual void open() {}

  /// Called right after the process said that the step is done, and before it is stopped: reads
  /// what the output holds by then.
  virtual void look() = 0;
};

}  // namespace opgrade
