// The PNG files of programs on pictures: what another encoder writes is read, what is broken is
// refused.
#include "grader/platform/harness/adapters/png_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <string>

#include "grader/base/core/temp_dir.hpp"

namespace opgrade_png {
namespace {

using testing::HasSubstr;

constexpr Picture kPicture{20, 18, 3};

/// Level k of the pixel at row y and column x of the picture below.
unsigned char level_at(unsigned x, unsigned y, unsigned k) {
  return static_cast<unsigned char>(3 * x * x / (y + 1) + k * x * y / 7 + x * y % 5 * k);
}

/// Its rows compressed by zlib, each filtered by another one of the five filters. With codes of its
/// own, and with the fixed ones.
constexpr const char* kOwnCodes =
    "78da35935d681c5514c7eff7cc9d8fddece6a349d690366d5c6b62baad4d9b9a08c152b02644a9227e505b134cd5"
    "04ad5a04054b4144a42fc514f14154cc8b0fa1e4c107c1422308a206ab6ff5c58f3751ba4db21fb33b33f75ecfcc"
    "ae97c3e51eee3d73fee777ce208410a5d4f3bc42a1502a956666669697975756563636362a95cae8e8e8d2d2d2fa"
    "fa7a1445b3b3b3abababf07e616161737373727212838309e5c2b26ce97a195ff25cbeb3b3bb67576f5f5f7f61a0"
    "af7b70f7d0de7dc3c37717f78f8c8e14f71e281d3c78e8fef1231347278e1194466b44e3b0d96804d55aadbcb5f3"
    "f7bfe53ffff8fdd6addf7ebef9eb77dffff0f5f51b6b6b6b9f7ef6f9950faf5e7af7fdf317de7aeecc99d9b94769"
    "124c18360a310b2383c0a8d02ad284c75118c55123d241bd566dc43b3b3be57279f9d5375e3cb7f8c24baf9c7dfe"
    "2f9666a6864078ac6023388c15890da9d590d170a9a88c356ac62608ead56a6dbb616e6f55fe29fff2e34fdd08b5"
    "7453c6846d3bbe97edccf7f4f70e0ced1e1eb967ecf0a163d353c7671e7eece9274e2fce2fbf79feedf72e5dfee8"
    "ca275f7e71ed9bafbebd895b9931e58409e0c6b0e69614b6232c6949d7e604303a5ec6f5b35ea6c3b3b99fcd653a"
    "f2d95cbe23df95022314518ea0eca462ac1151882a15c74a454a870a35150e82a0560faa41b31284dbf5f0ced6f6"
    "ed3bdb2930caa158cc6d908131262939cc25c1e96276cb4d1d82a895b0608e31a6058c8001304329b086cc1a330d"
    "fc085114c506478690302494021a1cc2a5c1f53ae469f3c25410e13099157e97ccf5fbbbf6e4ee2af60c1d28ec3f"
    "baa7345d9c383936fdf8f8c9d30f9e3a77e2d9d7e7162f3ef5dae5f9773e4ea309c74c24f1dc020154d854480666"
    "494e100778b62ba46b39bec588edfad014e965a49b694f98c1148019ad019849dace41b68685b03204782800a874"
    "a44ca4716868b3193623d5022652068004be43fe27e41038139a80c488581e2194246e420edc6436daad026649ab"
    "587220cc80199dcc2a880215444066a5e105a86031e651aca832a835db08b2593e75bb58a64fe407656fd11b18cb"
    "0e8de78b533df79d281c9e1b7ce0c97d0f9dbdf791974ba72e1c79e6e2d4fc07c797aee2b66c6a61682fb709823f"
    "42122169620ec586d92eb31c66b95c7a9c62217d213de1247b1b58921c4419d33e5361b482314864435ba965d232"
    "dac3975401d7f83f242d5bf0";
constexpr const char* kFixedCodes =
    "780163606060606666e6e1e1919696363030f0f6f6cec9c9993c79f28103073e7ffeaca3a3939d9dbd61c386dfbf"
    "7ffbf8f82c5ebc18a83e3939f9cc9933d6d6d68c400e2313332b1b3b3b0727370f1f2f27aba090b0b0a898b884a4"
    "a494b4aca4a8bc8292b28aaaaa9abaa6b68eb6bab2be81a1a191b1a99985b98525130358f73f06e63fbf7efef8f1"
    "fdcbd7afef3e7c7af1fadd83fbf76edcb879eefcc523c74feed8b37fcd9a35f3e62f9830694a43737b4149655c7c"
    "bc8f9f3f334833130be3ffbf0c2cec8c0cff19808899eddfdfdfff9858fffcfef5fbcfef1fbfff7dfff6f5cb8f3f"
    "9f3e7d7af7ee5d4e7e71467a5a6a665e42e24316b0cdccff9980dafffc05124c8cbffefc65faf39fe9eb5786ffff"
    "80927f9939fffc63f8f9e7fff7efdfbe7cf9faf1c7ffb71f3ebf7a77e1d46951060688bb995958d83838b87879f8"
    "8585c4a42464951454b535f44c8c2c1d6c9cbd3d02224362d39272ca0aaa5a1bbaa74d98b362d1badd5b0e9e6784"
    "d8ccc8cccac4c2060c3716c67facec9c6c1c5c6cec9cec9cdc1cac4cc060e4e2e1e3e6e5e7e113e0e160e5e517e4"
    "1310e21714121012010718133303332b03d0db201f33fe6360facbc0fcf7ef9f3f7ffffefefbefd75f869f7f19bf"
    "7ffffef5dbf72fdf7f7efefeebe3b75fef3f7c7cfbfe2338c09859819e6564e5003a83919191091c728cac9c4c8c"
    "60c0c201e182394c0ccceca0b060e1faffff3f24c09880081860ff999981610db4f91f23cb3f60f83131fd6566f8"
    "f39ff1f77f26a65fbf9898998141c3f80b28f99ff1db37a03dd0f06264666362e362e1e467e315e11494e2155714"
    "94511753d297d63457347050b7f0d4730836f58cb50d4a778d2ef24bab8b28ec4eaa9d01d6cdc4cac8c206d2cfca"
    "0e7400331b07331b270b10b173b23231b002038f839b8d939b9d8b979d8589839b1718299c3c7c9cdc7cd014f69f"
    "91191860fffffd0306d87f50b4b3029dfd0f081818fffe670286c75f6000fefdf7fbefffdfff187ffd67fef9f3d7"
    "cfdf7f2101c6060e03609000cd61828510171390cdc40c0a48460626761e2626662610171472402e286d40a30a18"
    "66a0a86201319858fe03d1ff7fa0b40a7414d0154c6c409bfffe03aa00ba82e50f23ebef3f7f99fffe6780a46d06"
    "a06decbcccdc222c7c926c42f29c12ea3cb27afc4aa642ea3662baaed2267ef256612a4e095a5e59064125665175"
    "36499dced95318a1ce66666704462f2b07130330477032b1713283101733e37f160e6e16762e16766e564e1e5666"
    "46364e5e364e1e362e10090d3090e54047fdff0f6533b3fdfff717980c40ce06462b33fb7fb037a0890fe40ba034"
    "2300242d5bf0";

Bytes of_hex(const std::string& digits) {
  Bytes bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

class PngFile : public testing::Test {
 protected:
  /// The compressed data in two parts, as encoders write them.
  static Bytes file_of(const Bytes& data, unsigned char bits = 8, unsigned char interlaced = 0) {
    Bytes file(kSignature, kSignature + sizeof kSignature), head;
    add_word(head, kPicture.columns);
    add_word(head, kPicture.rows);
    head.insert(head.end(), {bits, kPicture.colour_type(), 0, 0, interlaced});
    add_chunk(file, "IHDR", head);
    add_chunk(file, "tEXt", {'a', 0, 'b'});
    const auto middle = data.begin() + static_cast<std::ptrdiff_t>(data.size() / 2);
    add_chunk(file, "IDAT", Bytes(data.begin(), middle));
    add_chunk(file, "IDAT", Bytes(middle, data.end()));
    add_chunk(file, "IEND", {});
    return file;
  }

  /// What read() says, or "".
  std::string said(const Bytes& file, const Picture& wanted = kPicture) {
    std::ofstream(name_, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()),
               static_cast<std::streamsize>(file.size()));
    const char* const wrong = read(name_.c_str(), wanted, levels_);
    return wrong != nullptr ? wrong : "";
  }

  void expect_the_picture() const {
    ASSERT_EQ(levels_.size(), kPicture.bytes());
    for (unsigned i = 0; i < levels_.size(); ++i)
      ASSERT_EQ(levels_[i], level_at(i / 3 % 20, i / 60, i % 3)) << i;
  }

  opgrade::TempDir folder_{"opgrade-png-test-"};
  std::string name_ = folder_.path() / "picture.png";
  Bytes levels_;
};

TEST_F(PngFile, IsReadAsOtherProgramsWriteIt) {
  for (const char* data : {kOwnCodes, kFixedCodes}) {
    levels_.clear();
    EXPECT_EQ(said(file_of(of_hex(data))), "");
    expect_the_picture();
  }
}

TEST_F(PngFile, IsReadAsItWasWritten) {
  said(file_of(of_hex(kOwnCodes)));
  const Bytes levels = levels_;
  ASSERT_TRUE(write(name_.c_str(), kPicture, levels.data()));
  EXPECT_EQ(read(name_.c_str(), kPicture, levels_), nullptr);
  expect_the_picture();
  // More than one block of data that are not compressed.
  const Picture large{300, 250, 1};
  Bytes many(large.bytes());
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<unsigned char>(i * i >> 7);
  ASSERT_TRUE(write(name_.c_str(), large, many.data()));
  EXPECT_EQ(read(name_.c_str(), large, levels_), nullptr);
  EXPECT_EQ(levels_, many);
}

TEST_F(PngFile, ThatIsAnotherOneIsRefused) {
  const Bytes data = of_hex(kOwnCodes), file = file_of(data);
  EXPECT_THAT(said({'P', '6', '\n'}), HasSubstr("no PNG"));
  EXPECT_THAT(said(file, {18, 20, 3}), HasSubstr("another size"));
  EXPECT_THAT(said(file, {20, 18, 4}), HasSubstr("channels"));
  EXPECT_THAT(said(file_of(data, 16)), HasSubstr("bits"));
  EXPECT_THAT(said(file_of(data, 8, 1)), HasSubstr("interlaced"));
  EXPECT_THAT(said(Bytes(file.begin(), file.end() - 1)), HasSubstr("ends too early"));
  Bytes changed = file;
  changed[60] ^= 1;
  EXPECT_THAT(said(changed), HasSubstr("checksum"));
  EXPECT_STREQ(read((name_ + "x").c_str(), kPicture, levels_), "it was not written");
}

TEST_F(PngFile, WithBrokenDataIsRefused) {
  for (const char* text : {kOwnCodes, kFixedCodes}) {
    const Bytes data = of_hex(text);
    // Behind it are the last bits, as which zeros are taken, and a checksum, which read() skips.
    const std::size_t end = data.size() - 5;
    for (std::size_t count = 0; count < end; count += 7)
      EXPECT_THAT(
          said(file_of(Bytes(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(count)))),
          HasSubstr("broken"))
          << count;
    // Whatever a changed bit means, no byte beside the data is read or written.
    for (std::size_t bit = 16; bit < 8 * end; bit += 11) {
      Bytes changed = data;
      changed[bit / 8] = static_cast<unsigned char>(changed[bit / 8] ^ 1U << bit % 8);
      said(file_of(changed));
    }
  }
}

}  // namespace
}  // namespace opgrade_png
