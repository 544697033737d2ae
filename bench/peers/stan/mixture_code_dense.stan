// The equal mixture of N(+5, S/2) and N(-5, S/2) by a product with the dense inverse of S; `along` is S's largest eigenvalue.
data {
  int<lower=1> d;
  matrix[d, d] inverse_covariance;
  real<lower=0> along;
}
parameters {
  vector[d] x;
}
model {
  real m = mean(x);
  vector[d] rest = x - m;
  real scale = 0.5 * d / along;
  target += -dot_product(rest, inverse_covariance * rest) - scale * square(m)
            + log_sum_exp(-scale * square(m - 10), -scale * square(m + 10));
}
