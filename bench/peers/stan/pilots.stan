// Crossed varying intercepts: a, b, mu_a, mu_b, then the logits of the three scales over 100.
data {
  int<lower=1> n;
  array[n] int<lower=1> group;
  array[n] int<lower=1> scenario;
  vector[n] y;
}
parameters {
  vector[18] x;
}
model {
  vector[5] a = x[1:5];
  vector[8] b = x[6:13];
  vector[3] scale = 100 * inv_logit(x[16:18]);
  target += sum(log_inv_logit(x[16:18]) + log1m_inv_logit(x[16:18]));
  x[14:15] ~ std_normal();
  a ~ normal(10 * x[14], scale[1]);
  b ~ normal(10 * x[15], scale[2]);
  y ~ normal(a[group] + b[scenario], scale[3]);
}
