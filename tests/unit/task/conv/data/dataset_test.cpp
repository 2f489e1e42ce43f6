#include "grader/task/conv/data/dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <thread>

#include "grader/base/core/temp_dir.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/task/conv/data/h5.hpp"
#include "grader/task/conv/data/resize.hpp"
#include "tests/support/must_run.hpp"
#include "tests/unit/task/conv/data/files.hpp"

namespace opgrade {
namespace {

using test::idx;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class DataSetFile : public testing::Test {
 protected:
  // `count` images of 2x3: image i holds i, i+1, ... and has the label i % 10.
  DataSource source_of(int count) {
    std::string pixels, labels;
    for (int i = 0; i < count; ++i) {
      for (int p = 0; p < 6; ++p) pixels += static_cast<char>((i + p) % 256);
      labels += static_cast<char>(i % 10);
    }
    const auto n = static_cast<std::uint32_t>(count);
    const auto images = folder_.path() / "images-idx", label_file = folder_.path() / "labels-idx";
    test::write_gz(images, idx(test::kImages, {n, 2, 3}, pixels));
    test::write_file(label_file, idx(test::kLabels, {n}, labels));
    return {images, label_file, "", ""};
  }

  std::string build_complaint(const DataSource& source) {
    return test::complaint([&] { build_dataset(source, 2, 3, path_); });
  }

  std::string open_complaint() {
    return test::complaint([&] { DataSet::open(path_); });
  }

  const TempDir folder_{"opgrade-test-"};
  const std::filesystem::path path_ = folder_.path() / "set.h5";
};

TEST_F(DataSetFile, GivesBackWhatWasBuilt) {
  constexpr int kCount = 257;  // two whole chunks and a rest
  const DataSource source = source_of(kCount);
  build_dataset(source, 2, 3, path_);
  const DataSet data = DataSet::open(path_);
  EXPECT_EQ(data.path(), path_);
  ASSERT_EQ(data.images(), kCount);
  EXPECT_EQ(data.height(), 2);
  EXPECT_EQ(data.width(), 3);
  EXPECT_EQ(data.image_size(), 6);
  EXPECT_EQ(data.spec().recipe, kResizeRecipe);
  EXPECT_EQ(data.spec().images_source, "images-idx");
  EXPECT_EQ(data.spec().images_sha256, sha256_of_file(source.images));
  EXPECT_EQ(data.spec().labels_sha256, sha256_of_file(source.labels));

  const std::pair<int, int> ranges[] = {{0, kCount}, {0, 1}, {99, 2}, {100, 100}, {250, 7}, {3, 0}};
  for (const auto& [first, count] : ranges) {
    for (const int threads : {0, 1, 3}) {
      std::vector<float> pixels(static_cast<std::size_t>(count) * 6, -1);
      data.read_pixels(first, count, pixels, threads);
      for (int i = 0; i < count * 6; ++i) {
        ASSERT_EQ(pixels[std::size_t(i)], float((first + i / 6 + i % 6) % 256))
            << first << " " << i;
      }
    }
  }
  EXPECT_THAT(data.read_labels(8, 4), ElementsAre(8, 9, 0, 1));
}

TEST_F(DataSetFile, HoldsResizedImages) {
  test::write_file(folder_.path() / "i", idx(test::kImages, {1, 1, 2}, "\x64\xc8"));
  test::write_file(folder_.path() / "l", idx(test::kLabels, {1}, "\x03"));
  build_dataset({folder_.path() / "i", folder_.path() / "l", "", ""}, 1, 4, path_);
  std::vector<float> pixels(4);
  DataSet::open(path_).read_pixels(0, 1, pixels);
  EXPECT_THAT(pixels, ElementsAre(75, 125, 175, 150));
}

TEST_F(DataSetFile, SameSourceGivesTheSameBytes) {
  const DataSource source = source_of(120);
  build_dataset(source, 9, 7, path_);
  const std::string once = test::read_file(path_);
  build_dataset(source, 9, 7, path_);
  EXPECT_EQ(once, test::read_file(path_));
}

TEST_F(DataSetFile, ManyReadersAtOnce) {
  build_dataset(source_of(500), 4, 4, path_);
  const DataSet data = DataSet::open(path_);
  std::vector<float> want(500 * 16);
  data.read_pixels(0, 500, want, 1);
  std::vector<std::vector<float>> got(4, std::vector<float>(500 * 16));
  {
    std::vector<std::jthread> readers;
    for (auto& pixels : got) {
      readers.emplace_back([&] {
        data.read_pixels(0, 500, pixels, 2);
        DataSet::open(path_);
      });
    }
  }
  EXPECT_THAT(got, Each(want));
}

TEST_F(DataSetFile, RangesBeyondTheEndAreErrors) {
  build_dataset(source_of(5), 2, 3, path_);
  const DataSet data = DataSet::open(path_);
  std::vector<float> pixels(36);
  EXPECT_THAT(test::complaint([&] { data.read_pixels(0, 6, pixels); }),
              AllOf(StartsWith(path_.string()), HasSubstr("it holds 5")));
  EXPECT_NE(test::complaint([&] { data.read_pixels(-1, 2, pixels); }), "none");
  EXPECT_NE(test::complaint([&] { data.read_pixels(2147483647, 6, pixels); }), "none");
  EXPECT_NE(test::complaint([&] { data.read_labels(4, 2); }), "none");
  EXPECT_THAT(test::complaint([&] { data.read_pixels(0, 5, pixels); }),
              HasSubstr("need 30 values, there is room for 36"));
}

TEST_F(DataSetFile, SourcesThatCannotBeUsedAreNamed) {
  DataSource source = source_of(5);
  source.images_sha256 = std::string(64, '0');
  EXPECT_THAT(build_complaint(source),
              AllOf(StartsWith(source.images.string()), HasSubstr("expected 0000")));
  source = source_of(5);
  source.labels_sha256 = std::string(64, '0');
  EXPECT_THAT(build_complaint(source), StartsWith(source.labels.string()));
  source = source_of(5);
  source.labels = folder_.path() / "missing";
  EXPECT_THAT(build_complaint(source), HasSubstr(source.labels.string()));
  source = source_of(5);
  test::write_file(source.labels, idx(test::kLabels, {4}, "abcd"));
  EXPECT_THAT(build_complaint(source), HasSubstr("holds 5 images but"));
  EXPECT_THAT(test::complaint([&] { build_dataset(source_of(1), 0, 3, path_); }),
              HasSubstr("0x3 pixels"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(DataSetFile, AFailedBuildKeepsTheOldFile) {
  build_dataset(source_of(5), 2, 3, path_);
  const std::string before = test::read_file(path_);
  DataSource source = source_of(6);
  source.images_sha256 = "other";
  EXPECT_NE(build_complaint(source), "none");
  EXPECT_EQ(test::read_file(path_), before);
}

// Writes beyond a size fail while it lives, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    std::signal(SIGXFSZ, SIG_IGN);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_DFL);
  }
  SmallDisk(const SmallDisk&) = delete;

 private:
  rlimit before_{};
};

TEST_F(DataSetFile, FullDiskIsAnErrorAndLosesNothing) {
  build_dataset(source_of(300), 30, 30, path_);
  const std::string before = test::read_file(path_);
  const DataSource source = source_of(1000);
  for (const rlim_t room : {0, 100, 5000}) {
    const SmallDisk disk(room);
    EXPECT_THAT(test::complaint([&] { build_dataset(source, 30, 30, path_); }),
                HasSubstr(path_.string()))
        << room;
  }
  EXPECT_EQ(test::read_file(path_), before);
  EXPECT_EQ(test::names_in(folder_.path()).size(), 3U);  // the two sources and the data set
}

TEST_F(DataSetFile, TruncatedFilesAreNamed) {
  build_dataset(source_of(300), 16, 16, path_);
  const std::string whole = test::read_file(path_);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{7}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    test::write_file(path_, whole.substr(0, length));
    EXPECT_THAT(open_complaint(), AllOf(StartsWith(path_.string()), HasSubstr("truncated")))
        << length;
  }
}

// A damaged byte is an error or, where the file does not use it, changes no pixel.
TEST_F(DataSetFile, DamagedPixelsAreSeen) {
  build_dataset(source_of(300), 16, 16, path_);
  const std::string whole = test::read_file(path_);
  const auto read_all = [&] {
    const DataSet data = DataSet::open(path_);
    std::vector<float> pixels(static_cast<std::size_t>(data.images() * data.image_size()));
    data.read_pixels(0, data.images(), pixels, 1);
    return pixels;
  };
  const std::vector<float> want = read_all();
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    test::write_file(path_, bytes);
    std::vector<float> got = want;
    const std::string text = test::complaint([&] { got = read_all(); });
    if (text != "none") {
      EXPECT_THAT(text, StartsWith(path_.string()));
    }
    ASSERT_EQ(got, want) << at;
  }
}

TEST_F(DataSetFile, ForeignFilesAreNamed) {
  EXPECT_THAT(open_complaint(), HasSubstr("no such file"));
  test::write_file(path_, "not HDF5 at all");
  EXPECT_THAT(open_complaint(), HasSubstr("not an HDF5 file"));
  {
    const H5Session session;
    H5File::create(path_).close();
  }
  EXPECT_THAT(open_complaint(), HasSubstr("it has no attribute format"));
  {
    const H5Session session;
    H5File file = H5File::create(path_);
    file.write_attribute("format", "another thing");
    file.close();
  }
  EXPECT_THAT(open_complaint(), HasSubstr("not a data set of opgrade"));
  EXPECT_THAT(test::complaint([&] { DataSet::open(folder_.path()); }), HasSubstr("not a file"));
}

// A file with the right attributes whose /images is of `type` and `shape`, in one piece.
void write_lookalike(const std::filesystem::path& path, hid_t type,
                     const std::vector<std::int64_t>& shape, std::int64_t version = 1) {
  const H5Session session;
  H5File file = H5File::create(path);
  file.write_attribute("format", "opgrade data set");
  file.write_attribute("format_version", version);
  for (const char* name :
       {"recipe", "images_source", "labels_source", "images_sha256", "labels_sha256"}) {
    file.write_attribute(name, "-");
  }
  const std::vector<double> values(64, 0);
  file.write("/images", type, shape, values.data());
  file.close();
}

TEST_F(DataSetFile, ImagesOfAnotherKindAreRefused) {
  write_lookalike(path_, H5T_NATIVE_UINT8, {2, 3, 4}, 2);
  EXPECT_THAT(open_complaint(), HasSubstr("format version"));
  write_lookalike(path_, H5T_NATIVE_FLOAT, {2, 3, 4});
  EXPECT_THAT(open_complaint(), HasSubstr("/images is not uint8 [N,H,W]"));
  write_lookalike(path_, H5T_NATIVE_UINT8, {6, 4});
  EXPECT_THAT(open_complaint(), HasSubstr("/images is not uint8 [N,H,W]"));
  write_lookalike(path_, H5T_NATIVE_UINT8, {2, 3, 4});  // shuffled besides
  EXPECT_THAT(open_complaint(), HasSubstr("deflated chunks"));
}

TEST(FashionMnist, FirstHundredImagesOf86AreTheExpectedBytes) {
  const DataSource source = default_data_source();
  OPGRADE_SKIP_UNLESS("fashion-mnist", std::filesystem::exists(source.images),
                      "the package dataset-fashion-mnist is not installed");
  const TempDir folder("opgrade-test-");
  build_dataset(source, 86, 86, folder.path() / "set.h5");
  const DataSet data = DataSet::open(folder.path() / "set.h5");
  EXPECT_EQ(data.images(), 10000);
  std::vector<float> pixels(100 * 86 * 86);
  data.read_pixels(0, 100, pixels);
  const std::vector<std::uint8_t> bytes(pixels.begin(), pixels.end());
  Sha256 sum;
  sum.add(std::as_bytes(std::span(bytes)));
  // From a separate program with unlimited integers.
  EXPECT_EQ(sum.hex(), "651240ae1956214e8cad6463b2ff0a274ab0758f737e7535ce8197c438b3980e");
  EXPECT_THAT(data.read_labels(0, 5), ElementsAre(9, 2, 1, 1, 6));
}

}  // namespace
}  // namespace opgrade
