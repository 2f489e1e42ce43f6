#include "grader/task/conv/network_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/parallel.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/task/conv/conv_problem.hpp"
#include "grader/task/conv/network/forward.hpp"
#include "grader/task/conv/network/load_network.hpp"
#include "grader/task/conv/network/network.hpp"
#include "grader/task/conv/random_shapes.hpp"
#include "grader/task/interface/model.hpp"
#include "reference/conv_fast.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The layers between a network's convolutions, for one batch.
class NetworkPass final : public ModelPass {
 public:
  /// `model` must outlive the pass. Throws Error if the model cannot run the batch.
  NetworkPass(const NetworkModel& model, int batch, int threads)
      : model_(model), batch_(batch), threads_(threads), convs_(conv_layers(model.network, batch)) {
    if (const auto complaint = model.complaint(batch); !complaint.empty())
      throw Error(complaint, "lower the batch in the config");
    if (convs_.empty() || convs_.front().index != 0) {
      throw Error(fmt::format("network {} does not start with a convolution", model.network.name),
                  "put the first conv at the top of its layer list");
    }
  }

  void fill(std::size_t i, const Values& values) override {
    if (i == 0) model_.data->read_pixels(0, batch_, values[1].as<float>(), threads_);
    const auto& k = model_.weights.find(convs_[i].name)->weights.values;
    std::ranges::copy(k, values[2].as<float>().begin());
  }

  void forward(std::size_t i, std::span<const float> output, std::span<float> next) override {
    const Network& network = model_.network;
    const bool last = i + 1 == convs_.size();
    const int until = last ? network.logits_end() : convs_[i + 1].index;
    if (last) {
      logits_.resize(static_cast<std::size_t>(
          batch_ * network.shapes[static_cast<std::size_t>(until)].size()));
      next = logits_;
    }
    forward_layers(network, model_.weights, convs_[i].index + 1, until, batch_, output, next,
                   threads_);
  }

  std::int64_t right() const override {
    return count_correct(logits_, model_.data->read_labels(0, batch_));
  }

 private:
  const NetworkModel& model_;
  const int batch_;
  const int threads_;
  const std::vector<ConvLayer> convs_;
  std::vector<float> logits_;
};

std::vector<NamedProblem> problems_of(const std::vector<ConvLayer>& convs) {
  std::vector<NamedProblem> problems;
  for (const auto& conv : convs)
    problems.push_back({conv.name, std::make_unique<ConvProblem>(conv.shape)});
  return problems;
}

}  // namespace

std::string NetworkModel::complaint(int batch) const {
  if (batch <= data->images()) return {};
  return fmt::format("batch {} is larger than the data set {} with {} images", batch,
                     data->path().string(), data->images());
}

std::vector<NamedProblem> NetworkModel::problems(int batch) const {
  return problems_of(conv_layers(network, batch));
}

std::vector<NamedProblem> NetworkModel::random_batches(int count, double flops,
                                                       std::mt19937_64& random) const {
  return problems_of(opgrade::random_batches(conv_layers(network, 1), count, flops, random));
}

std::vector<bool> NetworkModel::right_images(int images, int threads) const {
  constexpr int kPart = 250;  // images at a time, to need little memory
  if (const auto why = complaint(images); !why.empty())
    throw Error(why, "lower the batch in the config");
  const auto convs = conv_layers(network, 1);
  std::vector<FastConv<float>> run;
  for (const auto& conv : convs)
    run.emplace_back(conv.shape, weights.find(conv.name)->weights.values.data());
  const auto labels = data->read_labels(0, images);
  std::vector<bool> right;
  for (int first = 0; first < images; first += kPart) {
    const int part = std::min(kPart, images - first);
    std::vector<float> x(static_cast<std::size_t>(part * data->image_size()));
    data->read_pixels(first, part, x, threads);
    int layer = 0;
    const auto forward_to = [&](int next) {
      std::vector<float> y(
          static_cast<std::size_t>(part * network.shapes[static_cast<std::size_t>(next)].size()));
      forward_layers(network, weights, layer, next, part, x, y, threads);
      x = std::move(y);
      layer = next;
    };
    for (std::size_t i = 0; i < convs.size(); ++i) {
      if (layer < convs[i].index) forward_to(convs[i].index);
      const ConvShape& shape = convs[i].shape;
      std::vector<float> y(static_cast<std::size_t>(part * shape.y_image()));
      parallel_for(part, threads, [&](int b) {
        run[i].image(x.data() + b * shape.x_image(), y.data() + b * shape.y_image());
      });
      x = std::move(y);
      layer = convs[i].index + 1;
    }
    forward_to(network.logits_end());
    const auto found = predictions(x, static_cast<int>(x.size()) / part);
    for (int b = 0; b < part; ++b)
      right.push_back(found[static_cast<std::size_t>(b)] ==
                      int{labels[static_cast<std::size_t>(first + b)]});
  }
  return right;
}

std::unique_ptr<ModelPass> NetworkModel::pass(int batch, int threads) const {
  return std::make_unique<NetworkPass>(*this, batch, threads);
}

NetworkModels::NetworkModels(fs::path data_folder, Listener listen)
    : data_folder_(std::move(data_folder)), listen_(std::move(listen)) {}

std::shared_ptr<const DataSet> NetworkModels::data_set(const Shape& input) {
  const std::string name = input.height == input.width
                               ? fmt::format("fmnist-{}.h5", input.height)
                               : fmt::format("fmnist-{}x{}.h5", input.height, input.width);
  auto& slot = data_[name];
  if (!slot) {
    const fs::path file = data_folder_ / name;
    if (!fs::exists(file)) {
      listen_(events::DataSetPrepared{file.string()});
      resources::make_data_folder(data_folder_);
      build_dataset(default_data_source(), input.height, input.width, file);
    }
    slot = std::make_shared<const DataSet>(DataSet::open(file));
  }
  return slot;
}

const NetworkModel& NetworkModels::get(const ModelName& name) {
  const std::scoped_lock lock(guard_);
  const auto key = name.network + '\n' + name.weights;
  if (const auto found = models_.find(key); found != models_.end()) return found->second;

  auto [network, weights] = as_usage([&] {
    Network of_config = load_network(name.network_file());
    if (of_config.input().channels != 1) {
      throw Error(fmt::format("network {} wants {} channels, but the images have one",
                              of_config.name, of_config.input().channels),
                  "use a network for grey images");
    }
    Weights its = load_weights_for(of_config, name.weights_file());
    return std::pair{std::move(of_config), std::move(its)};
  });
  auto data = data_set(network.input());
  return models_.try_emplace(key, std::move(network), std::move(weights), std::move(data))
      .first->second;
}

}  // namespace opgrade
