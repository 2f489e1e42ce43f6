#include "grader/baseline/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grader/core/error.hpp"
#include "grader/tasks/conv/network/accuracy.hpp"
#include "grader/tasks/conv/network/forward.hpp"

namespace opgrade {
namespace {

/// "relu1 maxpool1": the layers between two convolutions.
std::string names_of(const Network& network, int first, int last) {
  std::string names;
  for (int i = first; i < last; ++i) {
    if (!names.empty()) names += ' ';
    names += network.layers[static_cast<std::size_t>(i)].name;
  }
  return names;
}

std::size_t values(const Network& network, int layer, int images) {
  return static_cast<std::size_t>(network.shapes[static_cast<std::size_t>(layer)].size()) *
         static_cast<std::size_t>(images);
}

}  // namespace

BaselineResult run_baseline(const NetworkModel& model, ConvLibrary& library, int images,
                            int threads, Stopwatch& stopwatch) {
  const Network& network = model.network;
  if (!(images > 0 && images <= model.data->images()))
    throw Error(fmt::format("{} images wanted, {} are there", images, model.data->images()),
                "give --batch a number from 1 to that");
  BaselineResult result;
  result.images = images;
  for (const ConvLayer& conv : conv_layers(network, images))
    result.layers.push_back({conv.name, conv.shape, {}});

  for (int from = 0; from < images;) {
    const int many = std::min(images - from, library.images_at_once());
    std::vector<float> now(values(network, 0, many));
    stopwatch.timed("reading images", [&] { model.data->read_pixels(from, many, now, threads); });

    const std::vector<ConvLayer> convs = conv_layers(network, many);
    int at = 0;
    const auto forward_to = [&](int layer) {
      if (at == layer) return;
      std::vector<float> next(values(network, layer, many));
      stopwatch.timed(names_of(network, at, layer), [&] {
        forward_layers(network, model.weights, at, layer, many, now, next, threads);
      });
      now = std::move(next);
      at = layer;
    };
    for (std::size_t i = 0; i < convs.size(); ++i) {
      const ConvLayer& conv = convs[i];
      forward_to(conv.index);
      std::vector<float> y(values(network, conv.index + 1, many));
      const auto& k = model.weights.find(conv.name)->weights.values;
      const ConvTimes ms =
          library.convolve(conv.name, conv.shape, now.data(), k.data(), y.data(), stopwatch);
      result.layers[i].ms.op += ms.op;
      result.layers[i].ms.layer += ms.layer;
      result.layers[i].ms.how = ms.how;
      now = std::move(y);
      at = conv.index + 1;
    }
    forward_to(network.logits_end());
    result.correct += count_correct(now, model.data->read_labels(from, many));
    from += many;
  }
  return result;
}

}  // namespace opgrade
