#include "grader/task/conv/data/mxnet_params.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/temp_dir.hpp"
#include "tests/unit/task/conv/data/files.hpp"
#include "tests/unit/task/conv/data/mxnet_bytes.hpp"

namespace opgrade {
namespace {

using test::bytes_of;
using test::MxnetVersion;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<test::MxnetArray> kArrays{{"arg:b", {2, 1, 3}, {1, 2, 3, 4, 5, 6}},
                                            {"arg:a", {2}, {-1, 0.5F}}};

class MxnetParams : public testing::Test {
 protected:
  std::string read_complaint(const std::string& bytes) {
    test::write_file(path_, bytes);
    return test::complaint([&] { read_mxnet_params(path_); });
  }

  // A list of one array without values.
  static std::string one_array(const std::string& head) {
    return bytes_of(std::uint64_t{0x112}) + bytes_of(std::uint64_t{0}) +
           bytes_of(std::uint64_t{1}) + head;
  }

  const TempDir folder_{"opgrade-test-"};
  const std::filesystem::path path_ = folder_.path() / "model-0001.params";
};

TEST_F(MxnetParams, ReadsEveryVersion) {
  for (const auto version : {MxnetVersion::legacy, MxnetVersion::dense, MxnetVersion::storage}) {
    test::write_file(path_, test::mxnet_params(kArrays, version));
    const auto arrays = read_mxnet_params(path_);
    ASSERT_EQ(arrays.size(), 2U);
    EXPECT_THAT(arrays.at("arg:b").shape, ElementsAre(2, 1, 3));
    EXPECT_THAT(arrays.at("arg:b").values, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(arrays.at("arg:a").shape, ElementsAre(2));
    EXPECT_THAT(arrays.at("arg:a").values, ElementsAre(-1, 0.5F));
  }
}

TEST_F(MxnetParams, EveryTruncationIsSeen) {
  const std::string whole = test::mxnet_params(kArrays);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT(read_complaint(whole.substr(0, length)),
                AllOf(StartsWith(path_.string()), HasSubstr("is truncated")))
        << length;
  }
  EXPECT_THAT(read_complaint(whole + "x"), HasSubstr("goes on for 1 bytes"));
}

TEST_F(MxnetParams, SizesAreLimitedBeforeMemoryIsTaken) {
  const std::string magic = bytes_of(std::uint32_t{0xF993FAC9}) + bytes_of(std::int32_t{0});
  const auto array = [&](std::vector<std::int64_t> shape) {
    return one_array(test::mxnet_array({"", std::move(shape), {}}, MxnetVersion::storage));
  };
  EXPECT_THAT(read_complaint(array({std::int64_t{1} << 62})), HasSubstr("is truncated"));
  EXPECT_THAT(read_complaint(array({1 << 16, 1 << 16, 1 << 16, 1 << 16})),
              HasSubstr("is truncated"));
  EXPECT_THAT(read_complaint(array({std::int64_t{1} << 31, std::int64_t{1} << 31})),
              HasSubstr("is truncated"));
  EXPECT_THAT(read_complaint(array({-1})), HasSubstr("an array of size -1"));
  EXPECT_THAT(read_complaint(array({0, 5})), HasSubstr("an array of size 0"));
  EXPECT_THAT(read_complaint(one_array(magic + bytes_of(std::uint32_t{0}))),
              HasSubstr("an array of rank 0"));
  EXPECT_THAT(read_complaint(one_array(bytes_of(std::uint32_t{0xffffffff}))),
              HasSubstr("an array of rank 4294967295"));
}

TEST_F(MxnetParams, OtherFilesAreNamed) {
  EXPECT_THAT(read_complaint("{ \"nodes\": [] }"), HasSubstr("is not an MXNet .params file"));
  EXPECT_THAT(read_complaint(bytes_of(std::uint64_t{0x112}) + bytes_of(std::uint64_t{0}) +
                             bytes_of(~std::uint64_t{0})),
              HasSubstr("it announces 18446744073709551615 arrays"));
  EXPECT_THAT(
      read_complaint(one_array(bytes_of(std::uint32_t{0xF993FAC9}) + bytes_of(std::int32_t{1}))),
      HasSubstr("sparse"));
  EXPECT_THAT(read_complaint(one_array(
                  test::mxnet_array({"", {1}, {1}}, MxnetVersion::storage, /*float16=*/2))),
              HasSubstr("holds numbers of type 2"));
  auto twice = kArrays;
  twice[1].name = twice[0].name;
  EXPECT_THAT(read_complaint(test::mxnet_params(twice)), HasSubstr("two arrays of one name"));
  const auto missing = folder_.path() / "none";
  EXPECT_THAT(test::complaint([&] { read_mxnet_params(missing); }), StartsWith(missing.string()));
}

}  // namespace
}  // namespace opgrade
