// Included first in the checking build: the submission's own memcpy, memmove and memset, and those
// that the compiler makes of std::copy and of large structures, get names that the runtime checks.
#pragma once

extern "C" {
void* memcpy(void* to, const void* from, __SIZE_TYPE__ bytes) noexcept
    __asm__("opgrade_checked_memcpy");
void* memmove(void* to, const void* from, __SIZE_TYPE__ bytes) noexcept
    __asm__("opgrade_checked_memmove");
void* memset(void* to, int value, __SIZE_TYPE__ bytes) noexcept __asm__("opgrade_checked_memset");
}
