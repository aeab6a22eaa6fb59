// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/util/text_scanner.hpp"

namespace placement {

// Returns whether the lines of numbers from the scanner's current line on could be an edge list as well as a dense
// matrix: n lines of n numbers, n = 2 to 4, whose first two numbers can be ranks. With n = 3 the third number can be
// bytes, with n = 4 the fourth one messages. Returns false for lines that are surely dense, or that are no square
// matrix. A matrix without diagonal that is symmetric is surely dense.
bool could_be_edge_list(TextScanner in);

}  // namespace placement
