// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/monitor_input.hpp"

#include "config.h"
#include "common/util/error.hpp"
#include "tools/controller_input.hpp"

namespace placement {

#ifdef BUILD_MONITOR
MonitorAnswer ask_monitors(const Query& query, const Config& config) {
  const ControllerInput controller = read_controller();
  return ask_monitors(monitor_address(slurm_conf_path(), controller.state.value_or(ControllerState{}), config), query);
}
#else
MonitorAnswer ask_monitors(const Query&, const Config&) {
  throw Error("this placectl was built without munge, by which placement-monitor could be asked");
}
#endif

std::string described(const MonitorAnswer& answer) { return "placement-monitor on " + answer.from; }

}  // namespace placement
