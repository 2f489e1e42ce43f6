#include "grader/task/conv/network/forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/parallel.hpp"
#include "grader/task/conv/network/fully_connected.hpp"
#include "grader/task/conv/network/tanh.hpp"

namespace opgrade {
namespace {

/// A map of H,W pooled to H_out,W_out by windows of `window` at every `stride`; windows that reach
/// beyond the map are cut at its edge.
struct PoolShape {
  int H = 0, W = 0, window = 0, stride = 0, H_out = 0, W_out = 0;
};

// Written with vectors, because the compiler turns the scalar comparison into a branch. On a
// convolution's output that branch is random and makes the loop six times as slow.
constexpr int kLanes = 4;
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

inline float larger(float a, float b) { return a > b ? a : b; }
inline Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }

inline Lanes load(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

inline void store(float* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }

// Folds the rows of a window into one row first, because that reads memory in order.
void fold_rows(const float* in, int W, int rows, float* row) {
  int w = 0;
  for (; w + kLanes <= W; w += kLanes) {
    Lanes best = load(in + w);
    for (int r = 1; r < rows; ++r) best = larger(best, load(in + r * W + w));
    store(row + w, best);
  }
  for (; w < W; ++w) {
    float best = in[w];
    for (int r = 1; r < rows; ++r) best = larger(best, in[r * W + w]);
    row[w] = best;
  }
}

// Folds pairs of neighbours: the pooling of the first layer in every term. Returns the number of
// pairs that it folded.
int fold_pairs(const float* row, int count, float* out) {
  int w = 0;
  for (; w + kLanes <= count; w += kLanes) {
    const Lanes a = load(row + 2 * w), b = load(row + 2 * w + kLanes);
    store(out + w, larger(__builtin_shufflevector(a, b, 0, 2, 4, 6),
                          __builtin_shufflevector(a, b, 1, 3, 5, 7)));
  }
  return w;
}

void fold_windows(const float* row, const PoolShape& shape, int from, float* out) {
  for (int w = from; w < shape.W_out; ++w) {
    const int left = w * shape.stride;
    const int right = std::min(left + shape.window, shape.W);
    float best = row[left];
    for (int i = left + 1; i < right; ++i) best = larger(best, row[i]);
    out[w] = best;
  }
}

/// `in` is H,W and `out` is H_out,W_out, row-major. `row` is working space for W floats. A NaN
/// loses every comparison.
void maxpool_map(const PoolShape& shape, const float* in, float* out, std::span<float> row) {
  const int whole = (shape.W - shape.window) / shape.stride + 1;
  const bool in_pairs = shape.window == 2 && shape.stride == 2;
  for (int h = 0; h < shape.H_out; ++h) {
    const int top = h * shape.stride;
    const int rows = std::min(shape.window, shape.H - top);
    fold_rows(in + top * shape.W, shape.W, rows, row.data());
    const int done = in_pairs ? fold_pairs(row.data(), whole, out) : 0;
    fold_windows(row.data(), shape, done, out);
    out += shape.W_out;
  }
}

// Number of images that one thread takes at a time. The weights of a fully connected layer are then
// read rarely, and the values between layers stay in the cache.
constexpr int kBlockImages = 32;

/// One pass over the values: a layer, or an activation together with the pooling after it.
struct Step {
  const NetworkLayer* layer = nullptr;       ///< nullptr: only `activation` is applied
  const NetworkLayer* activation = nullptr;  ///< applied to the output of `layer`
  Shape in, out;
};

bool is_activation(const NetworkLayer& layer) {
  return layer.kind == LayerKind::relu || layer.kind == LayerKind::tanh;
}

// ReLU and tanh never decrease, so the maximum may be taken first. The activation is then a quarter
// of the work, and a large map is read once instead of twice.
std::vector<Step> plan(const Network& network, int first_layer, int last_layer) {
  std::vector<Step> steps;
  for (int i = first_layer; i < last_layer; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const NetworkLayer& layer = network.layers[at];
    if (layer.kind == LayerKind::conv) {
      throw Error(fmt::format("layer {} of network {} is a convolution", layer.name, network.name));
    }
    if (layer.kind == LayerKind::flatten) continue;  // the same values in the same order
    Step step{&layer, nullptr, network.shapes[at], network.shapes[at + 1]};
    if (is_activation(layer)) {
      step.layer = nullptr;
      step.activation = &layer;
      if (i + 1 < last_layer && network.layers[at + 1].kind == LayerKind::maxpool) {
        step.layer = &network.layers[at + 1];
        step.out = network.shapes[at + 2];
        ++i;
      }
    }
    steps.push_back(step);
  }
  return steps;
}

void activate(const NetworkLayer& layer, const float* in, float* out, std::int64_t count) {
  if (layer.kind == LayerKind::relu) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = in[i] > 0.0F ? in[i] : 0.0F;
  } else {
    tanh_values(in, out, count);
  }
}

void pool(const Step& step, int images, const float* in, float* out) {
  const NetworkLayer& layer = *step.layer;
  const PoolShape shape{step.in.height, step.in.width,   layer.window,
                        layer.stride,   step.out.height, step.out.width};
  std::vector<float> row(static_cast<std::size_t>(shape.W));
  const std::int64_t map_in = std::int64_t{shape.H} * shape.W;
  const std::int64_t map_out = std::int64_t{shape.H_out} * shape.W_out;
  const std::int64_t maps = std::int64_t{images} * step.in.channels;
  for (std::int64_t map = 0; map < maps; ++map) {
    float* to = out + map * map_out;
    maxpool_map(shape, in + map * map_in, to, row);
    if (step.activation != nullptr) activate(*step.activation, to, to, map_out);
  }
}

void softmax(const float* in, float* out, int images, std::int64_t classes) {
  for (int b = 0; b < images; ++b, in += classes, out += classes) {
    const float largest = *std::max_element(in, in + classes);
    double sum = 0;
    for (std::int64_t i = 0; i < classes; ++i) {
      out[i] = std::exp(in[i] - largest);
      sum += static_cast<double>(out[i]);
    }
    for (std::int64_t i = 0; i < classes; ++i) out[i] /= static_cast<float>(sum);
  }
}

void run_step(const Step& step, const Weights& weights, int images, const float* in, float* out) {
  if (step.layer == nullptr) return activate(*step.activation, in, out, images * step.in.size());
  switch (step.layer->kind) {
    case LayerKind::maxpool:
      return pool(step, images, in, out);
    case LayerKind::softmax:
      return softmax(in, out, images, step.in.size());
    case LayerKind::fc: {
      const LayerWeights& layer = *weights.find(step.layer->name);
      return fully_connected(in, images, step.in.size(), layer.weights.values.data(),
                             layer.bias->values.data(), step.layer->outputs, out);
    }
    default:
      return;  // plan() makes no other steps
  }
}

// Runs all steps on one block. Values alternate between two buffers on their way from `in` to
// `out`.
void run_block(const std::vector<Step>& steps, const Weights& weights, int images, const float* in,
               float* out) {
  std::int64_t widest = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    widest = std::max(widest, images * steps[i].out.size());
  }
  std::vector<float> buffers[2];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::vector<float>& buffer = buffers[i % 2];
    const bool last = i + 1 == steps.size();
    if (!last) buffer.resize(static_cast<std::size_t>(widest));
    float* to = last ? out : buffer.data();
    run_step(steps[i], weights, images, in, to);
    in = to;
  }
}

void expect_size(std::size_t got, std::int64_t wanted, const char* which) {
  if (got == static_cast<std::size_t>(wanted)) return;
  throw Error(fmt::format("{} of these layers has {} values, not {}", which, wanted, got));
}

bool has_nan(std::span<const float> row) {
  return std::any_of(row.begin(), row.end(), [](float value) { return std::isnan(value); });
}

}  // namespace

void forward_layers(const Network& network, const Weights& weights, int first_layer, int last_layer,
                    int images, std::span<const float> in, std::span<float> out, int threads) {
  const int count = static_cast<int>(network.layers.size());
  if (!(0 <= first_layer && first_layer <= last_layer && last_layer <= count && images >= 0)) {
    throw Error(
        fmt::format("network {} has no layers {} to {}", network.name, first_layer, last_layer));
  }
  const std::int64_t size_in = network.shapes[static_cast<std::size_t>(first_layer)].size();
  const std::int64_t size_out = network.shapes[static_cast<std::size_t>(last_layer)].size();
  expect_size(in.size(), images * size_in, "the input");
  expect_size(out.size(), images * size_out, "the output");

  const std::vector<Step> steps = plan(network, first_layer, last_layer);
  if (steps.empty()) {
    std::copy(in.begin(), in.end(), out.begin());
    return;
  }
  if (threads <= 0) {
    threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }
  parallel_for_pieces(images, kBlockImages, threads, [&](int from, int many) {
    run_block(steps, weights, many, in.data() + from * size_in, out.data() + from * size_out);
  });
}

std::vector<int> predictions(std::span<const float> logits, int classes) {
  if (classes < 1 || logits.size() % static_cast<std::size_t>(classes) != 0) {
    throw Error(fmt::format("{} logits cannot be of {} classes", logits.size(), classes));
  }
  std::vector<int> result(logits.size() / static_cast<std::size_t>(classes));
  for (std::size_t b = 0; b < result.size(); ++b) {
    const auto row = logits.subspan(b * static_cast<std::size_t>(classes), std::size_t(classes));
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    result[b] = has_nan(row) ? -1 : static_cast<int>(best);
  }
  return result;
}

std::int64_t count_correct(std::span<const float> logits, std::span<const std::uint8_t> labels) {
  if (labels.empty() || logits.size() % labels.size() != 0) {
    throw Error(fmt::format("{} logits do not belong to {} labels", logits.size(), labels.size()));
  }
  const std::vector<int> classes =
      predictions(logits, static_cast<int>(logits.size() / labels.size()));
  std::int64_t correct = 0;
  for (std::size_t b = 0; b < labels.size(); ++b) correct += classes[b] == int{labels[b]} ? 1 : 0;
  return correct;
}

}  // namespace opgrade
