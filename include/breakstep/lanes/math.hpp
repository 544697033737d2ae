// All of lanes' mathematics: one implementation per function for every width, each with its stated domain and error.
#pragma once

#include "breakstep/lanes/math/exponential.hpp"
#include "breakstep/lanes/math/special.hpp"
#include "breakstep/lanes/math/trigonometric.hpp"
#include "breakstep/lanes/math/turns.hpp"
