#include <fmt/format.h>

#include <filesystem>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/cli/commands.hpp"
#include "grader/task/conv/data/dataset.hpp"
#include "grader/task/conv/data/import_minidnn.hpp"
#include "grader/task/conv/data/weights.hpp"
#include "grader/task/conv/network/import_mxnet.hpp"
#include "grader/task/conv/network/load_network.hpp"

// The verbs for the data of the convolution.
namespace opgrade::cli {
namespace {

void report(const std::string& file, const Weights& weights) {
  fmt::print("{}: weights of {} with {} layers, sha256 {}\n", file, weights.network,
             weights.layers.size(), weights_sha256(weights));
}

}  // namespace

void add_data(arguments::Parser& app, int&) {
  auto* verb = app.add_subcommand(
      "data", "Prepare a data set: resize Fashion-MNIST's images into an HDF5 file");
  struct Own {
    int size = 86;
    std::string images, labels, out;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("--size", own->size, "Height and width in pixels")
      ->check(arguments::range(1, 512))
      ->capture_default_str();
  auto* images = verb->add_option("--images", own->images, "An idx file of images, gzipped or not")
                     ->check(arguments::existing_file());
  auto* labels = verb->add_option("--labels", own->labels, "The idx file of their labels")
                     ->check(arguments::existing_file());
  images->needs(labels);
  labels->needs(images);
  verb->add_option("--out,-o", own->out,
                   "The file to write; default fmnist-<size>.h5 in the data folder");
  verb->callback([=] {
    const std::filesystem::path out =
        own->out.empty() ? resources::data_folder() / fmt::format("fmnist-{}.h5", own->size)
                         : std::filesystem::path(own->out);
    const DataSource source =
        own->images.empty() ? default_data_source() : DataSource{own->images, own->labels, {}, {}};
    if (out.has_parent_path()) resources::make_data_folder(out.parent_path());
    const DataSetSpec spec = build_dataset(source, own->size, own->size, out);
    fmt::print("{}: {} images of {}x{} from {}\n", out.string(), spec.images, spec.height,
               spec.width, spec.images_source);
  });
}

void add_import(arguments::Parser& app, int&) {
  auto* verb = app.add_subcommand(
      "import",
      "Convert the course's weights (weights-86.bin, or MXNet's .params) to opgrade's format");
  struct Own {
    std::string file, network = "fmnist-86", out, symbol, network_out;
    int side = 0;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("file", own->file, "The weights file")
      ->required()
      ->check(arguments::existing_file());
  verb->add_option("--network", own->network,
                   "The network of these weights: a name, or a YAML file")
      ->capture_default_str();
  verb->add_option("--out,-o", own->out, "The HDF5 file to write")->required();
  auto* symbol =
      verb->add_option("--symbol", own->symbol, "MXNet: the -symbol.json beside the .params file");
  verb->add_option("--side", own->side,
                   "MXNet: height and width of the images; 0: the smallest that fits")
      ->needs(symbol)
      ->check(arguments::range(0, 4096))
      ->capture_default_str();
  verb->add_option("--network-out", own->network_out, "MXNet: write the network's YAML file too")
      ->needs(symbol);
  verb->callback([=] {
    if (!own->symbol.empty()) {
      const ImportedNetwork imported =
          as_usage([&] { return import_mxnet(own->symbol, own->file, own->network, own->side); });
      save_weights(imported.weights, own->out);
      report(own->out, imported.weights);
      if (!own->network_out.empty()) write_file(own->network_out, network_yaml(imported.network));
      return;
    }
    const bool named = own->network.find('/') == std::string::npos;
    const auto file = named ? resources::share_folder() / "networks" / (own->network + ".yaml")
                            : std::filesystem::path(own->network);
    const Weights weights = as_usage([&] {
      const Network network = load_network(file);
      return import_minidnn(own->file, network.name, weight_layout(network));
    });
    save_weights(weights, own->out);
    report(own->out, weights);
  });
}

}  // namespace opgrade::cli
