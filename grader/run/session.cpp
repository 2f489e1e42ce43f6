#include "grader/run/session.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"
#include "grader/run/answer.hpp"
#include "grader/run/prompt_thread.hpp"

namespace opgrade {
namespace {

using protocol::Kind;
using protocol::Reply;
using protocol::Request;
using protocol::Status;
using Clock = std::chrono::steady_clock;

constexpr const char* kInsideHarness = "/opgrade/opgrade-harness";
constexpr const char* kInsideSubmission = "/opgrade/submission.so";

constexpr const char* kLoading = "while it was loaded";

std::string signal_hint(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "It touched memory that is not its own: an index past the end of x, k or y, a write "
             "to an input, or the null pointer of an allocation that failed. Try `-g "
             "-fsanitize=address` on your own machine.";
    case SIGBUS:
      return "It touched memory that cannot be there; check sizes and alignment.";
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

}  // namespace

ConvTensors::ConvTensors(const ConvShape& conv_shape, std::int64_t room)
    : shape(conv_shape),
      y(std::max(shape.y_size(), room), SharedTensor::SubmissionMay::write),
      x(shape.x_size(), SharedTensor::SubmissionMay::read),
      k(shape.k_size(), SharedTensor::SubmissionMay::read) {
  y.resize(shape.y_size());
}

void ConvTensors::go_on(const ConvShape& next, SharedTensor& next_x) {
  shape = next;
  y.resize(shape.y_size());
  std::swap(x, next_x);
  k = SharedTensor(shape.k_size(), SharedTensor::SubmissionMay::read);
}

Session::Session(const Sandbox& sandbox, SandboxPolicy policy, Steps steps,
                 const std::filesystem::path& harness, const std::filesystem::path& submission)
    : steps_(steps) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(fmt::format("socketpair: {}", std::strerror(errno)),
                "raise the limit on open files");
  }
  control_ = Fd(ends[0]);
  const Fd theirs(ends[1]);
  policy.mounts.push_back({harness, kInsideHarness});
  policy.mounts.push_back({submission, kInsideSubmission});
  process_.emplace(sandbox.start(policy, {kInsideHarness, kInsideSubmission},
                                 {{theirs.get(), protocol::kControlFd}}));
}

Session::~Session() {
  if (!finished_ && process_) process_->stop();
}

std::optional<Reply> Session::receive(Kind expected) {
  const Answer answer = receive_reply(control_, expected);
  if (!answer.reply) {
    // A closed channel, or what the harness never sends: either way nobody is left to talk to. An
    // answer to another request is one that the submission sent in the harness's name.
    over_ = true;
    if (answer.spoiled) doing_ += ", after it wrote into the grader's channel";
    return std::nullopt;
  }
  if (answer.reply->status != Status::ok) {
    bad_reply_ = answer.reply;
    over_ = true;
    return std::nullopt;
  }
  return answer.reply;
}

bool Session::send(Request request, std::span<const int> files) {
  if (over_) return false;
  iovec data{&request, sizeof request};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))];
  if (!files.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(files.size_bytes());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(files.size_bytes());
    std::memcpy(CMSG_DATA(header), files.data(), files.size_bytes());
  }
  over_ = ::sendmsg(control_.get(), &message, MSG_NOSIGNAL) < 0;
  return !over_;
}

std::optional<Reply> Session::request(Request request, std::span<const int> files) {
  return send(request, files) ? receive(request.kind) : std::nullopt;
}

bool Session::map(const ConvTensors& tensors, const std::function<void()>& meanwhile) {
  if (over_) return false;
  if (doing_ == kLoading) {
    started_ = started_ || receive(Kind::started);
    if (!started_ || !receive(Kind::ready)) return false;
  }
  doing_ = "before its first call";
  const ConvShape& s = tensors.shape;
  process_->thaw();
  const bool sent = send({.kind = Kind::map,
                          .B = s.B,
                          .M = s.M,
                          .C = s.C,
                          .H = s.H,
                          .W = s.W,
                          .K = s.K,
                          .S = s.S,
                          .y = tensors.y.place(),
                          .x = tensors.x.place(),
                          .k = tensors.k.place()},
                         std::array{tensors.y.fd(), tensors.x.fd(), tensors.k.fd()});
  if (!sent) return false;
  if (meanwhile) meanwhile();
  if (!receive(Kind::map)) return false;
  freeze();
  return !over_;
}

/// The session is over where a process does not stop: nothing could be believed any more.
void Session::freeze() {
  const StopReport stop = process_->freeze();
  over_ = over_ || !stop.stopped;
  stragglers_ = std::max(stop.processes - 1, 0);  // the harness is not the submission's
  ran_on_ = stop.ran_on;
}

/// Lets the process run again and waits until it answers, so that waking up is in no time.
bool Session::wake() {
  if (over_) return false;
  // The second ping is the round trip of a process that is awake. It comes from the submission's
  // process and is taken off the grader's clock, hence the bound. So is waking up (some 20 us, 100
  // on a busy machine): what it takes beyond that may be work done out of the clock's sight.
  constexpr std::chrono::nanoseconds kLongestRoundTrip = std::chrono::microseconds(200);
  constexpr std::chrono::nanoseconds kLongestWaking = std::chrono::microseconds(300);
  const auto thawed = process_->thaw();
  for (int i = 0; i < 2; ++i) {
    const auto begin = Clock::now();
    if (!request({.kind = Kind::ping})) return false;
    round_trip_ = std::min<std::chrono::nanoseconds>(Clock::now() - begin, kLongestRoundTrip);
  }
  woken_late_ = std::max<std::chrono::nanoseconds>(Clock::now() - thawed - kLongestWaking, {});
  return true;
}

std::optional<StepTime> Session::step(Kind kind) {
  const PromptThread prompt;
  if (!wake()) return std::nullopt;
  doing_ = kind == Kind::prolog    ? "in the step before the convolution"
           : kind == Kind::forward ? "in the convolution call"
                                   : "in the step after the convolution";
  const auto begin = Clock::now();
  const auto reply = request({.kind = kind});
  const auto taken = Clock::now() - begin;
  if (!reply) return std::nullopt;
  freeze();
  if (over_) return std::nullopt;
  doing_ = "after its calls";
  using std::chrono::nanoseconds;
  StepTime time = claimed_time(
      *reply, std::max<nanoseconds>(taken - round_trip_, nanoseconds(0)) + woken_late_);
  // Another process can have worked on until it was stopped: that time belongs to the step.
  if (stragglers_ > 0) {
    time.harness += ran_on_;
    time.grader += ran_on_;
  }
  return time;
}

std::optional<CallTimes> Session::call() {
  CallTimes times;
  for (const Kind kind : {Kind::prolog, Kind::forward, Kind::epilog}) {
    if (kind == Kind::prolog && !steps_.prolog) continue;
    if (kind == Kind::epilog && !steps_.epilog) continue;
    const auto time = step(kind);
    if (!time) return std::nullopt;
    times.layer += *time;
    times.believed_layer += time->believed();
    if (kind == Kind::forward) times.op = *time;
  }
  return times;
}

std::optional<std::array<opgrade_shared, 2>> Session::share() {
  if (!wake()) return std::nullopt;
  const auto reply = request({.kind = Kind::share});
  if (!reply) {
    // Not a failure: such memory cannot be opened, and the session goes on.
    forgive_missing(Status::not_shared);
    return std::nullopt;
  }
  freeze();
  return std::to_array(reply->shared);
}

/// Lets the session go on after a reply that says no more than that something cannot be had here;
/// gives its text.
std::optional<std::string> Session::forgive_missing(Status status) {
  if (!bad_reply_ || bad_reply_->status != status) return std::nullopt;
  std::string text = printable_line(bad_reply_->text);
  bad_reply_.reset();
  over_ = false;
  freeze();
  return text;
}

std::string Session::profile_begin() {
  if (over_) return "the submission's process has ended";
  process_->thaw();
  if (request({.kind = Kind::profile_begin})) {
    freeze();
    return {};
  }
  return forgive_missing(Status::no_profile).value_or("the submission's process ended");
}

std::optional<std::string> Session::profile_end(std::string& why) {
  why = "the submission's process ended";
  if (over_) return std::nullopt;
  const Fd file(::memfd_create("opgrade-profile", MFD_CLOEXEC));
  if (!file) throw Error(fmt::format("memfd_create: {}", std::strerror(errno)), "out of memory?");
  process_->thaw();
  if (!request({.kind = Kind::profile_end}, std::array{file.get()})) {
    why = forgive_missing(Status::no_profile).value_or(why);
    return std::nullopt;
  }
  freeze();
  std::string text;
  std::array<char, 1 << 16> part;
  constexpr std::size_t kMostText = std::size_t{64} << 20;
  for (;;) {
    const ssize_t n =
        ::pread(file.get(), part.data(), part.size(), static_cast<off_t>(text.size()));
    if (n <= 0 || text.size() > kMostText) break;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  return text;
}

std::string Session::findings() {
  // After a device error or an exception the harness still listens, and what the device found on
  // the way is the reason.
  const auto broke_off = std::exchange(bad_reply_, std::nullopt);
  const bool listens = broke_off && (broke_off->status == Status::device_error ||
                                     broke_off->status == Status::threw);
  const bool was_over = std::exchange(over_, over_ && !listens);
  std::string text = over_ ? std::string() : ask_for_findings();
  if (broke_off) bad_reply_ = broke_off;
  over_ = over_ || was_over;
  return text;
}

std::string Session::ask_for_findings() {
  process_->thaw();
  const auto reply = request({.kind = Kind::findings});
  return reply ? receive_findings(control_, *reply) : std::string();
}

SandboxReport Session::finish() {
  finished_ = true;
  if (!over_) {
    process_->thaw();
    const Request last{.kind = Kind::finish};
    ::send(control_.get(), &last, sizeof last, MSG_NOSIGNAL);
  }
  // Closing our end makes a harness that is still listening leave. A submission that only closed
  // its end of the channel would stay: it gets no more time.
  const bool may_linger = over_ && !bad_reply_;
  control_.reset();
  if (bad_reply_) process_->thaw();
  if (may_linger) {
    // The end of the process and the closed channel come together; give the first a moment.
    ::usleep(200'000);
    process_->stop();
  }
  return process_->finish();
}

std::optional<SessionFailure> Session::failure(const SandboxReport& report) const {
  if (verdict_is_in_) return std::nullopt;
  if (bad_reply_) {
    const std::string text = printable_line(bad_reply_->text);
    switch (bad_reply_->status) {
      case Status::load_failed:
        return SessionFailure{Outcome::build_failed, "the built submission does not load: " + text,
                              "A symbol is missing at run time, or a library is not allowed."};
      case Status::threw:
        return SessionFailure{
            Outcome::crashed, fmt::format("threw an exception {}: {}", doing_, text), {}};
      case Status::device_error:
        return SessionFailure{Outcome::crashed, fmt::format("device error {}: {}", doing_, text),
                              "Check every CUDA call's result; `compute-sanitizer` or "
                              "`opgrade check --device emulated` shows the line."};
      default:
        break;
    }
    return SessionFailure{
        Outcome::crashed, fmt::format("the run broke off {}: {}", doing_, text), {}};
  }
  const auto* const stopped = std::get_if<Stopped>(&report.process.end);
  if (!report.limit_hit.empty() && (over_ || stopped != nullptr)) {
    const Outcome outcome =
        report.limit_hit.starts_with("wall") || report.limit_hit.starts_with("CPU")
            ? Outcome::out_of_time
        : report.limit_hit.starts_with("memory") ? Outcome::out_of_memory
                                                 : Outcome::over_limit;
    return SessionFailure{
        outcome, fmt::format("stopped {} at its limit: {}", doing_, report.limit_hit),
        outcome == Outcome::out_of_time ? "An endless loop, or far too slow for this batch."
        : report.limit_hit.starts_with(kStoppingLimit)
            ? "Between calls all its threads are stopped. One of them sat in a single system call "
              "that "
              "no stop signal interrupts, such as mapping hundreds of gigabytes with MAP_POPULATE."
            : ""};
  }
  if (!over_) return std::nullopt;
  // Whatever it prints: before that no line of the submission ran, and afterwards the sandbox
  // works.
  if (!started_) {
    throw Error("the sandbox did not start: " + printable_line(report.process.standard_error),
                "run `opgrade doctor`");
  }
  if (stopped != nullptr) {
    return SessionFailure{
        Outcome::exited_early, fmt::format("closed the grader's channel {}", doing_), {}};
  }
  int signal = 0;
  int code = 0;
  if (const auto* signalled = std::get_if<Signalled>(&report.process.end))
    signal = signalled->number;
  if (const auto* exited = std::get_if<Exited>(&report.process.end)) {
    code = exited->code;
    if (code > 128 && code < 128 + 65) signal = code - 128;  // as bubblewrap passes a signal on
  }
  if (signal != 0) {
    const char* const name = ::sigabbrev_np(signal);
    return SessionFailure{Outcome::crashed,
                          fmt::format("crashed {}: SIG{} ({})", doing_,
                                      name != nullptr ? name : "?", ::strsignal(signal)),
                          signal_hint(signal)};
  }
  return SessionFailure{Outcome::exited_early,
                        fmt::format("left the process {} (exit code {})", doing_, code),
                        "The function must return; exit() ends the grading of this case."};
}

}  // namespace opgrade
