#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: alert_fires.py PROMTOOL RULES BEFORE AFTER [ALERT]

Checks with "promtool test rules" that ALERT fires when the metrics go from the state BEFORE to the state AFTER, and that no alert fires in
the state BEFORE. Without ALERT only the second is checked. BEFORE and AFTER are the names of two captures each, NAME.1 and NAME.2, in
the text format of Prometheus. Each state is taken to last: what changed between its captures goes on changing once a minute."""
import math
import re
import subprocess
import sys
import tempfile

BEFORE_MINUTES, AFTER_MINUTES = 30, 30
SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(\{[^}]*\})? (\S+)")


def capture(name):
    """{series: value} of a capture; an empty file has none."""
    with open(name, encoding="ascii") as lines:
        samples = [SAMPLE.fullmatch(line.rstrip("\n")) for line in lines if not line.startswith("#")]
    return {match[1] + (match[2] or ""): float(match[3]) for match in samples}


def lasting(first, second, minutes):
    """The values of a series in a state, as promtool reads them: one for each minute."""
    if second is None:
        return f"_x{minutes - 1}"
    if math.isnan(second):
        return " ".join(["NaN"] * minutes)
    change = 0 if first is None or math.isnan(first) else second - first
    return f"{second:.10g}{change:+.10g}x{minutes - 1}"


def test_file(rules, before, after, alert):
    states = [[capture(f"{name}.{k}") for k in (1, 2)] for name in (before, after)]
    names = sorted({name for state in states for values in state for name in values})
    text = f"rule_files: [{rules}]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n"
    for name in names:
        values = [lasting(state[0].get(name), state[1].get(name), minutes)
                  for state, minutes in zip(states, (BEFORE_MINUTES, AFTER_MINUTES))]
        text += f"      - series: '{name}'\n        values: '{' '.join(values)}'\n"
    text += "    promql_expr_test:\n"
    text += "      - expr: 'count by(alertname) (ALERTS{alertstate=\"firing\"})'\n"
    text += f"        eval_time: {BEFORE_MINUTES - 1}m\n        exp_samples: []\n"
    if alert:
        text += f"      - expr: 'count(ALERTS{{alertname=\"{alert}\", alertstate=\"firing\"}} == 1) > bool 0'\n"
        text += f"        eval_time: {BEFORE_MINUTES + AFTER_MINUTES - 2}m\n        exp_samples: [{{labels: '{{}}', value: 1}}]\n"
    return text


def main():
    promtool, rules, before, after = sys.argv[1:5]
    alert = sys.argv[5] if len(sys.argv) > 5 else ""
    with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="ascii") as file:
        file.write(test_file(rules, before, after, alert))
        file.flush()
        done = subprocess.run([promtool, "test", "rules", file.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        print(f"{alert or 'no alert'}: {before} -> {after}:\n{done.stdout}")
    return done.returncode


sys.exit(main())
