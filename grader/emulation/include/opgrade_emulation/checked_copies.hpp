// The driver puts these lines before each preprocessed source of a checking or counting build. The
// submission's memcpy, memmove and memset get names that the runtime checks. So do those that the
// compiler makes of std::copy and of large structures.
#pragma once

extern "C" {
void* memcpy(void* to, const void* from, decltype(sizeof 0) bytes) noexcept
    __asm__("__tsan_memcpy");
void* memmove(void* to, const void* from, decltype(sizeof 0) bytes) noexcept
    __asm__("__tsan_memmove");
void* memset(void* to, int value, decltype(sizeof 0) bytes) noexcept __asm__("__tsan_memset");
}
