/// Reads networks from YAML files, strictly.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "grader/task/conv/network/network.hpp"

namespace opgrade {

/// A network file:
///
///   network: fmnist-86
///   input: {channels: 1, height: 86, width: 86}
///   layers:
///     - conv: {name: conv1, maps: 4, kernel: 7, stride: 1}   # stride may be left out
///     - relu                                                 # or tanh
///     - maxpool: {window: 2, stride: 2, edge: floor}         # or ceil
///     - flatten
///     - fc: {name: fc1, outputs: 32}
///     - softmax
///
/// Names start with a letter and continue with letters, digits, '-', '_' and '.'; layer names are
/// unique. Throws Error with a line "file:line:column: ..." for each unknown or duplicate key,
/// missing value, wrong type, or number out of range; else for the first layer that does not fit
/// the one before it.
Network load_network(const std::filesystem::path& path);

/// Reads a network from text; `file` is its name in errors.
Network parse_network(std::string_view text, const std::string& file);

/// The YAML text of a network that was imported; parse_network() gives the network again.
std::string network_yaml(const Network& network);

}  // namespace opgrade
