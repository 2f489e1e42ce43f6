#include "grader/run/session_failure.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <chrono>

#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"

namespace opgrade {
namespace {

using protocol::Status;

std::string signal_hint(int signal, std::string_view buffers) {
  switch (signal) {
    case SIGSEGV:
      return fmt::format(
          "It touched memory that is not its own: an index past the end of {}, a write to an "
          "input, or the null pointer of an allocation that failed.",
          buffers);
    case SIGBUS:
      return "It touched an invalid address; check sizes and alignment.";
    case SIGFPE:
      return "An integer division by zero, or INT_MIN / -1.";
    case SIGABRT:
      return "abort(): a failed assert, an uncaught exception or a corrupted heap.";
    case SIGILL:
      return "An illegal instruction: a function without a return statement does this.";
    case SIGSYS:
      return "It made a system call that the sandbox does not allow.";
    default:
      return {};
  }
}

/// A process that waits and a busy machine look alike from outside, and neither is slow code.
std::string time_hint(const ProcessReport& process) {
  using Seconds = std::chrono::duration<double>;
  const Seconds computed = process.user + process.system;
  const Seconds elapsed = process.elapsed;
  if (computed * 2 >= elapsed)
    return "Look for an endless loop. If there is none, it is far too slow: do less work for each "
           "output element.";
  return fmt::format(
      "It computed for {:.1f} of these {:.1f} s. Look for an endless loop, a lock or a sleep. If "
      "there is none, the machine was busy: run it again when nothing else runs.",
      computed.count(), elapsed.count());
}

/// Only a control group counts refused threads. Without one the messages of the C++ and OpenMP
/// libraries show them (EAGAIN of pthread_create). A submission that prints them gains nothing.
std::optional<SessionFailure> out_of_threads(const EndedSession& session,
                                             const SandboxReport& report) {
  constexpr std::string_view kRefused = "Resource temporarily unavailable";
  const bool threw = session.bad_reply && session.bad_reply->status == Status::threw;
  // Before it started, the machine itself may be short of processes.
  const bool ended = session.started && session.over && !session.bad_reply &&
                     !std::holds_alternative<Stopped>(report.process.end);
  if (!threw && !ended) return std::nullopt;
  const std::string_view printed = report.process.standard_error;
  const auto says = [&](std::string_view words) {
    return printed.find(fmt::format("{}{}", words, kRefused)) != printed.npos;
  };
  const bool told =
      (threw && std::string_view(session.bad_reply->text).find(kRefused) != kRefused.npos) ||
      says("what():  ") || says("Thread creation failed: ");
  const bool another = report.limit && report.limit->kind != Limit::Kind::processes;
  if (another || !(report.process_limit_hit || told)) return std::nullopt;
  return SessionFailure{
      Outcome::over_limit,
      fmt::format("stopped {} at its limit: {}", session.doing,
                  text_of(report.limit.value_or(Limit{Limit::Kind::processes}))),
      "Start as many threads as there are cores, and give each of them several images."};
}

}  // namespace

std::optional<SessionFailure> failure_of(const EndedSession& session, const SandboxReport& report) {
  if (const auto threads = out_of_threads(session, report)) return threads;
  if (session.bad_reply) {
    const std::string text = printable_line(session.bad_reply->text);
    switch (session.bad_reply->status) {
      case Status::load_failed:
        return SessionFailure{Outcome::build_failed, "the built submission does not load: " + text,
                              "A symbol is missing at run time, or a library is not allowed."};
      case Status::threw:
        return SessionFailure{
            Outcome::crashed, fmt::format("threw an exception {}: {}", session.doing, text),
            "Find the throw: your own, or one of the standard library (new, at(), "
            "a std::thread that cannot start). Fix its cause, or catch it."};
      case Status::device_error:
        return SessionFailure{Outcome::crashed,
                              fmt::format("device error {}: {}", session.doing, text),
                              "Check every CUDA call's result; `compute-sanitizer` or "
                              "`opgrade check --device emulated` shows the line."};
      default:
        break;
    }
    return SessionFailure{
        Outcome::crashed, fmt::format("the run broke off {}: {}", session.doing, text), {}};
  }
  const auto* const stopped = std::get_if<Stopped>(&report.process.end);
  if (report.limit && (session.over || stopped != nullptr)) {
    const Outcome outcome = outcome_of(report.limit->kind);
    return SessionFailure{
        outcome, fmt::format("stopped {} at its limit: {}", session.doing, text_of(*report.limit)),
        outcome == Outcome::out_of_time ? time_hint(report.process)
        : report.limit->kind == Limit::Kind::stopping_time
            ? "Between calls all its threads are stopped. One of them was in a single system call "
              "that no stop signal interrupts, such as mapping hundreds of gigabytes with "
              "MAP_POPULATE."
            : ""};
  }
  if (!session.over) return std::nullopt;
  // Whatever it prints: before that no line of the submission ran, and afterwards the sandbox
  // works.
  if (!session.started) {
    throw Error("the sandbox did not start: " + printable_line(report.process.standard_error),
                "run `opgrade doctor`");
  }
  if (stopped != nullptr) {
    return SessionFailure{
        Outcome::exited_early, fmt::format("closed the grader's channel {}", session.doing), {}};
  }
  int signal = 0;
  int code = 0;
  if (const auto* signalled = std::get_if<Signalled>(&report.process.end))
    signal = signalled->number;
  if (const auto* exited = std::get_if<Exited>(&report.process.end)) {
    code = exited->code;
    if (code > 128 && code < 128 + 65) signal = code - 128;  // as bubblewrap passes a signal on
  }
  const bool printed =
      !report.process.standard_error.empty() || !report.process.standard_output.empty();
  if (signal != 0) {
    const char* const name = ::sigabbrev_np(signal);
    return SessionFailure{Outcome::crashed,
                          fmt::format("crashed {}: SIG{} ({})", session.doing,
                                      name != nullptr ? name : "?", ::strsignal(signal)),
                          signal_hint(signal, session.buffers)};
  }
  return SessionFailure{
      Outcome::exited_early, fmt::format("left the process {} (exit code {})", session.doing, code),
      code != 0 && printed ? "Fix the error that it printed. An exit() ends this case: the "
                             "function must return."
                           : "The function must return; exit() ends the grading of this case."};
}

}  // namespace opgrade
