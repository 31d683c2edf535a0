// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "nature.h"

namespace storage_probe::verdicts {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

Case healthy(const std::string& name, const Nature& nature) {
  Case result{name, nature};
  result.must_not_alarm = true;
  return result;
}

Case ill(const std::string& name, const Nature& nature, double drop) {
  Case result{name, nature};
  result.nature.drop = drop;
  result.years = 4;
  result.must_find = true;
  result.must_not_alarm = true;
  return result;
}

Case shown(Case of) {
  of.must_find = of.must_not_alarm = false;
  return of;
}

Case seldom(Case of, double years) {
  of.name += ", each 6 h";
  of.every = hours(6);
  of.years = years;
  return of;
}

// With load the device is looked at each second, and a second of simulation costs as much.
Case watched(Case of) {
  of.years = 0.5;
  return of;
}

Nature scattering(double spread, double level) {
  Nature nature;
  nature.spread = spread;
  nature.level = level;
  return nature;
}

Nature slow(Nature nature) {
  nature.memory = minutes(10);
  return nature;
}

Nature gaussian(Nature nature) {
  nature.floor = 0;
  return nature;
}

Nature with_load(Load load, double demand) {
  Nature nature;
  nature.load = load;
  nature.demand = demand;
  return nature;
}

Nature in_trouble(Trouble trouble) {
  Nature nature;
  nature.trouble = trouble;
  return nature;
}

void add_levels(std::vector<Case>& cases) {
  cases.push_back(healthy("cap at the promise", scattering(0.002, 1)));
  cases.push_back(seldom(healthy("cap at the promise", scattering(0.002, 1)), 300));
  cases.push_back(healthy("cap at twice the promise", scattering(0.002, 2)));
  Case below = ill("cap at 0.8 from the start", scattering(0.002, 1), 0);
  below.nature.level = 0.8;
  below.nature.floor = 0;
  below.must_not_alarm = false;
  cases.push_back(below);
}

void add_scatter(std::vector<Case>& cases) {
  for (const double spread : {0.05, 0.15}) {
    const std::string percent = spread < 0.1 ? "5 %" : "15 %";
    cases.push_back(healthy("spread " + percent + " at the promise", scattering(spread, 1)));
    cases.push_back(seldom(healthy("spread " + percent, scattering(spread, 1)), 300));
    cases.push_back(healthy("spread " + percent + " at twice it", scattering(spread, 2)));
    cases.push_back(healthy("spread " + percent + ", slow", slow(scattering(spread, 1))));
    cases.push_back(
        shown(healthy("spread " + percent + ", slow, at twice", slow(scattering(spread, 2)))));
    cases.push_back(
        shown(healthy("spread " + percent + ", no floor", gaussian(scattering(spread, 1)))));
  }
}

void add_drops(std::vector<Case>& cases) {
  const Nature steady = scattering(0.002, 1);
  const Nature noisy = scattering(0.05, 1);
  cases.push_back(shown(ill("drop of 10 %", steady, 0.1)));
  cases.push_back(ill("drop of 20 %", steady, 0.2));
  cases.push_back(ill("drop of 50 %", steady, 0.5));
  cases.push_back(seldom(ill("drop of 20 %", steady, 0.2), 20));
  cases.push_back(ill("drop of 20 %, spread 5 %", noisy, 0.2));
  cases.push_back(seldom(ill("drop of 20 %, spread 5 %", noisy, 0.2), 20));
  cases.push_back(shown(ill("drop of 20 %, spread 15 %", scattering(0.15, 1), 0.2)));
  cases.push_back(ill("drop of 50 %, spread 15 %", scattering(0.15, 1), 0.5));
  cases.push_back(shown(ill("drop of 20 % from twice", scattering(0.002, 2), 0.2)));
  cases.push_back(ill("drop of 30 % from twice", scattering(0.002, 2), 0.3));
}

void add_load(std::vector<Case>& cases) {
  for (const double demand : {0.3, 0.45, 0.6, 0.75, 0.9}) {
    const std::string percent = std::to_string(std::lround(demand * 100));
    cases.push_back(
        watched(healthy("own load of " + percent + " %", with_load(Load::steady, demand))));
  }
  cases.push_back(watched(healthy("own load in volleys", with_load(Load::volleys, 0.75))));
  cases.push_back(watched(healthy("own load that visits", with_load(Load::visits, 0.7))));
  cases.push_back(watched(healthy("own load without end", with_load(Load::endless, 2))));
  cases.push_back(watched(ill("own load of 45 %, drop 20 %", with_load(Load::steady, 0.45), 0.2)));
  cases.push_back(
      watched(ill("own load that visits, drop 20 %", with_load(Load::visits, 0.7), 0.2)));
  cases.push_back(
      watched(ill("own load without end, drop 20 %", with_load(Load::endless, 2), 0.2)));
}

void add_trouble(std::vector<Case>& cases) {
  cases.push_back(healthy("processor at its limit", in_trouble(Trouble::processor)));
  cases.push_back(healthy("cached", in_trouble(Trouble::cache)));
  cases.push_back(healthy("hangs", in_trouble(Trouble::hang)));
  cases.push_back(ill("hangs, drop of 20 %", in_trouble(Trouble::hang), 0.2));
  Case instance = healthy("instance below the volume", scattering(0.002, 1));
  instance.nature.instance = 0.7;
  cases.push_back(instance);
  Case credits = watched(healthy("gp2 that runs dry", with_load(Load::visits, 5)));
  credits.nature.promise = 300;
  credits.nature.has_credits = true;
  cases.push_back(credits);
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_levels(cases);
  add_scatter(cases);
  add_drops(cases);
  add_load(cases);
  add_trouble(cases);
  return cases;
}

}  // namespace storage_probe::verdicts
