#include "grader/task/conv/data/dataset.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <thread>

#include "grader/base/core/parallel.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/base/files/partial_file.hpp"
#include "grader/task/conv/data/h5.hpp"
#include "grader/task/conv/data/idx.hpp"
#include "grader/task/conv/data/resize.hpp"

namespace opgrade {
namespace {

constexpr const char* kFormat = "opgrade data set";
constexpr std::int64_t kFormatVersion = 1;
constexpr const char* kHint = "write it again with `opgrade data`";

// With 100 images the smallest usual batch is one chunk, and 10,000 images are enough chunks for
// several processors to inflate.
constexpr int kChunkImages = 100;
constexpr int kDeflateLevel = 6;
constexpr int kMaxImages = 1 << 20;
constexpr int kMaxSide = 1024;

int threads_or_all(int threads) {
  return threads > 0 ? threads
                     : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::string checked_sum(const std::filesystem::path& path, const std::string& expected) {
  std::string sum = sha256_of_file(path);
  if (!expected.empty() && sum != expected) {
    throw Error(fmt::format("{} has SHA-256 {}, expected {}", path.string(), sum, expected),
                "it is damaged or another version: reinstall the package "
                "dataset-fashion-mnist, or name the idx files explicitly to use them as they are");
  }
  return sum;
}

// One chunk of resized images, deflated. A last chunk with fewer images is padded with zeros,
// because HDF5 stores whole chunks.
std::vector<Bytef> deflated_chunk(const IdxImages& source, int first, int chunk_images, int height,
                                  int width) {
  const std::size_t size_in = std::size_t(source.height) * std::size_t(source.width);
  const std::size_t size_out = std::size_t(height) * std::size_t(width);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(chunk_images) * size_out, 0);
  const int count = std::min(chunk_images, source.count - first);
  for (int i = 0; i < count; ++i) {
    const auto from = static_cast<std::size_t>(first + i) * size_in;
    resize_image(std::span(source.pixels).subspan(from, size_in), source.height, source.width,
                 std::span(pixels).subspan(static_cast<std::size_t>(i) * size_out, size_out),
                 height, width);
  }
  uLongf length = compressBound(pixels.size());
  std::vector<Bytef> deflated(length);
  if (compress2(deflated.data(), &length, pixels.data(), pixels.size(), kDeflateLevel) != Z_OK) {
    throw Error("zlib cannot compress a chunk of images", "check the free memory");
  }
  deflated.resize(length);
  return deflated;
}

void write_images(const H5File& file, const IdxImages& source, int height, int width) {
  const int chunk_images = std::min(kChunkImages, source.count);
  const std::array<hsize_t, 3> sizes{hsize_t(source.count), hsize_t(height), hsize_t(width)};
  const std::array<hsize_t, 3> chunk{hsize_t(chunk_images), hsize_t(height), hsize_t(width)};
  const H5Handle space(H5Screate_simple(3, sizes.data(), nullptr), H5Sclose);
  const H5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties.get(), 3, chunk.data());
  H5Pset_deflate(properties.get(), kDeflateLevel);
  H5Pset_obj_track_times(properties.get(), false);
  const H5Handle dataset(H5Dcreate2(file.id(), "/images", H5T_STD_U8LE, space.get(), H5P_DEFAULT,
                                    properties.get(), H5P_DEFAULT),
                         H5Dclose);
  if (!dataset) file.fail_in_library("/images cannot be written");

  // Chunks are resized and deflated in parallel, then written in order, so that a source gives the
  // same bytes on any number of processors.
  const int chunks = (source.count + chunk_images - 1) / chunk_images;
  const int threads = threads_or_all(0);
  const int round = 4 * threads;
  for (int start = 0; start < chunks; start += round) {
    const int count = std::min(round, chunks - start);
    std::vector<std::vector<Bytef>> deflated(static_cast<std::size_t>(count));
    parallel_for(count, threads, [&](int i) {
      deflated[static_cast<std::size_t>(i)] =
          deflated_chunk(source, (start + i) * chunk_images, chunk_images, height, width);
    });
    for (int i = 0; i < count; ++i) {
      const auto& bytes = deflated[static_cast<std::size_t>(i)];
      const std::array<hsize_t, 3> offset{hsize_t(start + i) * hsize_t(chunk_images), 0, 0};
      if (H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, offset.data(), bytes.size(), bytes.data()) <
          0) {
        file.fail_in_library("/images cannot be written");
      }
    }
  }
}

std::string text_or_fail(const H5File& file, const std::string& name) {
  auto text = file.text_attribute("/", name);
  if (!text) file.fail(fmt::format("not a data set of opgrade: it has no attribute {}", name));
  return *std::move(text);
}

}  // namespace

DataSource default_data_source() {
  const auto own = resources::program_folder() / "../share/opgrade/images";
  const std::filesystem::path folder = std::filesystem::is_directory(own)
                                           ? std::filesystem::canonical(own)
                                           : "/usr/share/datasets/fashion-mnist";
  return {folder / "t10k-images-idx3-ubyte.gz", folder / "t10k-labels-idx1-ubyte.gz",
          "cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa",
          "8d3605d196f4be44669e46906da9733c8131fef761fdbfec72c424d5222f1a05"};
}

DataSetSpec build_dataset(const DataSource& source, int height, int width,
                          const std::filesystem::path& out_path) {
  const auto side_ok = [](int n) { return n >= 1 && n <= kMaxSide; };
  if (!(side_ok(height) && side_ok(width))) {
    throw Error(fmt::format("a data set of {}x{} pixels cannot be built", height, width),
                fmt::format("sides of 1 to {} are accepted", kMaxSide));
  }
  DataSetSpec spec;
  spec.images_sha256 = checked_sum(source.images, source.images_sha256);
  spec.labels_sha256 = checked_sum(source.labels, source.labels_sha256);
  const IdxImages images = read_idx_images(source.images);
  const std::vector<std::uint8_t> labels = read_idx_labels(source.labels);
  if (labels.size() != static_cast<std::size_t>(images.count)) {
    throw Error(fmt::format("{} holds {} images but {} holds {} labels", source.images.string(),
                            images.count, source.labels.string(), labels.size()),
                "name two files that belong together");
  }
  spec.images = images.count;
  spec.height = height;
  spec.width = width;
  spec.recipe = kResizeRecipe;
  spec.images_source = source.images.filename().string();
  spec.labels_source = source.labels.filename().string();

  PartialFile partial(out_path);
  {
    const H5Session session;
    H5File file = H5File::create(partial.path());
    file.write_attribute("format", kFormat);
    file.write_attribute("format_version", kFormatVersion);
    file.write_attribute("recipe", spec.recipe);
    file.write_attribute("images_source", spec.images_source);
    file.write_attribute("labels_source", spec.labels_source);
    file.write_attribute("images_sha256", spec.images_sha256);
    file.write_attribute("labels_sha256", spec.labels_sha256);
    const std::array<std::int64_t, 1> label_shape{images.count};
    file.write("/labels", H5T_STD_U8LE, label_shape, labels.data());
    write_images(file, images, height, width);
    file.close();
  }
  partial.commit();
  return spec;
}

struct DataSet::State {
  explicit State(H5File opened) : file(std::move(opened)) {}
  ~State() {
    const H5Session session;
    images = {};
    file.reset();
  }

  std::vector<Bytef> raw_chunk(int chunk, std::uint32_t& skipped_filters) const {
    const H5Session session;
    const std::array<hsize_t, 3> offset{hsize_t(chunk) * hsize_t(chunk_images), 0, 0};
    hsize_t length = 0;
    if (H5Dget_chunk_storage_size(images.get(), offset.data(), &length) < 0) {
      file->fail_in_library(fmt::format("chunk {} of /images cannot be found", chunk));
    }
    // Deflate adds a few bytes to data that it cannot compress; anything longer is not a chunk that
    // opgrade wrote.
    if (!(length >= 1 && length <= compressBound(static_cast<uLong>(chunk_bytes)))) {
      file->fail(fmt::format("chunk {} of /images is missing or damaged", chunk));
    }
    std::vector<Bytef> bytes(length);
    if (H5Dread_chunk(images.get(), H5P_DEFAULT, offset.data(), &skipped_filters, bytes.data()) <
        0) {
      file->fail_in_library(fmt::format("chunk {} of /images cannot be read", chunk));
    }
    return bytes;
  }

  // Inflating is most of the work. It is done here and not by the library, because the library lets
  // in one thread at a time.
  std::vector<std::uint8_t> chunk_pixels(int chunk) const {
    std::uint32_t skipped_filters = 0;
    std::vector<Bytef> bytes = raw_chunk(chunk, skipped_filters);
    std::vector<std::uint8_t> pixels(chunk_bytes);
    uLongf length = pixels.size();
    if (skipped_filters != 0 ||
        uncompress(pixels.data(), &length, bytes.data(), bytes.size()) != Z_OK ||
        length != pixels.size()) {
      file->fail(fmt::format("chunk {} of /images is damaged", chunk));
    }
    return pixels;
  }

  void check_range(int first, int count) const {
    if (first >= 0 && count >= 0 && count <= spec.images - first) return;
    throw Error(fmt::format("{}: images {} to {} were asked for, it holds {}",
                            file->path().string(), first, std::int64_t{first} + count, spec.images),
                "choose a batch that fits the data set");
  }

  std::optional<H5File> file;
  H5Handle images;
  DataSetSpec spec;
  int chunk_images = 0;
  std::size_t chunk_bytes = 0;
  std::vector<std::uint8_t> labels;
};

const std::filesystem::path& DataSet::path() const { return state_->file->path(); }
const DataSetSpec& DataSet::spec() const { return state_->spec; }

DataSet DataSet::open(const std::filesystem::path& path) {
  const auto opened = [&] {
    const H5Session session;
    return H5File::open(path, kHint);
  };
  const auto state = std::make_shared<State>(opened());
  const H5Session session;
  const H5File& file = *state->file;
  DataSetSpec& spec = state->spec;
  if (text_or_fail(file, "format") != kFormat) file.fail("not a data set of opgrade");
  const auto version = file.number_attribute("/", "format_version");
  if (!version || *version != static_cast<double>(kFormatVersion)) {
    file.fail("written in a format version that this opgrade does not know");
  }
  spec.recipe = text_or_fail(file, "recipe");
  spec.images_source = text_or_fail(file, "images_source");
  spec.labels_source = text_or_fail(file, "labels_source");
  spec.images_sha256 = text_or_fail(file, "images_sha256");
  spec.labels_sha256 = text_or_fail(file, "labels_sha256");

  state->images = file.dataset("/images");
  const auto shape = file.dimensions(state->images, "/images");
  const H5Handle type(H5Dget_type(state->images.get()), H5Tclose);
  if (shape.size() != 3 || !(shape[0] >= 1 && shape[0] <= kMaxImages) ||
      !(shape[1] >= 1 && shape[1] <= kMaxSide) || !(shape[2] >= 1 && shape[2] <= kMaxSide) ||
      !(H5Tequal(type.get(), H5T_STD_U8LE) > 0)) {
    file.fail("/images is not uint8 [N,H,W]");
  }
  spec.images = static_cast<int>(shape[0]);
  spec.height = static_cast<int>(shape[1]);
  spec.width = static_cast<int>(shape[2]);

  const H5Handle properties(H5Dget_create_plist(state->images.get()), H5Pclose);
  std::array<hsize_t, 3> chunk{};
  const bool chunked = H5Pget_layout(properties.get()) == H5D_CHUNKED &&
                       H5Pget_chunk(properties.get(), 3, chunk.data()) == 3 && chunk[0] >= 1 &&
                       chunk[0] <= hsize_t(kMaxImages) && chunk[1] == hsize_t(shape[1]) &&
                       chunk[2] == hsize_t(shape[2]);
  std::size_t no_values = 0;
  unsigned flags = 0, config = 0;
  if (!chunked || H5Pget_nfilters(properties.get()) != 1 ||
      H5Pget_filter2(properties.get(), 0, &flags, &no_values, nullptr, 0, nullptr, &config) !=
          H5Z_FILTER_DEFLATE) {
    file.fail("/images is not stored in deflated chunks of whole images");
  }
  state->chunk_images = static_cast<int>(chunk[0]);
  state->chunk_bytes = chunk[0] * chunk[1] * chunk[2];
  constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 30;
  if (state->chunk_bytes > kMaxChunkBytes) file.fail("/images has chunks of more than 1 GiB");

  const H5Handle labels = file.dataset("/labels");
  if (file.dimensions(labels, "/labels") != std::vector<std::int64_t>{spec.images}) {
    file.fail("/labels does not hold one label an image");
  }
  state->labels.resize(static_cast<std::size_t>(spec.images));
  if (H5Dread(labels.get(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, state->labels.data()) <
      0) {
    file.fail_in_library("/labels cannot be read");
  }
  return DataSet(state);
}

void DataSet::read_pixels(int first, int count, std::span<float> out, int threads) const {
  const State& state = *state_;
  state.check_range(first, count);
  const std::int64_t size = image_size();
  if (out.size() != static_cast<std::size_t>(count * size)) {
    throw Error(fmt::format("{}: {} images need {} values, there is room for {}", path().string(),
                            count, count * size, out.size()));
  }
  if (count == 0) return;
  const int first_chunk = first / state.chunk_images;
  const int last_chunk = (first + count - 1) / state.chunk_images;
  parallel_for(last_chunk - first_chunk + 1, threads_or_all(threads), [&](int i) {
    const int chunk = first_chunk + i;
    const std::vector<std::uint8_t> pixels = state.chunk_pixels(chunk);
    const int chunk_start = chunk * state.chunk_images;
    const int from = std::max(first, chunk_start);
    const int to = std::min(first + count, chunk_start + state.chunk_images);
    const std::uint8_t* in = pixels.data() + (from - chunk_start) * size;
    float* values = out.data() + (from - first) * size;
    const std::int64_t n = (to - from) * size;
    for (std::int64_t p = 0; p < n; ++p) values[p] = in[p];
  });
}

std::vector<std::uint8_t> DataSet::read_labels(int first, int count) const {
  state_->check_range(first, count);
  const auto begin = state_->labels.begin() + first;
  return {begin, begin + count};
}

}  // namespace opgrade
