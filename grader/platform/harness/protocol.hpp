/// The messages between the grader and the harness inside the sandbox.
///
/// One SOCK_SEQPACKET socket, descriptor kControlFd in the harness; each request is answered by one
/// reply. Tensors travel as memory file descriptors with the `map` request. Timed steps start and
/// end in a shared page instead (CallPage), because polling it takes a fraction of a microsecond,
/// while a socket must wake a sleeper. A reply is not evidence: outputs are compared, and the
/// process's own times are reported, never scored.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "grader/platform/harness/submission_abi.h"

namespace opgrade::protocol {

inline constexpr int kControlFd = 3;
inline constexpr int kPageFd = 4;  ///< memory file of the CallPage
/// A socket to the grader on which the emulated device sends its findings as they happen, one JSON
/// object a packet. A finding that was sent cannot be taken back, however the process ends. On
/// Kind::findings the device sends the rest and ends with {"complete":true}.
inline constexpr int kFindingsFd = 5;
inline constexpr std::uint32_t kMagic = 0x6f706731;  // "opg1"
/// Precedes the submission's file in the harness's arguments if it is a program, which needs a
/// process for each call.
inline constexpr const char* kProgram = "--program";
/// Makes the harness start a tool, which starts the harness: kept_file.hpp.
inline constexpr const char* kUnderTool = "--under-tool";

enum class Kind : std::uint32_t {
  ready,     ///< reply only: the submission was loaded
  map,       ///< map the buffers that come with it (a descriptor each, in the task's order); they
             ///< replace the earlier ones
  prolog,    ///< step before the timed one, if the interface has one; asked for by `arm`
  forward,   ///< the timed call itself; asked for by `arm`, too
  epilog,    ///< the step after it; asked for by `arm`, too
  arm,       ///< do a step's untimed work, answer, then wait in the page for its start
  share,     ///< the reply carries IPC handles of two buffers on the device, if they can be shared
  findings,  ///< send the remaining findings on kFindingsFd
  finish,    ///< leave the process
  profile_begin,  ///< record what the device does from now on
  profile_end,    ///< write the record to the one descriptor that comes with it
  started,        ///< reply only: the harness runs, but nothing of the submission yet
  start_device,   ///< start the device, before `load`
  load,           ///< load the submission; answered by `ready`
  case_over,      ///< unmap the buffers, and write out what the submission printed
};

/// Where a buffer lies in its memory file.
struct TensorPlace {
  std::uint64_t file_bytes;
  std::uint64_t offset;
};

struct Request {
  std::uint32_t magic = kMagic;
  Kind kind{};
  Kind step{};                 ///< of an arm: prolog, forward or epilog
  std::uint32_t sequence = 0;  ///< of an arm: names this step in the page
  std::uint32_t events = 0;    ///< of an arm: record device events
  std::uint32_t prompt = 0;    ///< of an arm: if the step is prompt, see CallPage::finished
  // Fields of a map. The first buffer is the output, the only one that can be mapped writable.
  std::uint32_t buffer_count = 0;
  TensorPlace buffer[OPGRADE_MAX_BUFFERS] = {};
  std::int32_t size[OPGRADE_MAX_SIZES] = {};
};

enum class Status : std::uint32_t {
  ok,
  load_failed,   ///< the shared object does not load; see text
  threw,         ///< the submission let an exception out
  not_shared,    ///< another process cannot open the device tensors
  device_error,  ///< the device reports an error after the call
  bad_request,
  no_profile,  ///< nothing can be recorded; see text
};

struct Reply {
  std::uint32_t magic = kMagic;
  Kind kind{};
  Status status{};
  std::int64_t elapsed_ns = 0;    ///< of the call with its synchronisation, by the harness's clock
  std::int64_t device_ns = 0;     ///< of a forward, by device events; 0 if there are none
  opgrade_shared shared[2] = {};  ///< output and input: of a share that succeeded
  char text[256] = {};  ///< error text, zero-terminated; of `ok`: of a call that stopped nothing
};

/// Where a timed step starts and ends. Every word holds the `sequence` of its step. Only the grader
/// may write `wake`, `go` and `cancel`; it reads the others as claims.
struct CallPage {
  std::atomic<std::uint32_t> wake;    ///< start, but first set `awake`
  std::atomic<std::uint32_t> go;      ///< start
  std::atomic<std::uint32_t> cancel;  ///< the step is cancelled: wait at the socket again
  alignas(64) std::atomic<std::uint32_t> awake;
  alignas(64) std::atomic<std::uint32_t> done;  ///< a futex
  Reply reply;
  /// The harness has waited for the device and written `reply`. In a prompt step `done` is set
  /// earlier, when the submission's function returns; in another step both words are set at once.
  alignas(64) std::atomic<std::uint32_t> finished;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(CallPage) <= 4096);

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);

}  // namespace opgrade::protocol
