#include "grader/platform/harness/submission_server.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include "grader/platform/harness/relax_processor.hpp"
#include "grader/platform/harness/submission_library.hpp"

namespace opgrade::harness {

using namespace protocol;

namespace {

/// Takes the place of a submission's file and loads one that does nothing, to measure the cost of a
/// call.
constexpr const char* kEmptyCall = "--empty-call";
constexpr opgrade_submission kEmptySubmission = {.abi_version = OPGRADE_ABI_VERSION,
                                                 .forward = [](opgrade_call*) {}};

}  // namespace

void SubmissionServer::load(const char* path, Reply& reply) {
  if (std::strcmp(path, kEmptyCall) == 0) {
    submission_ = &kEmptySubmission;
  } else {
    const SubmissionLibrary opened = open_submission(path);
    library_ = opened.handle;
    submission_ = opened.submission;
    // Only on the emulated device, which has no times: on a real device the call would be untimed
    // work.
    if (submission_ != nullptr && submission_->findings != nullptr)
      call_begins_ =
          reinterpret_cast<void (*)()>(::dlsym(library_, "opgrade_emulation_call_begins"));
  }
  if (submission_ == nullptr || submission_->abi_version != OPGRADE_ABI_VERSION) {
    const char* const error = ::dlerror();
    fail(reply, Status::load_failed, error != nullptr ? error : "the adapter has another version");
  } else if (submission_->touch != nullptr) {
    // Starts the device for this process, if it is not started yet, while the grader makes the
    // tensors: that takes some tenths of a second. If it fails, the first call reports it.
    submission_->touch();
  }
}

void SubmissionServer::serve() {
  for (;;) {
    Request request;
    Files files;
    if (!receive(request, files) || request.kind == Kind::finish) return;
    Reply reply{.kind = request.kind};
    switch (request.kind) {
      case Kind::map:
        map(request, files, reply);
        break;
      case Kind::arm:
        prepare(request.step, reply);
        send(reply);
        if (reply.status == Status::ok) run_step(request);
        continue;
      case Kind::share:
        share(reply);
        break;
      case Kind::case_over:
        end_case();
        break;
      case Kind::findings:
        send_findings();
        break;
      case Kind::profile_begin:
        begin_profile(reply);
        break;
      case Kind::profile_end:
        end_profile(reply, files[0]);
        ::close(files[0]);
        break;
      default:
        fail(reply, Status::bad_request, "unknown request");
        break;
    }
    send(reply);
  }
}

void SubmissionServer::begin_profile(Reply& reply, int layers) {
  if (const char* const why = profiler_.start(library_, layers))
    fail(reply, Status::no_profile, why);
}

void SubmissionServer::end_profile(Reply& reply, int file) {
  if (const char* const why = profiler_.stop(file)) fail(reply, Status::no_profile, why);
}

void SubmissionServer::send_findings() const {
  if (submission_->findings != nullptr) submission_->findings();
}

/// Called after an epilog, before the next request's work. It counts into no step's time if the
/// grader maps before a prolog.
void SubmissionServer::release() {
  if (to_release_ && submission_->release != nullptr) submission_->release(&call_);
  to_release_ = false;
}

void SubmissionServer::map(const Request& request, Files& files, Reply& reply) {
  release();
  // A device's driver registers host memory for its copies only if that memory is writable. A
  // program reads its input from files.
  using May = MappedTensor::May;
  const bool on_device = !is_program_ && submission_->touch != nullptr;
  const May input = on_device ? May::write_own : May::read;
  bool mapped = request.buffer_count >= 1 && request.buffer_count <= OPGRADE_MAX_BUFFERS;
  call_ = {};
  for (std::size_t i = 0; mapped && i < request.buffer_count; ++i) {
    // A large output is reused for several calls, with a small one in between. On a CPU an output
    // is always unmapped, so that a submission that writes to an earlier call's output crashes.
    if (i == 0 && on_device) std::swap(buffers_[0], output_before_);
    mapped = (i == 0 && on_device && buffers_[0].shrink(files[0], request.buffer[0])) ||
             buffers_[i].map(files[i], request.buffer[i], i == 0 ? May::write : input);
    call_.buffer[i] = buffers_[i].data();
  }
  close_all(files);
  if (!mapped) return fail(reply, Status::bad_request, "cannot map the tensors");
  profiler_.next_layer();
  std::memcpy(call_.size, request.size, sizeof call_.size);
}

void SubmissionServer::end_case() {
  release();
  call_ = {};
  for (MappedTensor& buffer : buffers_) buffer.unmap();
  output_before_.unmap();
  std::fflush(nullptr);
}

/// Does a step's untimed work.
void SubmissionServer::prepare(Kind step, Reply& reply) {
  try {
    if (step == Kind::prolog) release();
    const bool first = step == (submission_->prolog != nullptr ? Kind::prolog : Kind::forward);
    if (first && call_begins_ != nullptr) call_begins_();
    if (step == Kind::forward) {
      if (submission_->prepare != nullptr) submission_->prepare(&call_);
    } else if (submission_->touch != nullptr) {
      submission_->touch();
    }
  } catch (const std::exception& e) {
    fail(reply, Status::threw, e.what());
  }
}

/// Waits until the grader starts the step, runs it, and says so in the page.
void SubmissionServer::run_step(const Request& request) {
  const std::uint32_t sequence = request.sequence;
  while (page_->go.load(std::memory_order_acquire) != sequence) {
    if (page_->wake.load(std::memory_order_acquire) == sequence) {
      page_->awake.store(sequence, std::memory_order_release);
      break;
    }
    if (page_->cancel.load(std::memory_order_acquire) == sequence) return;
    relax_processor();
  }
  Reply reply{.kind = request.step};
  call_.events = static_cast<int>(request.events);
  prompt_ = request.prompt != 0 ? sequence : 0;
  said_done_ = false;
  switch (request.step) {
    case Kind::prolog:
      call(submission_->prolog, "prolog", reply);
      break;
    case Kind::forward:
      call(submission_->forward, "conv", reply);
      break;
    default:
      call(submission_->epilog, "epilog", reply);
      to_release_ = true;
      break;
  }
  complete(reply, sequence);
}

void SubmissionServer::complete(const Reply& reply, std::uint32_t sequence) {
  if (is_program_) {
    send_findings();
    std::fflush(nullptr);
  }
  page_->reply = reply;
  if (!said_done_) publish(page_->done, sequence);
  publish(page_->finished, sequence);
}

void SubmissionServer::call(void (*step)(opgrade_call*), const char* kind, Reply& reply) {
  if (step == nullptr) return;
  call_.device_ms = 0;
  begin_ = Clock::now();
  try {
    profiler_.step(kind);
    step(&call_);
  } catch (const std::exception& e) {
    fail(reply, Status::threw, e.what());
  } catch (...) {
    fail(reply, Status::threw, "an exception that is no std::exception");
  }
  step_over(reply);
}

SubmissionServer::DeviceEnd SubmissionServer::device_end() const {
  DeviceEnd end;
  if (submission_ != nullptr && submission_->synchronize != nullptr)
    end.status = submission_->synchronize(&end.error);
  return end;
}

void SubmissionServer::step_over(Reply& reply) {
  profiler_.step(nullptr);
  if (prompt_ != 0) {
    publish(page_->done, prompt_);
    said_done_ = true;
  }
  const DeviceEnd end = device_end_at_exit_ ? *device_end_at_exit_ : device_end();
  if (end.status != 0 && reply.status == Status::ok) {
    fail(reply, Status::device_error, end.error != nullptr ? end.error : "unknown device error");
  } else if (end.error != nullptr && reply.status == Status::ok) {
    fail(reply, Status::ok, end.error);
  }
  reply.elapsed_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_).count();
  reply.device_ns = static_cast<std::int64_t>(call_.device_ms * 1e6F);
}

void SubmissionServer::share(Reply& reply) {
  if (submission_->share == nullptr || submission_->share(&call_, reply.shared) != 0)
    reply.status = Status::not_shared;
}

}  // namespace opgrade::harness
