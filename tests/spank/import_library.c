/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library that calls one of its own functions through its import table, as it calls functions of other libraries. */
__attribute__((visibility("default"), noinline, noclone)) int import_test_callee(int value);
__attribute__((visibility("default"))) int import_test_caller(int value);

int import_test_callee(int value) { return value + 1; }
int import_test_caller(int value) { return import_test_callee(value); }
