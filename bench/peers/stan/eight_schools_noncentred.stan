// Eight schools in standardised coordinates, then mu and log tau.
data {
  vector[8] effect;
  vector[8] error;
}
parameters {
  vector[10] x;
}
model {
  real tau = exp(x[10]);
  head(x, 8) ~ std_normal();
  x[9] ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  target += x[10];
  effect ~ normal(x[9] + tau * head(x, 8), error);
}
