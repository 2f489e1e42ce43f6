#include "grader/emulation/runtime/context_switch.hpp"

#include <cstdint>

#if defined(__x86_64__)
// A jump instead of a `ret` keeps the processor's return predictor in step with the real calls.
asm(R"(
.text
.globl opgrade_emulation_switch
.hidden opgrade_emulation_switch
.type opgrade_emulation_switch, @function
opgrade_emulation_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
.size opgrade_emulation_switch, .-opgrade_emulation_switch
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl opgrade_emulation_switch
.hidden opgrade_emulation_switch
.type opgrade_emulation_switch, %function
opgrade_emulation_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  br x30
.size opgrade_emulation_switch, .-opgrade_emulation_switch
)");
#else
#error "the emulated device runs on x86-64 and aarch64"
#endif

namespace opgrade_emulation {

void* prepare_stack(void* top, void (*entry)()) {
  auto* words = reinterpret_cast<std::uintptr_t*>(reinterpret_cast<std::uintptr_t>(top) &
                                                  ~std::uintptr_t{15});
#if defined(__x86_64__)
  *--words = 0;  // in place of a caller's address, so that the stack is aligned as after a call
  *--words = reinterpret_cast<std::uintptr_t>(entry);
  for (int i = 0; i < 6; ++i) *--words = 0;
#else
  words -= 20;
  for (int i = 0; i < 20; ++i) words[i] = 0;
  words[11] = reinterpret_cast<std::uintptr_t>(entry);
#endif
  return words;
}

}  // namespace opgrade_emulation
