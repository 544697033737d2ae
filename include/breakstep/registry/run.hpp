// make_run: joins an erased sampler and an erased target; the only place where the two meet.
#pragma once

#include <cstdint>
#include <memory>

#include "breakstep/registry/sampler.hpp"
#include "breakstep/registry/target.hpp"
#include "breakstep/runtime/engine.hpp"
#include "breakstep/target/flow.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

/// A run that has not started. `one_chain_at_a_time` takes width 1, the plain single-chain sampler. The sampler must
/// outlive the run; the target is kept. `metric` is for samplers that ask for gradients, `flow` for those that work
/// through one; an empty one is the identity.
template <class Real>
std::unique_ptr<runtime::Run<Real>> make_run(const AnySampler& sampler, const std::shared_ptr<const AnyTarget>& target,
                                             lanes::Storage storage, std::uint64_t seed, std::size_t chains,
                                             bool one_chain_at_a_time = false, const target::GaussianPrior& metric = {},
                                             const target::FlowNumbers& flow = {});

extern template std::unique_ptr<runtime::Run<float>> make_run<float>(const AnySampler&,
                                                                     const std::shared_ptr<const AnyTarget>&,
                                                                     lanes::Storage, std::uint64_t, std::size_t, bool,
                                                                     const target::GaussianPrior&,
                                                                     const target::FlowNumbers&);
extern template std::unique_ptr<runtime::Run<double>> make_run<double>(const AnySampler&,
                                                                       const std::shared_ptr<const AnyTarget>&,
                                                                       lanes::Storage, std::uint64_t, std::size_t, bool,
                                                                       const target::GaussianPrior&,
                                                                       const target::FlowNumbers&);

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
