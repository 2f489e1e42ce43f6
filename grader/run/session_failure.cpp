#include "grader/run/session_failure.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>

#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"

namespace opgrade {
namespace {

using protocol::Status;

/// The words of the C++ library and of CUDA for an allocation that failed.
bool tells_of_memory(std::string_view said) {
  return said.find("bad_alloc") != said.npos || said.find("out of memory") != said.npos;
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
  Reason reason = session.during;
  reason.kind = Reason::Kind::threads_refused;
  reason.limit = report.limit.value_or(Limit{Limit::Kind::processes});
  return SessionFailure{Outcome::over_limit, reason};
}

/// The last line that is not blank; empty without one.
std::string last_line(std::string_view printed) {
  const auto end = printed.find_last_not_of(" \t\r\n");
  if (end == printed.npos) return "";
  const auto before = printed.find_last_of('\n', end);
  const auto begin = before == printed.npos ? 0 : before + 1;
  return printable_line(printed.substr(begin, end + 1 - begin));
}

}  // namespace

std::optional<SessionFailure> failure_of(const EndedSession& session, const SandboxReport& report) {
  using enum Reason::Kind;
  // Whatever it prints, and whatever limit it met: before that no line of the submission ran, and
  // afterwards the sandbox works.
  if (session.over && !session.started) {
    throw Error(fmt::format("the sandbox did not start: {}",
                            report.limit ? "stopped at its limit, " + text_of(*report.limit)
                                         : printable_line(report.process.standard_error)),
                "run `opgrade doctor`");
  }
  if (const auto threads = out_of_threads(session, report)) return threads;
  Reason reason = session.during;
  const auto failed = [&](Outcome outcome, Reason::Kind kind) {
    reason.kind = kind;
    return SessionFailure{outcome, reason};
  };
  if (session.bad_reply) {
    reason.words = printable_line(session.bad_reply->text);
    reason.no_memory = tells_of_memory(reason.words);
    switch (session.bad_reply->status) {
      case Status::load_failed:
        return failed(Outcome::build_failed, does_not_load);
      case Status::threw:
        return failed(Outcome::crashed, threw);
      case Status::device_error:
        return failed(Outcome::crashed, device_error);
      default:
        return failed(Outcome::crashed, broke_off);
    }
  }
  const auto* const stopped = std::get_if<Stopped>(&report.process.end);
  if (report.limit && (session.over || stopped != nullptr)) {
    using Seconds = std::chrono::duration<double>;
    reason.limit = report.limit;
    reason.computed_s = Seconds(report.process.user + report.process.system).count();
    reason.elapsed_s = Seconds(report.process.elapsed).count();
    return failed(outcome_of(report.limit->kind), stopped_at_limit);
  }
  if (!session.over) return std::nullopt;
  if (stopped != nullptr) return failed(Outcome::exited_early, closed_channel);
  reason.signal = report.signal();
  if (reason.signal != 0) {
    if (reason.signal == SIGSEGV) reason.buffers = session.buffers;
    return failed(Outcome::crashed, crashed);
  }
  reason.exit_code = std::get<Exited>(report.process.end).code;
  reason.printed =
      !report.process.standard_error.empty() || !report.process.standard_output.empty();
  // As a macro does that checks CUDA calls: it prints the error and calls exit(1).
  if (reason.exit_code != 0) {
    reason.words = last_line(report.process.standard_error);
    if (reason.words.empty()) reason.words = last_line(report.process.standard_output);
  }
  return failed(Outcome::exited_early, exited);
}

std::string in_brief(const std::optional<SessionFailure>& failure) {
  if (!failure) return "no answer";
  const std::string_view outcome = words(failure->outcome).text;
  return failure->reason.words.empty() ? std::string(outcome)
                                       : fmt::format("{}: {}", outcome, failure->reason.words);
}

}  // namespace opgrade
