// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "common/util/decision_outcome.h"
#include "common/util/error.hpp"

namespace placement {

// The Error of a policy that cannot place a job. It has the class of the reason; a plain Error has class STOCK_REQUEST.
class PlacementError : public Error {
 public:
  PlacementError(stock_reason reason, const std::string& text) : Error(text), reason_(reason) {}
  stock_reason reason() const { return reason_; }

 private:
  stock_reason reason_;
};

// Returns the class of the reason that the error gives.
inline stock_reason reason_of(const Error& error) {
  const auto* const refused = dynamic_cast<const PlacementError*>(&error);
  return refused ? refused->reason() : STOCK_REQUEST;
}

}  // namespace placement
