/// The grader's actions at both ends of a timed step, beside reading its clock.
#pragma once

namespace opgrade {

class CallGate {
 public:
  virtual ~CallGate() = default;

  /// True if the gate keeps the submission from its input until open(). Then its process is woken
  /// before the time begins; else waking it is part of the time.
  virtual bool holds() const { return false; }

  /// Right after the time has begun.
  virtual void open() {}

  /// Right after the process said that the step is done, and before it is stopped: sees what is
  /// there by then.
  virtual void look() = 0;
};

}  // namespace opgrade
