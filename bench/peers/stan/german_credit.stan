// Logistic regression with a scale per coefficient and one for all: coefficients, log scales, log of the common scale.
data {
  int<lower=1> n;
  int<lower=1> k;
  matrix[n, k] features;
  array[n] int<lower=0, upper=1> y;
}
parameters {
  vector[2 * k + 1] x;
}
model {
  vector[k + 1] scale = exp(tail(x, k + 1));
  head(x, k) ~ std_normal();
  scale ~ gamma(0.5, 0.5);
  target += sum(tail(x, k + 1));
  y ~ bernoulli_logit_glm(features, 0, scale[k + 1] * head(scale, k) .* head(x, k));
}
