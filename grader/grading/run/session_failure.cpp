#include "grader/grading/run/session_failure.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"

namespace opgrade {
namespace {

using protocol::Status;

/// The words of the C++ library and of CUDA for an allocation that failed.
bool tells_of_memory(std::string_view said) {
  return said.find("bad_alloc") != said.npos || said.find("out of memory") != said.npos;
}

/// Only a control group counts refused threads. Without one, messages of the C++ and OpenMP
/// libraries show them (EAGAIN of pthread_create). A submission that prints such a message gains
/// nothing.
std::optional<SessionFailure> out_of_threads(const EndedSession& session,
                                             const SandboxReport& report) {
  constexpr std::string_view kRefused = "Resource temporarily unavailable";
  const bool threw = session.bad_reply && session.bad_reply->status == Status::threw;
  // Before the harness started, the machine itself may be short of processes.
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
  const Limit limit = report.limit.value_or(Limit{Limit::Kind::processes});
  return SessionFailure{Outcome::over_limit, why::ThreadsRefused{session.during, limit}};
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
  // This is thrown whatever the sandbox prints and whatever limit it met: no line of the submission
  // ran before the start, and after it the sandbox works.
  if (session.over && !session.started) {
    throw Error(fmt::format("the sandbox did not start: {}",
                            report.limit ? "stopped at its limit, " + text_of(*report.limit)
                                         : printable_line(report.process.standard_error)),
                "run `opgrade doctor`");
  }
  if (const auto threads = out_of_threads(session, report)) return threads;
  why::Ending ending = session.during;
  if (session.bad_reply) {
    ending.words = printable_line(session.bad_reply->text);
    ending.no_memory = tells_of_memory(ending.words);
    switch (session.bad_reply->status) {
      case Status::load_failed:
        return SessionFailure{Outcome::build_failed, why::DoesNotLoad{ending}};
      case Status::threw:
        return SessionFailure{Outcome::crashed, why::Threw{ending}};
      case Status::device_error:
        return SessionFailure{Outcome::crashed, why::DeviceError{ending}};
      default:
        return SessionFailure{Outcome::crashed, why::BrokeOff{ending}};
    }
  }
  const auto* const stopped = std::get_if<Stopped>(&report.process.end);
  if (report.limit && (session.over || stopped != nullptr)) {
    using Seconds = std::chrono::duration<double>;
    return SessionFailure{
        outcome_of(report.limit->kind),
        why::StoppedAtLimit{
            .ending = ending,
            .limit = report.limit,
            .computed_s = Seconds(report.process.user + report.process.system).count(),
            .elapsed_s = Seconds(report.process.elapsed).count()}};
  }
  if (!session.over) return std::nullopt;
  if (stopped != nullptr) return SessionFailure{Outcome::exited_early, why::ClosedChannel{ending}};
  if (const int signal = report.signal(); signal != 0) {
    const std::string_view buffers = signal == SIGSEGV ? session.buffers : std::string_view();
    return SessionFailure{Outcome::crashed, why::Crashed{ending, signal, std::string(buffers)}};
  }
  const std::string& printed = report.process.standard_output;
  const std::string& errors = report.process.standard_error;
  const int code = std::get<Exited>(report.process.end).code;
  // A macro that checks CUDA calls typically prints the error and calls exit(1).
  if (code != 0) {
    ending.words = last_line(errors);
    if (ending.words.empty()) ending.words = last_line(printed);
  }
  return SessionFailure{
      Outcome::exited_early,
      why::Exited{
          .ending = ending, .exit_code = code, .printed = !errors.empty() || !printed.empty()}};
}

std::string in_brief(const std::optional<SessionFailure>& failure) {
  if (!failure) return "no answer";
  const std::string_view outcome = words(failure->outcome).text;
  const auto* const ending = ending_of(failure->reason);
  return ending == nullptr || ending->words.empty() ? std::string(outcome)
                                                    : fmt::format("{}: {}", outcome, ending->words);
}

}  // namespace opgrade
