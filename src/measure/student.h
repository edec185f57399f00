// student.h: Student's t, for intervals from few measurements.
#pragma once

namespace lockstep {

// The 97.5 % quantile, for degrees of freedom from 1 on; they need not be whole.
double student_97_5(double freedom);

}  // namespace lockstep
