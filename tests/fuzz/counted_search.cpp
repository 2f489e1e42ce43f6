// In place of the C library's search, which runs no counted block: it costs what it looks at.
// Without <cstring>, which declares it as two overloads.
#include <cstddef>
#include <cstdint>

extern std::uint64_t work;

extern "C" void* memchr(const void* text, int wanted, std::size_t size) noexcept {
  const auto* const at = static_cast<const volatile unsigned char*>(text);
  for (std::size_t i = 0; i < size; ++i) {
    if (i % 16 == 0) ++work;
    if (at[i] == static_cast<unsigned char>(wanted)) return const_cast<unsigned char*>(at + i);
  }
  return nullptr;
}
