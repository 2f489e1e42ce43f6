/// The submission's process in a stage on a GPU.
///
/// On an H200 a process takes 0.13 s to start its device and 0.06 s to end it (phases of
/// tests/bench/class_speed.sh), and one process does so at a time. The cases of a stage therefore
/// share one process, for as long as every case passes. A case that fails in a process that served
/// others, or whose device started before its turn, is rerun in its own process, so nothing that
/// was there before makes a case fail.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/cases/layer/outside_launches.hpp"
#include "grader/grading/cases/layer/tensor_store.hpp"
#include "grader/grading/cases/plan/case_calls.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"
#include "grader/grading/run/session.hpp"

namespace opgrade {

class StageProcess {
 public:
  /// `store` gets back the tensors of the process's cases when it has ended, and must outlive this
  /// object.
  explicit StageProcess(TensorStore* store = nullptr) : store_(store) {}

  /// Starts a process on the context's GPU, which neither starts its device nor loads the
  /// submission yet. Does nothing if there is a process; there is still none if it fails. Throws
  /// Interrupted.
  void launch(const CaseContext& context);

  /// launch(), then starts the device and waits for it.
  void start_device(const CaseContext& context);

  /// The process for a case: the one that exists, or a new one. Throws Error as start_session()
  /// does.
  std::unique_ptr<Session> take(const CaseContext& context);

  /// Keeps the process for the next case.
  void keep(std::unique_ptr<Session> session);

  /// Keeps the tensors of a case that the process has served, which may map them until it ends.
  void keep(std::unique_ptr<CaseCalls> calls) { calls_.push_back(std::move(calls)); }

  /// The launches of its calls outside the timed call, as far as they are known.
  OutsideLaunches& outside_launches() { return outside_launches_; }

  bool is_there() const { return session_ != nullptr; }

  /// True if something before the next case may make that case fail: the process served a case, or
  /// its device was started when others could have it.
  bool is_used() const { return session_ != nullptr && (served_ > 0 || has_device_); }

  /// True if there is a process that has served a case.
  bool has_served() const { return cases() > 0; }

  /// How many cases the existing process has served.
  int cases() const { return session_ ? served_ : 0; }

  /// Ends the existing process. Returns false if it had a failure after its cases. Throws Error if
  /// the sandbox fails.
  bool end();

 private:
  TensorStore* store_;
  std::vector<std::unique_ptr<CaseCalls>> calls_;
  std::string device_;  ///< UUID
  std::unique_ptr<Session> session_;
  int served_ = 0;
  bool has_device_ = false;
  OutsideLaunches outside_launches_;
};

/// Runs a case in the stage's process, if `on` has one. `run` is called twice if the first failure
/// does not count; `last` says that its report counts. Throws what `run` throws.
JudgedCase in_stage_process(const CaseDevice& on, const std::function<JudgedCase(bool last)>& run);

}  // namespace opgrade
