// The special functions of packs: erf, erfc, the normal distribution, log-gamma, digamma, logistic and log-add-exp.
#pragma once

#include "breakstep/lanes/math/digamma.hpp"
#include "breakstep/lanes/math/error_function.hpp"
#include "breakstep/lanes/math/gamma.hpp"
#include "breakstep/lanes/math/log_add_exp.hpp"
#include "breakstep/lanes/math/logistic.hpp"
#include "breakstep/lanes/math/normal.hpp"
