/// Reads the networks and weights of the MXNet terms, 2017fa to 2019fa.
#pragma once

#include <filesystem>
#include <string>

#include "grader/task/conv/data/weights.hpp"
#include "grader/task/conv/network/network.hpp"

namespace opgrade {

struct ImportedNetwork {
  Network network;
  Weights weights;  ///< fit the network
};

/// Reads `<model>-symbol.json` and `<model>-<epoch>.params` and calls the network `name`, its
/// convolutions conv1, conv2, ... and its fully connected layers fc1, fc2, ... in their order.
///
/// The graph must be one chain without padding, dilation or groups. Its nodes are New (the course's
/// own convolution) or Convolution without bias, Activation (tanh, relu), max Pooling, Flatten,
/// FullyConnected with bias, SoftmaxOutput. The files lack the image size: `side` gives it. 0 means
/// the smallest square image that gives the first fully connected layer as many inputs as it has
/// weights.
///
/// Throws Error naming the file: missing, damaged, a layer of another kind, weights that do not
/// fit.
ImportedNetwork import_mxnet(const std::filesystem::path& symbol_path,
                             const std::filesystem::path& params_path, const std::string& name,
                             int side = 0);

}  // namespace opgrade
