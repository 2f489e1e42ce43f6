#include <fmt/format.h>

#include <filesystem>

#include "grader/cli/commands.hpp"
#include "grader/core/resources.hpp"
#include "grader/tasks/conv/data/dataset.hpp"

namespace opgrade::cli {

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

}  // namespace opgrade::cli
