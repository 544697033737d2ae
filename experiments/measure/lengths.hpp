// How often the loop of each draw of each chain went round, and what follows for chains that wait for each other.
#pragma once

namespace experiments {

/// Writes PREFIX_histogram.csv, PREFIX_ratios.csv, PREFIX_means.csv, PREFIX_costs.csv and PREFIX_facts.csv.
void measure_lengths(int argc, char** argv);

}  // namespace experiments
