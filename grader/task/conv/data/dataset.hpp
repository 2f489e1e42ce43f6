/// Data sets of resized images with labels, as HDF5 files.
///
/// File: /images uint8 [N,H,W] in deflated chunks of 100 images, /labels uint8 [N].
/// Attributes of the file: `format` "opgrade data set", `format_version` 1, `recipe` (resize.hpp),
/// `images_source`, `labels_source` (file names), `images_sha256`, `labels_sha256` (of the source
/// files on disk).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace opgrade {

/// A pair of idx files (idx.hpp).
struct DataSource {
  std::filesystem::path images, labels;
  std::string images_sha256, labels_sha256;  ///< expected; empty if any content is accepted
};

/// The 10,000 test images of Debian's package dataset-fashion-mnist (version 0.0~git20200523,
/// identical to the files that Zalando publishes), with their checksums. Files that came with
/// opgrade are preferred to those of the package.
DataSource default_data_source();

/// The attributes of a data set file.
struct DataSetSpec {
  int images = 0, height = 0, width = 0;
  std::string recipe;
  std::string images_source, labels_source;
  std::string images_sha256, labels_sha256;
};

/// Reads the source, resizes every image and writes a data set. An existing file is replaced only
/// by a complete one. Throws Error naming the file if a source is missing, truncated or has another
/// checksum, if counts differ, if sizes exceed those of resize.hpp, or if no space is left.
DataSetSpec build_dataset(const DataSource& source, int height, int width,
                          const std::filesystem::path& out_path);

/// An open data set. Reading is const and may be done from several threads at once.
class DataSet {
 public:
  /// Throws Error naming the file if it is missing, truncated or not a data set.
  static DataSet open(const std::filesystem::path& path);

  const std::filesystem::path& path() const;
  const DataSetSpec& spec() const;
  int images() const { return spec().images; }
  int height() const { return spec().height; }
  int width() const { return spec().width; }
  std::int64_t image_size() const { return std::int64_t{height()} * width(); }  ///< pixels

  /// Reads the pixels of `count` images from `first` on as floats 0..255, unnormalised as in every
  /// term of the course, B,1,H,W. `out` holds count * image_size() values. Uses up to `threads`
  /// threads, 0 for all processors. Throws Error for images beyond the data set, or for damaged
  /// data.
  void read_pixels(int first, int count, std::span<float> out, int threads = 0) const;

  std::vector<std::uint8_t> read_labels(int first, int count) const;

 private:
  struct State;
  explicit DataSet(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace opgrade
