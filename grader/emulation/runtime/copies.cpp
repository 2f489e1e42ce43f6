#include "grader/emulation/runtime/copies.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "grader/emulation/runtime/devices.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/graphs.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/late_work.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "grader/emulation/runtime/symbols.hpp"
#include "grader/emulation/runtime/variation.hpp"

using namespace opgrade_emulation;

namespace {

enum class Side { host, device, either };

/// Finds on which side an address lies. Pinned, managed and symbol memory may be on either side of
/// a copy.
Side side_of(const void* address, Allocation& a, bool& known) {
  known = false;
  if (device_range().contains(address)) {
    known = find_allocation(address, a) && !a.freed &&
            reinterpret_cast<std::uintptr_t>(address) >= a.address;
    return known && a.kind != MemoryKind::device ? Side::either : Side::device;
  }
  return find_symbol(address) != nullptr ? Side::device : Side::host;
}

void complain(const char* kind, std::string message, const void* site,
              const char* severity = "error") {
  report({.kind = kind, .severity = severity, .message = std::move(message), .site = site});
}

/// Checks one end of a copy: it must be on the side that `kind` names, and within its allocation.
/// The driver knows an end's side from its address. It refuses a host address if `kind` says
/// device, and the reverse.
cudaError_t check_end(const void* address, std::size_t bytes, bool device_wanted, bool any,
                      const char* role, const void* site) {
  Allocation a;
  bool known = false;
  const Side side = side_of(address, a, known);
  if (!any && device_wanted && side == Side::host) {
    complain("host_pointer_in_copy",
             std::string("The copy's ") + role +
                 " is host memory, but the kind of copy says device: are the arguments in the "
                 "wrong order?",
             site);
    return cudaErrorInvalidValue;
  }
  if (!any && !device_wanted && side == Side::device) {
    complain(
        "device_pointer_in_copy",
        std::string("The copy's ") + role + " is device memory, but the kind of copy says host.",
        site, "warning");
  }
  if (side == Side::host) return cudaSuccess;
  if (device_range().contains(address)) {
    if (known && reinterpret_cast<std::uintptr_t>(address) + bytes <= a.address + a.bytes)
      return cudaSuccess;
    const char* kind_of_finding = nullptr;
    const auto* last = static_cast<const char*>(address) + (known ? bytes - 1 : 0);
    const std::string where = describe_address(last, kind_of_finding);
    complain(kind_of_finding,
             "A copy of " + std::to_string(bytes) + " bytes leaves its " + role + ": " + where,
             site);
    return cudaErrorInvalidValue;
  }
  return symbol_contains(address, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t check_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       const void* site) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  const bool any = kind == cudaMemcpyDefault;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const cudaError_t error = check_end(to, bytes, to_device, any, "destination", site);
  return error != cudaSuccess ? error : check_end(from, bytes, from_device, any, "source", site);
}

void copy_row(void* to, const void* from, std::size_t bytes, const void* site) {
  const HostTurn turn;
  const bool from_device = device_range().contains(from);
  const bool to_device = device_range().contains(to);
  const bool to_host = !to_device && find_symbol(to) == nullptr;
  if (check != nullptr && from_device) {
    const std::size_t unwritten = check->first_unwritten(from, bytes);
    if (unwritten < bytes && to_device) {
      std::memmove(to, from, bytes);
      check->written(to, unwritten);  // the rest stays unwritten like its source
      return;
    }
    if (unwritten < bytes && to_host) {
      check->unwritten_was_copied();
      report_unwritten_copy(from, unwritten, bytes, site);
    }
  }
  std::memmove(to, from, bytes);
  if (check != nullptr && to_device) check->written(to, bytes);
  if (check != nullptr && to_device && !from_device) check->came_from_host(to, bytes);
  if (check != nullptr && from_device && to_host) check->came_from_device(to, from, bytes);
}

}  // namespace

cudaError_t opgrade_emulation::copy_checked(void* to, const void* from, std::size_t bytes,
                                            cudaMemcpyKind kind, const void* site) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (bytes == 0) return finish(cudaSuccess);
  const cudaError_t error = check_copy(to, from, bytes, kind, site);
  if (error != cudaSuccess) return finish(error, site);
  copy_row(to, from, bytes, site);
  return finish(cudaSuccess);
}

namespace {

/// The addresses determine the devices; the numbers are only checked to exist.
cudaError_t copy_between(void* to, int to_device, const void* from, int from_device,
                         std::size_t bytes, const void* site) {
  for (const int device : {to_device, from_device})
    if (device < 0 || device >= device_count()) return finish(cudaErrorInvalidDevice, site);
  return copy_checked(to, from, bytes, cudaMemcpyDeviceToDevice, site);
}

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind,
                      const void* site) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (width == 0 || height == 0) return finish(cudaSuccess);
  if (width > to_pitch || width > from_pitch) return finish(cudaErrorInvalidPitchValue, site);
  const cudaError_t last =
      check_copy(static_cast<char*>(to) + (height - 1) * to_pitch,
                 static_cast<const char*>(from) + (height - 1) * from_pitch, width, kind, site);
  if (last != cudaSuccess) return finish(last, site);
  for (std::size_t row = 0; row < height; ++row) {
    char* t = static_cast<char*>(to) + row * to_pitch;
    const char* f = static_cast<const char*>(from) + row * from_pitch;
    const cudaError_t error = check_copy(t, f, width, kind, site);
    if (error != cudaSuccess) return finish(error, site);
    copy_row(t, f, width, site);
  }
  return finish(cudaSuccess);
}

cudaError_t set(void* to, int value, std::size_t bytes, const void* site) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (bytes == 0) return finish(cudaSuccess);
  const cudaError_t error = check_end(to, bytes, true, false, "destination", site);
  if (error != cudaSuccess) return finish(error, site);
  const HostTurn turn;
  std::memset(to, value, bytes);
  if (check != nullptr && device_range().contains(to)) check->written(to, bytes);
  return finish(cudaSuccess);
}

cudaError_t copy_box(const cudaMemcpy3DParms* p, const void* site) {
  if (p == nullptr || p->srcArray != nullptr || p->dstArray != nullptr)
    return finish(cudaErrorInvalidValue, site);
  for (std::size_t z = 0; z < p->extent.depth; ++z) {
    char* to = static_cast<char*>(p->dstPtr.ptr) +
               (p->dstPos.z + z) * p->dstPtr.pitch * p->dstPtr.ysize +
               p->dstPos.y * p->dstPtr.pitch + p->dstPos.x;
    const char* from = static_cast<const char*>(p->srcPtr.ptr) +
                       (p->srcPos.z + z) * p->srcPtr.pitch * p->srcPtr.ysize +
                       p->srcPos.y * p->srcPtr.pitch + p->srcPos.x;
    const cudaError_t error = copy_rows(to, p->dstPtr.pitch, from, p->srcPtr.pitch, p->extent.width,
                                        p->extent.height, p->kind, site);
    if (error != cudaSuccess) return error;
  }
  return finish(cudaSuccess);
}

/// Finishes what a copy in the default stream waits for. With several devices the copy may be
/// between two of them, and then it waits for both.
void finish_before(const Wait& call) {
  if (device_count() > 1) return finish_all(call);
  finish_stream(cudaStreamLegacy, call);
}

cudaError_t set_rows(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                     const void* site) {
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = set(static_cast<char*>(to) + row * pitch, value, width, site);
    if (error != cudaSuccess) return error;
  }
  return finish(cudaSuccess);
}

/// Bytes from the memory's begin to the end of the box.
std::size_t bytes_to_end(const cudaPitchedPtr& memory, const cudaPos& at, const cudaExtent& box) {
  return ((at.z + box.depth - 1) * memory.ysize + at.y + box.height - 1) * memory.pitch + at.x +
         box.width;
}

/// `rows` rows of `width` bytes each.
struct Rows {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch;
  std::size_t width, rows;
};

/// Mistakes in a copy are found when it is given to the stream; a wrong copy is not queued.
template <class Perform>
cudaError_t copy_in_stream(cudaStream_t stream, const Rows& rows, cudaMemcpyKind kind,
                           const Wait& call, Perform perform) {
  if (rows.width == 0 || rows.rows == 0 || sticky_error() != cudaSuccess) return perform();
  const std::size_t to_last = (rows.rows - 1) * rows.to_pitch;
  const std::size_t from_last = (rows.rows - 1) * rows.from_pitch;
  if (variation().late && check_copy(static_cast<char*>(rows.to) + to_last,
                                     static_cast<const char*>(rows.from) + from_last, rows.width,
                                     kind, call.site) != cudaSuccess)
    return perform();
  if (variation().late && device_count() > 1 && !is_handle(stream)) finish_all(call);
  return in_stream(stream, {.name = call.function,
                            .site = call.site,
                            .uses = {{rows.to, to_last + rows.width, true},
                                     {rows.from, from_last + rows.width, false}},
                            .perform = std::move(perform)});
}

template <class Perform>
cudaError_t set_in_stream(cudaStream_t stream, const UsedBytes& used, const Wait& call,
                          Perform perform) {
  if (used.bytes == 0 || sticky_error() != cudaSuccess) return perform();
  if (variation().late &&
      check_end(used.begin, used.bytes, true, false, "destination", call.site) != cudaSuccess)
    return perform();
  return in_stream(
      stream,
      {.name = call.function, .site = call.site, .uses = {used}, .perform = std::move(perform)});
}

std::mutex registered_mutex;
std::map<std::uintptr_t, std::size_t>& registered() {
  static auto* ranges = new std::map<std::uintptr_t, std::size_t>;
  return *ranges;
}

}  // namespace

namespace opgrade_emulation {
bool is_registered(const void* address) {
  const std::lock_guard lock(registered_mutex);
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const auto above = registered().upper_bound(a);
  if (above == registered().begin()) return false;
  const auto range = std::prev(above);
  return a < range->first + range->second;
}
}  // namespace opgrade_emulation

#define SITE __builtin_return_address(0)
#define CALL \
  Wait { __func__, SITE, false }

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  finish_before(CALL);
  return copy_checked(to, from, bytes, kind, SITE);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy_in_stream(stream, {to, 0, from, 0, bytes, 1}, kind, CALL,
                        [=, site = SITE] { return copy_checked(to, from, bytes, kind, site); });
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes) {
  finish_all(CALL);
  return copy_between(to, to_device, from, from_device, bytes, SITE);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  return copy_in_stream(
      stream, {to, 0, from, 0, bytes, 1}, cudaMemcpyDeviceToDevice, CALL,
      [=, site = SITE] { return copy_between(to, to_device, from, from_device, bytes, site); });
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  finish_before(CALL);
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, SITE);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_in_stream(
      stream, {to, to_pitch, from, from_pitch, width, height}, kind, CALL, [=, site = SITE] {
        return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, site);
      });
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  finish_before(CALL);
  return copy_box(p, SITE);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  if (p == nullptr || p->extent.depth == 0 || p->extent.height == 0) return copy_box(p, SITE);
  return in_stream(stream,
                   {.name = __func__,
                    .site = SITE,
                    .uses = {{p->dstPtr.ptr, bytes_to_end(p->dstPtr, p->dstPos, p->extent), true},
                             {p->srcPtr.ptr, bytes_to_end(p->srcPtr, p->srcPos, p->extent), false}},
                    .perform = [box = *p, site = SITE] { return copy_box(&box, site); }});
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  finish_before(CALL);
  return set(to, value, bytes, SITE);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return set_in_stream(stream, {to, bytes, true}, CALL,
                       [=, site = SITE] { return set(to, value, bytes, site); });
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  finish_before(CALL);
  return set_rows(to, pitch, value, width, height, SITE);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  const std::size_t bytes = height == 0 ? 0 : (height - 1) * pitch + width;
  return set_in_stream(stream, {to, bytes, true}, CALL, [=, site = SITE] {
    return set_rows(to, pitch, value, width, height, site);
  });
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  finish_before(CALL);
  for (std::size_t z = 0; z < extent.depth; ++z) {
    const cudaError_t error = set_rows(static_cast<char*>(to.ptr) + z * to.pitch * to.ysize,
                                       to.pitch, value, extent.width, extent.height, SITE);
    if (error != cudaSuccess) return error;
  }
  return finish(cudaSuccess);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (pointer == nullptr || bytes == 0) return finish(cudaErrorInvalidValue);
  if (is_registered(pointer)) return finish(cudaErrorHostMemoryAlreadyRegistered);
  const std::lock_guard lock(registered_mutex);
  registered()[reinterpret_cast<std::uintptr_t>(pointer)] = bytes;
  return finish(cudaSuccess);
}

cudaError_t cudaHostUnregister(void* pointer) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  finish_all(CALL);
  const std::lock_guard lock(registered_mutex);
  return finish(registered().erase(reinterpret_cast<std::uintptr_t>(pointer)) == 1
                    ? cudaSuccess
                    : cudaErrorHostMemoryNotRegistered);
}
