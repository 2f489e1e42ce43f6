#include <fmt/format.h>

#include "grader/cli/commands.hpp"
#include "grader/core/resources.hpp"
#include "grader/data/import_minidnn.hpp"
#include "grader/data/weights.hpp"
#include "grader/network/load_network.hpp"

namespace opgrade::cli {

void add_import(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand(
      "import", "Turn the course's own weights file (weights-86.bin) into opgrade's format");
  struct Own {
    std::string file, network = "fmnist-86", out;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("file", own->file, "The weights file")->required();
  verb->add_option("--network", own->network, "The network it is for: a name, or a YAML file")
      ->capture_default_str();
  verb->add_option("--out,-o", own->out, "The HDF5 file to write")->required();
  verb->callback([=, &exit_code] {
    const bool named = own->network.find('/') == std::string::npos;
    const Network network =
        load_network(named ? resources::share_folder() / "networks" / (own->network + ".yaml")
                           : std::filesystem::path(own->network));
    const Weights weights = import_minidnn(own->file, network.name, weight_layout(network));
    save_weights(weights, own->out);
    fmt::print("{}: weights of {} with {} layers, sha256 {}\n", own->out, weights.network,
               weights.layers.size(), weights_sha256(weights));
    exit_code = kPassed;
  });
}

}  // namespace opgrade::cli
