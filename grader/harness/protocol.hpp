/// The messages between the grader and the harness inside the sandbox.
///
/// One SOCK_SEQPACKET socket, descriptor kControlFd in the harness; a request is answered by one
/// reply. Tensors travel as memory file descriptors with the `map` request. The grader believes
/// nothing in a reply: outputs are compared, times are held against its own clock.
#pragma once

#include <cstdint>
#include <type_traits>

#include "grader/harness/submission_abi.h"

namespace opgrade::protocol {

inline constexpr int kControlFd = 3;
inline constexpr std::uint32_t kMagic = 0x6f706731;  // "opg1"

enum class Kind : std::uint32_t {
  ready,     ///< reply only: the submission was loaded
  map,       ///< map the three tensors that come with it (descriptors in the order y, x, k), in
             ///< place of those before
  prolog,    ///< call the step before the conv, if the interface has one
  forward,   ///< the conv call itself
  epilog,    ///< call the step after it
  share,     ///< the reply carries IPC handles of y and x on the device, if they can be shared
  ping,      ///< answer at once: the round trip that every timed call contains
  findings,  ///< the reply is followed by one packet of `length` bytes of JSON
  finish,    ///< leave the process
  profile_begin,  ///< record what the device does from now on
  profile_end,    ///< write the record to the one descriptor that comes with it
  started,        ///< reply only: the harness runs, and nothing of the submission yet
};

/// Where a tensor lies in its memory file.
struct TensorPlace {
  std::uint64_t file_bytes;
  std::uint64_t offset;
};

struct Request {
  std::uint32_t magic = kMagic;
  Kind kind{};
  std::int32_t B = 0, M = 0, C = 0, H = 0, W = 0, K = 0, S = 0;
  TensorPlace y{}, x{}, k{};
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
  std::uint32_t length = 0;
  std::int64_t elapsed_ns = 0;    ///< of the call with its synchronisation, by the harness's clock
  std::int64_t device_ns = 0;     ///< of a forward, by device events; 0 where there are none
  opgrade_shared shared[2] = {};  ///< y, x: of a share that succeeded
  char text[256] = {};            ///< error text, zero-terminated
};

inline constexpr std::uint32_t kMaxFindings = 120'000;  // fits the default socket buffer

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);

}  // namespace opgrade::protocol
