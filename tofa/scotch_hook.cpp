// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/scotch_hook.hpp"

namespace placement::tofa {

namespace {

ScotchMapper provided = nullptr;

}  // namespace

void provide_scotch(ScotchMapper mapper) { provided = mapper; }

ScotchMapper scotch_mapper() { return provided; }

}  // namespace placement::tofa
