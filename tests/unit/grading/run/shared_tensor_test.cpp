#include "grader/grading/run/shared_tensor.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "grader/base/core/error.hpp"
#include "grader/base/core/poison.hpp"

namespace opgrade {
namespace {

using May = SharedTensor::SubmissionMay;

static_assert(!std::is_copy_constructible_v<SharedTensor>);

constexpr std::int64_t kSizes[] = {1, 15, 16, 17, 1000, 1023, 1024, 1025, 100'000};

/// The memory file as its receiver sees it.
class Mapped {
 public:
  explicit Mapped(const SharedTensor& tensor) : bytes_(tensor.place().file_bytes) {
    data_ = static_cast<char*>(
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, tensor.fd(), 0));
    EXPECT_NE(data_, MAP_FAILED);
  }
  ~Mapped() { ::munmap(data_, bytes_); }
  char* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  char* data_;
  std::size_t bytes_;
};

TEST(SharedTensor, LiesAtTheEndOfItsFile) {
  for (const auto elements : kSizes) {
    const SharedTensor tensor(elements, May::write);
    const auto place = tensor.place();
    struct stat status {};
    ASSERT_EQ(::fstat(tensor.fd(), &status), 0);
    EXPECT_EQ(static_cast<std::uint64_t>(status.st_size), place.file_bytes);
    EXPECT_EQ(place.file_bytes % 4096, 0U) << "an unmapped page follows at once";
    EXPECT_EQ(place.offset % 64, 0U);
    const auto end = place.offset + static_cast<std::uint64_t>(elements) * 4;
    EXPECT_LE(end, place.file_bytes);
    EXPECT_LT(place.file_bytes - end, 64U) << elements;
    EXPECT_EQ(tensor.as<float>().size(), static_cast<std::size_t>(elements));
  }
}

TEST(SharedTensor, HasTheBytesOfItsElements) {
  for (const ElementType& type : kElementTypes)
    for (const std::int64_t elements : {1, 7, 4097}) {
      SharedTensor tensor({elements, type.id}, May::write);
      EXPECT_EQ(tensor.bytes().size(), static_cast<std::size_t>(elements) * type.bytes);
      EXPECT_EQ(tensor.values().type(), type.id);
      tensor.poison(1);
      const Mapped submission(tensor);
      char* const behind = submission.data() + tensor.place().offset + tensor.bytes().size();
      EXPECT_TRUE(tensor.red_zone_intact());
      if (behind == submission.data() + submission.size()) continue;
      *behind = 1;
      EXPECT_FALSE(tensor.red_zone_intact()) << type.c_name << ' ' << elements;
    }
}

TEST(SharedTensor, IsNotReadAsAnotherType) {
  SharedTensor tensor({5, ElementType::Id::i32}, May::write);
  EXPECT_EQ(tensor.as<std::int32_t>().size(), 5U);
  EXPECT_THROW(tensor.as<float>(), std::logic_error);
}

TEST(SharedTensor, ASmallerOneEndsInTheSamePlace) {
  SharedTensor tensor(100'000, May::write);
  const auto whole = tensor.place();
  tensor.populate(2);
  tensor.resize(1000);
  EXPECT_EQ(tensor.as<float>().size(), 1000U);
  const auto place = tensor.place();
  EXPECT_EQ(place.file_bytes, whole.file_bytes);
  const auto end = place.offset + 4000;
  EXPECT_LE(end, place.file_bytes);
  EXPECT_LT(place.file_bytes - end, 64U);
  tensor.poison(1);
  for (const float v : tensor.as<float>()) ASSERT_TRUE(is_poison(v));
  const Mapped mapped(tensor);
  mapped.data()[place.offset - 1] = 0;
  EXPECT_FALSE(tensor.red_zone_intact()) << "the byte before it is watched";
  EXPECT_THROW(tensor.resize(200'000), Error);
}

TEST(SharedTensor, StartsAsZeros) {
  const SharedTensor tensor(1000, May::read);
  for (const float v : tensor.as<float>()) ASSERT_EQ(v, 0);
}

TEST(SharedTensor, IsTheSameMemoryOnBothSides) {
  SharedTensor tensor(1000, May::write);
  const Mapped mapped(tensor);
  const float seven = 7;
  std::memcpy(mapped.data() + tensor.place().offset + 4 * 999, &seven, 4);
  EXPECT_EQ(tensor.as<float>()[999], 7);
}

TEST(SharedTensor, PoisonIsEverywhereWithAnyNumberOfThreads) {
  for (const auto elements : {std::int64_t{1}, std::int64_t{17}, std::int64_t{5'000'000}}) {
    for (const int threads : {1, 3}) {
      SharedTensor tensor(elements, May::write);
      tensor.poison(threads);
      for (const float v : tensor.as<float>()) ASSERT_TRUE(is_poison(v));
      EXPECT_TRUE(tensor.red_zone_intact());
    }
  }
}

TEST(SharedTensor, EveryByteBeforeTheTensorIsWatched) {
  for (const auto elements : kSizes) {
    SharedTensor tensor(elements, May::write);
    tensor.poison(1);
    const Mapped mapped(tensor);
    for (std::size_t at = 0; at < tensor.place().offset; at += at < 64 ? 1 : 61) {
      const char old = mapped.data()[at];
      mapped.data()[at] = 0;
      EXPECT_FALSE(tensor.red_zone_intact()) << at << " of " << elements;
      mapped.data()[at] = old;
    }
    if (tensor.place().offset > 0) {
      mapped.data()[tensor.place().offset - 1] = 0;
      EXPECT_FALSE(tensor.red_zone_intact());
    }
  }
}

TEST(SharedTensor, EveryByteBehindTheTensorIsWatched) {
  // Up to 60 bytes before the unmapped page.
  for (const auto elements : kSizes) {
    SharedTensor tensor(elements, May::write);
    tensor.poison(1);
    const Mapped mapped(tensor);
    const std::size_t end = tensor.place().offset + static_cast<std::size_t>(elements) * 4;
    for (std::size_t at = end; at < mapped.size(); ++at) {
      const char old = mapped.data()[at];
      mapped.data()[at] = 0;
      EXPECT_FALSE(tensor.red_zone_intact()) << at - end << " behind " << elements;
      mapped.data()[at] = old;
    }
    EXPECT_TRUE(tensor.red_zone_intact());
  }
}

TEST(SharedTensor, WritingTheTensorItselfIsNoDamage) {
  SharedTensor tensor(1001, May::write);
  tensor.poison(1);
  for (float& v : tensor.as<float>()) v = 1;
  EXPECT_TRUE(tensor.red_zone_intact());
}

TEST(SharedTensor, AnInputCannotBeMappedForWritingButTheGraderWritesIt) {
  SharedTensor tensor(1000, May::read);
  tensor.as<float>()[3] = 5;
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, tensor.fd(), 0), MAP_FAILED);
  void* const readable = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, tensor.fd(), 0);
  ASSERT_NE(readable, MAP_FAILED);
  EXPECT_NE(::mprotect(readable, 4096, PROT_READ | PROT_WRITE), 0);
  ::munmap(readable, 4096);
}

TEST(SharedTensor, MovedFromGivesUpItsMemory) {
  SharedTensor first(100, May::write);
  first.as<float>()[7] = 7;
  const SharedTensor second = std::move(first);
  EXPECT_EQ(second.as<float>()[7], 7);
}

TEST(SharedTensor, MoreThanThereIsIsAnError) {
  EXPECT_THROW(SharedTensor(std::int64_t{1} << 58, May::write), Error);
}

}  // namespace
}  // namespace opgrade
