#include "grader/base/files/checksum.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "grader/base/core/error.hpp"

namespace opgrade {

struct Sha256::State {
  struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, FreeContext> context{EVP_MD_CTX_new()};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (state_->context == nullptr ||
      EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) != 1) {
    throw Error("the crypto library offers no SHA-256", "check the installation of OpenSSL");
  }
}

Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) {
    throw Error("the crypto library failed in the middle of a SHA-256");
  }
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_DigestFinal_ex(state_->context.get(), digest.data(), &length) != 1) {
    throw Error("the crypto library failed at the end of a SHA-256");
  }
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_of_text(std::string_view text) {
  Sha256 sum;
  sum.add(std::as_bytes(std::span(text)));
  return sum.hex();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)),
                "check that the file is there and readable");
  }
  Sha256 sum;
  std::vector<char> block(std::size_t{1} << 18);
  do {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    sum.add(std::as_bytes(std::span(block).first(static_cast<std::size_t>(file.gcount()))));
  } while (file);
  if (!file.eof()) throw Error(fmt::format("cannot read {} to its end", path.string()));
  return sum.hex();
}

}  // namespace opgrade
