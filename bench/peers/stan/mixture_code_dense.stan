// The equal mixture of N(+5, S/2) and N(-5, S/2) by products with the dense inverse of S.
data {
  int<lower=1> d;
  matrix[d, d] inverse_covariance;
}
parameters {
  vector[d] x;
}
model {
  matrix[d, 3] z;
  z[, 1] = x;
  z[, 2] = x - 10;
  z[, 3] = x + 10;
  row_vector[3] forms = columns_dot_product(z, inverse_covariance * z);
  target += -0.5 * forms[1] + log_sum_exp(-0.5 * forms[2], -0.5 * forms[3]);
}
