/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Defines for each PASS(NAME) a function NAME that jumps to the function of the real plugin. Registers and the stack
 * stay as they are, so that arguments of any type pass through. Defines for each function of the list the pointer
 * real_NAME, which pass_through_bind() sets.
 */
#if defined(__x86_64__)
#define JUMP(name) endbr64; jmp *real_##name(%rip)
#elif defined(__aarch64__)
#define JUMP(name) hint 34; adrp x16, real_##name; ldr x16, [x16, :lo12:real_##name]; br x16
#else
#error "the select plugin is for x86-64 and aarch64"
#endif

#define TARGET(name) \
	.pushsection .bss; .balign 8; \
	.globl real_##name; .hidden real_##name; .type real_##name, %object; .size real_##name, 8; \
	real_##name: .skip 8; \
	.popsection;

#define OWN(name) TARGET(name)
#define PASS(name) TARGET(name) \
	.text; .balign 16; \
	.globl name; .type name, %function; \
	name: JUMP(name); \
	.size name, . - name;

#include "select_symbols.h"

	.section .note.GNU-stack, "", %progbits
