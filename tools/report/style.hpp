// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement::tools {

// Returns the style sheet of the report: light and dark by the reader's own setting, narrow and wide, and for paper.
// Text has a contrast of at least 4.5 to what is behind it, lines and marks of at least 3 (WCAG 2.2, 1.4.3 and 1.4.11).
std::string report_style();

}  // namespace placement::tools
