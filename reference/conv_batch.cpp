#include "reference/conv_batch.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "reference/conv_fast.hpp"
#include "reference/conv_kernels.hpp"

namespace opgrade {
namespace {

/// Writes finished images to y past the caches, a little after every block of the next image.
//
// A layer of few taps writes as much as a core can store. Stores that miss the caches wait until
// the line was read. So an image is computed into scratch that stays in the L2 cache. It
// goes out line by line without being read, while the next image keeps the arithmetic units busy.
template <class Acc>
class Outlet {
 public:
  explicit Outlet(const FastConv<Acc>& conv)
      : kernels_(conv_kernels::of<Acc>(conv.isa())),
        size_(conv.shape().y_image()),
        // A little more than an even share, rounded to lines, so that nothing is left at the end.
        share_((size_ / conv.blocks() / kLine + 2) * kLine),
        buffers_{std::vector<Acc>(static_cast<std::size_t>(size_)),
                 std::vector<Acc>(static_cast<std::size_t>(size_))} {}

  /// Where the next image is computed.
  Acc* fresh() { return buffers_[current_].data(); }

  /// Hands over what is in fresh(), to be written to y.
  void accept(Acc* y) {
    finish();
    from_ = fresh();
    to_ = y;
    left_ = size_;
    current_ ^= 1;
  }

  void step() {
    if (left_ > 0) write(std::min(share_, left_));
  }

  void finish() {
    if (left_ > 0) write(left_);
  }

  /// Call on the writing thread before another may read y.
  void close() {
    finish();
    kernels_.stream_end();
  }

 private:
  static constexpr std::ptrdiff_t kLine = 64 / sizeof(Acc);

  void write(std::ptrdiff_t n) {
    // All pieces but the last end on a line, so that no line is written in two pieces.
    const auto past =
        static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(to_ + n) % 64 / sizeof(Acc));
    if (n < left_ && past < n) n -= past;
    kernels_.stream(from_, n, to_);
    from_ += n;
    to_ += n;
    left_ -= n;
  }

  const conv_kernels::Kernels<Acc>& kernels_;
  std::ptrdiff_t size_, share_;
  std::vector<Acc> buffers_[2];
  int current_ = 0;
  const Acc* from_ = nullptr;
  Acc* to_ = nullptr;
  std::ptrdiff_t left_ = 0;
};

/// Asks for the next image's x, a little after every block of this one. An image is read by rows of
/// several channels at once: too many short streams for the processor to foresee.
class Ahead {
 public:
  Ahead(std::int64_t floats, std::int64_t blocks)
      : lines_((floats + kLine - 1) / kLine), share_((lines_ + blocks - 1) / blocks) {}

  void next(const float* x) {
    x_ = x;
    left_ = lines_;
  }

  void step() {
    for (std::int64_t i = std::min(share_, left_); i > 0; --i, --left_, x_ += kLine)
      __builtin_prefetch(x_, 0, 2);  // into L2: the L1 cache is in use
  }

 private:
  static constexpr std::int64_t kLine = 64 / sizeof(float);
  std::int64_t lines_, share_, left_ = 0;
  const float* x_ = nullptr;
};

/// Runs work() on `threads` threads, this one among them; the first exception is rethrown.
template <class Work>
void on_threads(int threads, const Work& work) {
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int i = 1; i < threads; ++i) helpers.emplace_back(guarded);
    guarded();
  }
  if (failure) std::rethrow_exception(failure);
}

/// Whole images, each by one thread.
template <class Acc>
void by_images(const FastConv<Acc>& conv, std::int64_t B, const float* x, Acc* y, int threads) {
  const ConvShape& shape = conv.shape();
  // The outlet needs two images in the L2 cache, and pays where y is larger than that cache.
  constexpr std::int64_t kOutletImage = 512 << 10, kOutletBatch = 2 << 20;
  const auto image_bytes = static_cast<std::int64_t>(sizeof(Acc)) * shape.y_image();
  const bool outlet_pays =
      image_bytes <= kOutletImage && image_bytes * B >= kOutletBatch && !conv.writes_in_streams();
  const typename FastConv<Acc>::Part whole{0, shape.H_out(), 0, conv.map_groups()};
  std::atomic<std::int64_t> next{0};
  on_threads(threads, [&] {
    std::optional<Outlet<Acc>> outlet;
    if (outlet_pays) outlet.emplace(conv);
    Ahead ahead(shape.x_image(), conv.blocks());
    const std::function<void()> step = [&] {
      if (outlet) outlet->step();
      ahead.step();
    };
    for (std::int64_t b = next++; b < B;) {
      const std::int64_t following = next++;
      if (following < B) ahead.next(x + following * shape.x_image());
      Acc* const to = y + b * shape.y_image();
      conv.part(x + b * shape.x_image(), outlet ? outlet->fresh() : to, whole, step);
      if (outlet) outlet->accept(to);
      b = following;
    }
    if (outlet) outlet->close();
  });
}

/// Few images: each is cut by rows, and by groups of maps where the rows do not suffice.
template <class Acc>
void by_parts(const FastConv<Acc>& conv, std::int64_t B, const float* x, Acc* y, int threads,
              std::int64_t pieces) {
  const ConvShape& shape = conv.shape();
  const std::int64_t row_parts = std::min<std::int64_t>(pieces, shape.H_out());
  const std::int64_t map_parts =
      std::min<std::int64_t>((pieces + row_parts - 1) / row_parts, conv.map_groups());
  const auto cut = [](std::int64_t whole, std::int64_t part, std::int64_t of) {
    return static_cast<int>(whole * part / of);
  };
  std::atomic<std::int64_t> next{0};
  on_threads(threads, [&] {
    for (std::int64_t i = next++; i < B * row_parts * map_parts; i = next++) {
      const std::int64_t map = i % map_parts, row = i / map_parts % row_parts;
      const std::int64_t b = i / map_parts / row_parts;
      conv.part(
          x + b * shape.x_image(), y + b * shape.y_image(),
          {cut(shape.H_out(), row, row_parts), cut(shape.H_out(), row + 1, row_parts),
           cut(conv.map_groups(), map, map_parts), cut(conv.map_groups(), map + 1, map_parts)});
    }
  });
}

template <class Acc>
void whole_batch(const ConvShape& shape, const float* x, const float* k, Acc* y, int threads) {
  const FastConv<Acc> conv(shape, k);
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  // Four pieces per thread keep the threads' ends together.
  const std::int64_t pieces = (std::int64_t{4} * threads + shape.B - 1) / shape.B;
  if (threads == 1 || pieces == 1) {
    by_images(conv, shape.B, x, y, static_cast<int>(std::min<std::int64_t>(threads, shape.B)));
  } else {
    by_parts(conv, shape.B, x, y, threads, pieces);
  }
}

}  // namespace

void conv_fast(const ConvShape& shape, const float* x, const float* k, float* y, int threads) {
  whole_batch(shape, x, k, y, threads);
}

void conv_fast(const ConvShape& shape, const float* x, const float* k, double* y, int threads) {
  whole_batch(shape, x, k, y, threads);
}

}  // namespace opgrade
