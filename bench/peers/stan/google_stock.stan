// Returns that switch between two regimes; see google_stock in ../targets.py for the coordinates.
data {
  int<lower=1> n;
  vector[n] y;
}
parameters {
  vector[9] x;
}
model {
  real p1 = inv_logit(x[3]);
  real p2 = inv_logit(x[4]);
  real rho = exp(x[5]);
  real sigma1 = exp(x[6]);
  real sigma2 = exp(x[7]);
  real xi = inv_logit(x[8]);
  x[1:2] ~ normal(0, 0.1);
  [p1, p2] ~ beta(10, 2);
  rho ~ normal(1, 0.1);
  [sigma1, sigma2] ~ cauchy(0, 1);
  xi ~ beta(2, 2);
  x[9] ~ std_normal();
  target += log_inv_logit(x[3]) + log1m_inv_logit(x[3]) + log_inv_logit(x[4]) + log1m_inv_logit(x[4]);
  target += x[5] + x[6] + x[7] + log_inv_logit(x[8]) + log1m_inv_logit(x[8]);
  {
    real before = x[9];
    real peak1 = inv_sqrt(2 * pi()) / sigma1;
    real peak2 = inv_sqrt(2 * pi()) / sigma2;
    for (t in 1 : n) {
      real eta1 = peak1 * exp(-0.5 * square((y[t] - x[1]) / sigma1));
      real eta2 = peak2 * exp(-0.5 * square((y[t] - x[2] - rho * before) / sigma2));
      real first = p1 * eta1 + (1 - p1) * eta2;
      real second = (1 - p2) * eta1 + p2 * eta2;
      real day = fmax(xi * first + (1 - xi) * second, 1e-6);
      target += log(day);
      xi = xi * first / day;
      before = y[t];
    }
  }
}
