/// The messages between the grader and the harness inside the sandbox.
///
/// One SOCK_SEQPACKET socket, descriptor kControlFd in the harness; a request is answered by one
/// reply. Tensors travel as memory file descriptors with the `map` request. Timed steps start and
/// end in a shared page instead (CallPage): polling it takes a fraction of a microsecond, a socket
/// must wake a sleeper. A reply is not evidence: outputs are compared, and the process's own times
/// are reported, never scored.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "grader/platform/harness/submission_abi.h"

namespace opgrade::protocol {

inline constexpr int kControlFd = 3;
inline constexpr int kPageFd = 4;  ///< memory file of the CallPage
/// A socket to the grader on which the emulated device sends its findings as they happen, one JSON
/// object a packet. A sent finding cannot be taken back, however the process ends. Asked for them
/// (Kind::findings), it sends the rest and ends with {"complete":true}.
inline constexpr int kFindingsFd = 5;
inline constexpr std::uint32_t kMagic = 0x6f706731;  // "opg1"
/// Before the submission's file in the harness's arguments: it is a program, and each call has a
/// process of its own.
inline constexpr const char* kProgram = "--program";
/// Starts a tool instead, which starts the harness: kept_file.hpp.
inline constexpr const char* kUnderTool = "--under-tool";

enum class Kind : std::uint32_t {
  ready,     ///< reply only: the submission was loaded
  map,       ///< map the buffers that come with it (a descriptor each, in the task's order), in
             ///< place of those before
  prolog,    ///< step before the timed one, if the interface has one; asked for by `arm`
  forward,   ///< the timed call itself; likewise
  epilog,    ///< the step after it; likewise
  arm,       ///< do a step's untimed work, answer, then wait in the page for its start
  share,     ///< the reply carries IPC handles of two buffers on the device, if they can be shared
  findings,  ///< send the remaining findings on kFindingsFd
  finish,    ///< leave the process
  profile_begin,  ///< record what the device does from now on
  profile_end,    ///< write the record to the one descriptor that comes with it
  started,        ///< reply only: the harness runs, and nothing of the submission yet
  start_device,   ///< start the device, before `load`
  load,           ///< load the submission; answered by `ready`
  case_over,      ///< give back the buffers, and write out what the submission printed
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
  std::uint32_t prompt = 0;    ///< of an arm: see CallPage::finished
  // A map's. The first buffer is the output: only it can be mapped writable.
  std::uint32_t buffer_count = 0;
  TensorPlace buffer[OPGRADE_MAX_BUFFERS] = {};
  std::int32_t size[OPGRADE_MAX_SIZES] = {};
};

enum class Status : std::uint32_t {
  ok,
  load_failed,   ///< the shared object does not load; see text
  threw,         ///< the submission let an exception out
  not_shared,    ///< the device tensors cannot be opened by another process
  device_error,  ///< the device reports an error after the call
  bad_request,
  no_profile,  ///< nothing can be recorded; see text
};

struct Reply {
  std::uint32_t magic = kMagic;
  Kind kind{};
  Status status{};
  std::int64_t elapsed_ns = 0;    ///< of the call with its synchronisation, by the harness's clock
  std::int64_t device_ns = 0;     ///< of a forward, by device events; 0 where there are none
  opgrade_shared shared[2] = {};  ///< output and input: of a share that succeeded
  char text[256] = {};  ///< error text, zero-terminated; of `ok`: of a call that stopped nothing
};

/// Where a timed step starts and ends. Every word holds the `sequence` of the step that it is
/// about. Only `wake`, `go` and `cancel` are the grader's to write; it reads the others as claims.
struct CallPage {
  std::atomic<std::uint32_t> wake;    ///< start, and say so in `awake` first
  std::atomic<std::uint32_t> go;      ///< start
  std::atomic<std::uint32_t> cancel;  ///< the step is cancelled: wait at the socket again
  alignas(64) std::atomic<std::uint32_t> awake;
  alignas(64) std::atomic<std::uint32_t> done;  ///< a futex
  Reply reply;
  /// The harness has waited for the device and written `reply`. A prompt step is `done` before
  /// that, when the submission's function has returned; another step has both words at once.
  alignas(64) std::atomic<std::uint32_t> finished;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(CallPage) <= 4096);

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);

}  // namespace opgrade::protocol
