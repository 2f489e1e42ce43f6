#include "grader/grading/run/session.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/phases.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/grading/run/scoped_realtime_priority.hpp"
#include "grader/platform/harness/relax_processor.hpp"

namespace opgrade {
namespace {

using protocol::Kind;
using protocol::Reply;
using protocol::Request;
using protocol::Status;
using Clock = std::chrono::steady_clock;

constexpr const char* kInsideHarness = "/opgrade/opgrade-harness";
constexpr const char* kInsideSubmission = "/opgrade/submission";
constexpr const char* kEmptyCall = "--empty-call";
/// Seconds from a closed channel to the end of the process that had it. The kernel closes the
/// channel of a process that ends, and only then gives back its memory; 200 ms were too few next to
/// other runs. The reason of the end is known only after it.
constexpr std::chrono::seconds kLongestEnd{5};

/// True if polling leaves a core to the process that is waited for.
bool may_spin() { return std::thread::hardware_concurrency() > 1; }

why::Step step_of(Kind step) {
  return step == Kind::prolog    ? why::Step::prolog
         : step == Kind::forward ? why::Step::call
                                 : why::Step::epilog;
}

/// Makes a pair of sockets: keeps one in `ours` and returns the other.
Fd connect(Fd& ours) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(fmt::format("socketpair: {}", std::strerror(errno)),
                "raise the limit on open files");
  }
  ours = Fd(ends[0]);
  return Fd(ends[1]);
}

}  // namespace

Session::Session(const Sandbox& sandbox, SandboxPolicy policy, InterfaceSteps steps,
                 const std::filesystem::path& harness, const std::filesystem::path& submission,
                 Load load)
    : sandbox_(sandbox), policy_(std::move(policy)), steps_(steps), load_(load) {
  policy_.environment.push_back(fmt::format("OPGRADE_FINDINGS_FD={}", protocol::kFindingsFd));
  policy_.timed = true;
  policy_.mounts.push_back({harness, kInsideHarness});
  if (submission.empty()) {
    arguments_ = {kInsideHarness, kEmptyCall};
  } else {
    policy_.mounts.push_back({submission.parent_path(), kInsideSubmission});
    arguments_ = {kInsideHarness, std::filesystem::path(kInsideSubmission) / submission.filename()};
  }
  if (steps_.ends_process) {
    arguments_.insert(arguments_.begin() + 1, protocol::kProgram);
    ++policy_.processes;  // one more, which starts the others
  }
  start();
}

void Session::start() {
  const Fd theirs = connect(control_);
  const Fd their_findings = connect(findings_);
  // Findings are not read before the end. The system limits this buffer to some hundred of them.
  constexpr int kRoomForFindings = 1 << 20;
  ::setsockopt(their_findings.get(), SOL_SOCKET, SO_SNDBUF, &kRoomForFindings,
               sizeof kRoomForFindings);
  process_.emplace(sandbox_.start(policy_, arguments_,
                                  {{theirs.get(), protocol::kControlFd},
                                   {page_.fd(), protocol::kPageFd},
                                   {their_findings.get(), protocol::kFindingsFd}}));
  // The time that the sandbox takes to start is not the submission's.
  process_->restart_clock(std::max(policy_.wall, policy_.starting));
  if (load_ == Load::now) ask_for_submission();
}

void Session::ask_for_submission() { send({.kind = Kind::load}, {}); }

/// No code of the submission runs before this. If the sandbox was refused a process, it starts
/// again.
bool Session::await_start() {
  for (StartPatience patience(policy_); !receive(Kind::started);) {
    ended_ = finish();
    if (!refused_a_process(*ended_) || !patience.again()) return false;
    ended_.reset();
    finished_ = over_ = false;
    start();
  }
  restart_clock();
  return true;
}

bool Session::await_harness() {
  if (over_) return false;
  started_ = started_ || await_start();
  return started_;
}

bool Session::start_device() {
  if (!await_harness()) return false;
  restart_clock();
  return !has_devices(policy_) || request({.kind = Kind::start_device});
}

void Session::restart_clock() {
  process_->restart_clock(policy_.wall);
  last_positions_.clear();
  looks_ = 0;
}

bool Session::is_waiting() const {
  pollfd channel{control_.get(), POLLIN, 0};
  return started_ && !over_ && ::poll(&channel, 1, 0) == 0;
}

void Session::load() {
  if (std::exchange(load_, Load::now) == Load::now) return;
  restart_clock();
  ask_for_submission();
}

Session::~Session() {
  if (!finished_ && process_) process_->stop();
}

std::optional<Reply> Session::receive(Kind expected) {
  const ReceivedReply answer = receive_reply(control_, expected);
  if (!answer.reply) {
    // The channel is closed, or a message came that the harness never sends: the other side is
    // gone. An answer to another request is one that the submission sent in the harness's name.
    over_ = true;
    spoiled_ = spoiled_ || answer.spoiled;
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
  alignas(cmsghdr) char control[CMSG_SPACE(OPGRADE_MAX_BUFFERS * sizeof(int))];
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

bool Session::await_submission() {
  if (over_) return false;
  if (doing_ == why::Step::loading) {
    load();
    if (!await_harness() || !receive(Kind::ready)) return false;
    phase_over("process and device started");
  }
  doing_ = why::Step::start;
  return true;
}

bool Session::map(const CallTensors& tensors, const std::function<void()>& meanwhile) {
  process_->resume_clock();
  if (!await_submission()) return false;
  Request request{.kind = Kind::map,
                  .buffer_count = static_cast<std::uint32_t>(tensors.buffers.size())};
  if (tensors.buffers.size() > OPGRADE_MAX_BUFFERS || tensors.sizes.size() > OPGRADE_MAX_SIZES)
    throw Error("a task has more buffers or sizes than the harness takes", {});
  std::ranges::copy(tensors.sizes, request.size);
  std::ranges::transform(tensors.buffers, request.buffer, &SharedTensor::place);
  std::vector<int> files;
  for (const auto& buffer : tensors.buffers) files.push_back(buffer.fd());
  process_->thaw();
  if (!send(request, files)) return false;
  if (meanwhile) meanwhile();
  if (!receive(Kind::map)) return false;
  freeze();
  return !over_;
}

/// If a process does not stop, the session is over, because nothing could be believed any more.
void Session::freeze() {
  const StopReport stop = process_->freeze();
  over_ = over_ || !stop.stopped;
  // The harness does not count, nor does the process that is a program itself.
  const int expected = steps_.ends_process ? 2 : 1;
  stragglers_ = std::max(stop.processes - expected, 0);
  ran_on_ = stop.ran_on;
}

/// On a device the process of a program takes tenths of a second to start, one process at a time.
/// This is not the submission's time, so starting has the limit of wall time to itself.
bool Session::request_arm(const Request& arm) {
  if (!steps_.ends_process || !has_devices(policy_)) return request(arm).has_value();
  const auto left = process_->time_left();
  process_->restart_clock(policy_.wall);
  if (!request(arm)) return false;
  process_->restart_clock(std::chrono::ceil<std::chrono::milliseconds>(left));
  return true;
}

bool Session::arm(Kind step, Arming how) {
  if (over_) return false;
  doing_ = step_of(step);
  process_->thaw();
  if (!request_arm({.kind = Kind::arm,
                    .step = step,
                    .sequence = ++sequence_,
                    .events = how.events ? 1U : 0U,
                    .prompt = how.prompt ? 1U : 0U}))
    return false;
  prompt_ = how.prompt;
  freeze();
  armed_ = step;
  return !over_;
}

/// A call that comes this near to the limit of wall time is most likely in an endless loop. Each
/// look stops the call, mostly for less than a millisecond. A process that does not stop goes on,
/// because only the limit may end it.
void Session::look_where_it_is() {
  constexpr int kMostLooks = 40;
  constexpr std::chrono::milliseconds kLongestLook{100};
  const auto near = std::min<Clock::duration>(policy_.wall / 10, std::chrono::seconds(1));
  if (looks_ >= kMostLooks || process_->time_left() > near) return;
  ++looks_;
  if (!process_->try_freeze(kLongestLook)) return;
  const auto here = process_->code_positions();
  last_positions_.insert(last_positions_.end(), here.begin(), here.end());
  process_->thaw();
}

/// Waits until this word of the page names the armed step. Polls for a while first, because a
/// sleeper takes 10 us to wake, and after some ms up to 0.3 ms. Without `spin` the polling is
/// short, because a long call on a CPU may need all cores. Returns false if the process is gone or
/// wrote into the channel, which carries only answers to requests.
bool Session::wait_for(std::atomic<std::uint32_t>& word, bool spin) {
  constexpr std::chrono::microseconds kShortCall{50};
  constexpr std::chrono::milliseconds kLongSpin{50};
  constexpr timespec kLook{0, 5'000'000};  // between two checks of the channel
  const auto spin_until = Clock::now() + (spin ? std::chrono::nanoseconds(kLongSpin) : kShortCall);
  for (int i = 1; may_spin(); ++i) {
    if (word.load(std::memory_order_acquire) == sequence_) return true;
    relax_processor();
    if (i % 64 == 0 && Clock::now() > spin_until) break;
  }
  for (;;) {
    const std::uint32_t seen = word.load(std::memory_order_acquire);
    if (seen == sequence_) return true;
    pollfd channel{control_.get(), POLLIN, 0};
    if (::poll(&channel, 1, 0) != 0) {
      if (word.load(std::memory_order_acquire) == sequence_) return true;
      receive(Kind::started);  // no such reply: finds out whether the channel is closed or spoiled
      return false;
    }
    ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &kLook, nullptr, 0);
    look_where_it_is();
  }
}

/// Takes the page's reply on the finished step, while the process is stopped. Any process of the
/// submission may have written the reply.
void Session::take_reply(Kind step, StepTime& time) {
  Reply reply;
  std::memcpy(&reply, &page_->reply, sizeof reply);
  reply.text[sizeof reply.text - 1] = '\0';
  pollfd channel{control_.get(), POLLIN, 0};
  const bool noise = ::poll(&channel, 1, 0) != 0 && (channel.revents & POLLIN) != 0;
  if (noise || reply.magic != protocol::kMagic || reply.kind != step) {
    over_ = true;
    spoiled_ = true;
  } else if (reply.status != Status::ok) {
    bad_reply_ = reply;
    over_ = true;
  } else {
    if (failed_call_.empty()) failed_call_ = printable_line(reply.text);
    take_claims(time, reply);
  }
}

std::optional<StepTime> Session::go(CallGate* gate) {
  if (over_) return std::nullopt;
  const ScopedRealtimePriority prompt;
  const Kind step = std::exchange(armed_, Kind::ready);
  StepTime time;
  Clock::time_point begin;
  const bool held = gate != nullptr && gate->holds();
  if (held) {
    // The submission may launch behind the gate. All do, so launching costs no Op Time. A process
    // whose caches are cold takes some 40 us to launch.
    constexpr std::chrono::milliseconds kLongestWaking{5};
    constexpr std::chrono::microseconds kHeadStart{50};
    page_->wake.store(sequence_, std::memory_order_release);
    const auto woken = process_->thaw();
    while (page_->awake.load(std::memory_order_acquire) != sequence_ &&
           Clock::now() - woken < kLongestWaking)
      relax_processor();
    for (const auto awake = Clock::now(); Clock::now() - awake < kHeadStart;) relax_processor();
    begin = Clock::now();
    gate->open();
  } else {
    page_->go.store(sequence_, std::memory_order_release);
    begin = process_->thaw();
  }
  const bool answered = wait_for(page_->done, held || has_devices(policy_));
  time.until_finished = time.until_proven = time.until_done = Clock::now() - begin;
  if (!answered) {
    if (gate != nullptr) gate->open();
    return std::nullopt;
  }
  if (gate != nullptr) {
    gate->look();
    time.until_proven = Clock::now() - begin;
  }
  if (prompt_) {
    if (!wait_for(page_->finished, false)) return std::nullopt;
    time.until_finished = Clock::now() - begin;
  }
  freeze();
  time.until_stopped = Clock::now() - begin;
  if (over_) return std::nullopt;
  // Another process may have worked on until it was stopped, so that time belongs to the step.
  if (stragglers_ > 0) {
    time.until_done += ran_on_;
    time.until_proven += ran_on_;
  }
  take_reply(step, time);
  if (over_) return std::nullopt;
  doing_ = why::Step::end;
  return time;
}

bool Session::arm_call(Arming how) {
  return arm(steps_.prolog ? Kind::prolog : Kind::forward, how);
}

std::optional<CallTimes> Session::run_call(CallGate* gate) {
  CallTimes times;
  const Kind last = steps_.epilog ? Kind::epilog : Kind::forward;
  for (const Kind kind : {Kind::prolog, Kind::forward, Kind::epilog}) {
    if (kind == Kind::prolog && !steps_.prolog) continue;
    if (kind == Kind::epilog && !steps_.epilog) continue;
    if (armed_ != kind && !arm(kind)) return std::nullopt;
    const auto time = go(kind == last ? gate : nullptr);
    if (!time) return std::nullopt;
    times.layer += *time;
    times.last = *time;
    ++times.steps;
    if (kind == Kind::forward) times.op = *time;
  }
  return times;
}

std::optional<CallTimes> Session::call(const std::function<void()>& refresh, CallGate* gate) {
  if (!arm_call()) return std::nullopt;
  if (refresh) refresh();
  return run_call(gate);
}

std::optional<std::array<opgrade_shared, 2>> Session::share() {
  if (over_) return std::nullopt;
  process_->thaw();
  const auto reply = request({.kind = Kind::share});
  if (!reply) {
    // Not a failure: such memory cannot be opened, and the session goes on.
    forgive_missing(Status::not_shared);
    return std::nullopt;
  }
  freeze();
  return std::to_array(reply->shared);
}

/// Lets the session go on after a reply that says only that something cannot be had here. Returns
/// the reply's text.
std::optional<std::string> Session::forgive_missing(Status status) {
  if (!bad_reply_ || bad_reply_->status != status) return std::nullopt;
  std::string text = printable_line(bad_reply_->text);
  if (text.empty()) text = "its process gave no reason";
  bad_reply_.reset();
  over_ = false;
  freeze();
  return text;
}

SandboxReport Session::finish() {
  if (ended_) return *ended_;
  finished_ = true;
  page_->cancel.store(sequence_, std::memory_order_release);
  if (!over_) {
    process_->thaw();
    const Request last{.kind = Kind::finish};
    ::send(control_.get(), &last, sizeof last, MSG_NOSIGNAL);
  }
  // A process that closed its channel and lives on looks like one that is ending. A submission that
  // closes it can hold its device for kLongestEnd, or until its limit of wall time.
  const bool may_linger = over_ && !bad_reply_;
  pollfd channel{control_.get(), POLLIN, 0};
  const bool closed = ::poll(&channel, 1, 0) == 1 && (channel.revents & POLLHUP) != 0;
  control_.reset();  // a harness that still listens leaves
  if (bad_reply_) process_->thaw();
  if (may_linger) {
    if (closed) process_->await_end(kLongestEnd);
    process_->stop();
  }
  return process_->finish();
}

std::optional<SessionFailure> Session::failure(const SandboxReport& report) const {
  if (verdict_is_in_) return std::nullopt;
  why::Ending during{.step = doing_, .spoiled = spoiled_};
  if (doing_ >= why::Step::prolog && doing_ <= why::Step::epilog)
    during.operation = steps_.operation;
  return failure_of({started_, over_, bad_reply_, during, steps_.buffers}, report);
}

}  // namespace opgrade
