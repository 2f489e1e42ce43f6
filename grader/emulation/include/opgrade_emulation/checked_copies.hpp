// Included first in the checking build. The submission's memcpy, memmove and memset get names that
// the runtime checks. So do those that the compiler makes of std::copy and of large structures.
#pragma once

extern "C" {
void* memcpy(void* to, const void* from, __SIZE_TYPE__ bytes) noexcept __asm__("__tsan_memcpy");
void* memmove(void* to, const void* from, __SIZE_TYPE__ bytes) noexcept __asm__("__tsan_memmove");
void* memset(void* to, int value, __SIZE_TYPE__ bytes) noexcept __asm__("__tsan_memset");
}
