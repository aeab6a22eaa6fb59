// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/forecast.hpp"

#include <cmath>
#include <limits>

#include "common/util/random.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;
using Predictor = Forecast::Predictor;

START_TEST(nothing_known) {
  Forecast forecast;
  ck_assert(std::isnan(forecast.value()));
  ck_assert(std::isnan(forecast.error()));
  for (const double none :
       {unknown_value, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 1e300})
    forecast.add(none);
  ck_assert_int_eq(forecast.count(), 0);
  forecast.add(5);
  ck_assert_double_eq(forecast.value(), 5);
  ck_assert(std::isnan(forecast.error()));
}
END_TEST

START_TEST(predictors_by_hand) {
  Forecast forecast;
  for (const double value : {1.0, 2.0, 9.0}) forecast.add(value);
  ck_assert_double_eq(forecast.predict(Predictor::last), 9);
  ck_assert_double_eq(forecast.predict(Predictor::mean), 4);
  ck_assert_double_eq(forecast.predict(Predictor::median), 2);
  ck_assert_double_eq_tol(forecast.predict(Predictor::ewma), 0.7 * (0.7 * 1 + 0.3 * 2) + 0.3 * 9, 1e-5);
  // The errors of `last` are |1 - 2| and |2 - 9|.
  ck_assert_double_eq_tol(forecast.error(Predictor::last), 4, 1e-5);
  ck_assert_double_eq_tol(forecast.error(Predictor::mean), (1 + 7.5) / 2, 1e-5);
  forecast.add(3);
  ck_assert_double_eq(forecast.predict(Predictor::median), 2.5);
}
END_TEST

START_TEST(the_window_forgets) {
  Forecast forecast;
  for (int i = 0; i < 100; ++i) forecast.add(1e6);
  for (std::size_t i = 0; i < Forecast::window; ++i) forecast.add(3);
  ck_assert_double_eq(forecast.predict(Predictor::mean), 3);
  ck_assert_double_eq(forecast.predict(Predictor::median), 3);
}
END_TEST

START_TEST(the_best_predictor_fits_the_series) {
  Random random(1);
  const auto uniform = [&random] { return static_cast<double>(random.below(1000)) / 1000; };
  Forecast constant, climb, outliers, noise;
  double level = 50;
  for (int i = 0; i < 2000; ++i) {
    constant.add(7);
    climb.add(level += 5 + uniform());
    outliers.add(random.below(5) == 0 ? 1000 : 10 + uniform());
    noise.add(10 + uniform());
  }
  ck_assert_double_eq(constant.value(), 7);
  ck_assert_double_eq(constant.error(), 0);
  ck_assert(climb.best() == Predictor::last);
  ck_assert(outliers.best() == Predictor::median);
  ck_assert_double_lt(outliers.value(), 12);
  ck_assert(noise.best() != Predictor::last);
  ck_assert_double_lt(noise.error(), noise.error(Predictor::last));
  ck_assert_int_eq(noise.count(), 2000);
}
END_TEST

int main() {
  Suite* suite = suite_create("forecast");
  TCase* tests = tcase_create("forecast");
  tcase_add_test(tests, nothing_known);
  tcase_add_test(tests, predictors_by_hand);
  tcase_add_test(tests, the_window_forgets);
  tcase_add_test(tests, the_best_predictor_fits_the_series);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
