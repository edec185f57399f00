// operation_test.h: every operation of an engine, on every core, against the plain reference.
//
// Each small network of engine/reference is one step, forward and backward, several times. Its
// loss and gradients must be those of the reference, within rounding; the same bits in every pass;
// and the same bits on every core, which is how a core that computes wrongly is found even when
// its error is small.
#pragma once

#include "engine/reference/replica.h"
#include "measure/cores.h"
#include "selftest/fault.h"
#include "selftest/test_row.h"

namespace lockstep {

struct OperationTest {
  MakeEngine make = nullptr;
  std::string device = "cpu";
  Dtype dtype = Dtype::F32;
  CoreSet cores;  // of --device cpu: one thread on each; else one thread does it all
  int passes = 2;
  std::string host;
  Fault fault = {};
};

// `name`: of the check, in the row.
TestRow test_operations(const OperationTest& test, const std::string& name);

// Whole networks on all cores at once: losses of a few steps of training.
TestRow test_networks(const OperationTest& test, const std::string& name);

}  // namespace lockstep
