// A thread of execution with a stack of its own, and the switch from one to another.
//
// The reason for assembly: glibc's swapcontext makes a system call to save the signal mask, which
// takes many times the switch, and a kernel switches once for each thread at each barrier. Where
// there is no assembly, ucontext does.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define PELTON_SIM_ASAN 1
// AddressSanitizer must know the current stack, or it reports a switch as an overrun.
extern "C" void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, size_t size);
extern "C" void __sanitizer_finish_switch_fiber(void* fake_stack, const void** old_bottom, size_t* old_size);
extern "C" void __asan_unpoison_memory_region(const volatile void* address, size_t size);
#endif

#if defined(__x86_64__) && defined(__linux__)
#define PELTON_SIM_ASSEMBLY 1
// void pelton_sim_switch(void** saved /* rdi */, void* resumed /* rsi */): the registers that a
// call must preserve go to the old stack; the compiler has saved the rest around the call.
asm(R"(
.text
.p2align 4
.type pelton_sim_switch,@function
pelton_sim_switch:
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
    ret
.size pelton_sim_switch,.-pelton_sim_switch
)");
extern "C" void pelton_sim_switch(void** saved, void* resumed);
#else
#include <ucontext.h>
#endif

namespace pelton_sim {

struct Context {
  const void* bottom;  // lowest address of the stack; of the caller's own stack only known under AddressSanitizer
  size_t size;
  void* fake_stack;
#if defined(PELTON_SIM_ASSEMBLY)
  void* saved;
#else
  ucontext_t saved;
#endif
};

// Prepares a context that begins with `entry` on the given stack. `entry` never returns.
inline void context_prepare(Context& context, u8* stack, size_t bytes, void (*entry)()) {
  context.bottom = stack;
  context.size = bytes;
  context.fake_stack = nullptr;
#if defined(PELTON_SIM_ASSEMBLY)
  // Pretends a call of `entry`: its return address (none) lies 8 bytes past a multiple of 16.
  void** top = reinterpret_cast<void**>((reinterpret_cast<size_t>(stack) + bytes) & ~size_t{15});
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; i++) *--top = nullptr;  // the six registers that the switch takes back
  context.saved = top;
#else
  getcontext(&context.saved);
  context.saved.uc_stack.ss_sp = stack;
  context.saved.uc_stack.ss_size = bytes;
  context.saved.uc_link = nullptr;
  makecontext(&context.saved, entry, 0);
#endif
}

// Leaves `from`, and goes on with `to`. Returns at a switch back.
inline void context_switch(Context& from, Context& to) {
#if defined(PELTON_SIM_ASAN)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.size);
#endif
#if defined(PELTON_SIM_ASSEMBLY)
  pelton_sim_switch(&from.saved, to.saved);
#else
  swapcontext(&from.saved, &to.saved);
#endif
#if defined(PELTON_SIM_ASAN)
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

// Entry of a new stack: `root` is the caller's own stack, with its place learnt here.
inline void context_begin(Context& root) {
#if defined(PELTON_SIM_ASAN)
  const void* bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  if (root.bottom == nullptr) {
    root.bottom = bottom;
    root.size = size;
  }
#else
  (void)root;
#endif
}

}  // namespace pelton_sim
