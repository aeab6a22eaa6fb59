/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLACEMENT_PLAIN_TEXT_H
#define PLACEMENT_PLAIN_TEXT_H

#include <string.h>

/* The most bytes of a decision in the system comment of a job, without the character that ends it. */
#define PLACEMENT_MOST_COMMENT_BYTES 510

/* Cuts the text, and replaces each character by '_' that is not printable ASCII, or is one of `unwanted`. */
static inline void placement_plain_text(char *text, const char *unwanted)
{
	if (strlen(text) > PLACEMENT_MOST_COMMENT_BYTES)
		text[PLACEMENT_MOST_COMMENT_BYTES] = '\0';
	for (; *text; text++)
		if (*text < ' ' || *text > '~' || strchr(unwanted, *text))
			*text = '_';
}

#endif
