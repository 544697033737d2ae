"""BlackJAX's MEADS and ChEES: its adaptation of all chains, then its kernel under vmap with what was found."""
import blackjax
import jax
import jax.numpy as jnp
import optax

from jax_many import in_lockstep

FIRST_STEP_SIZE, LEARNING_RATE = 0.1, 0.025  # of ChEES; the rate is the authors'


def meads(job, log_density, dimension, real):
    def warm_up(key, starts):
        adaptation = blackjax.meads_adaptation(log_density, job["chains"])
        (states, found), _ = adaptation.run(key, starts, job["warmup"])
        return found, states

    def one_draw(found, state, key):
        state, _ = blackjax.ghmc(log_density, **found).step(key, state)
        return state, state.position, jnp.int32(1)

    return in_lockstep(warm_up, one_draw, job, dimension, real)


def chees(job, log_density, dimension, real):
    functions = {}  # those of the kernel are made by the adaptation and hold none of its numbers

    def warm_up(key, starts):
        adaptation = blackjax.chees_adaptation(log_density, job["chains"], mass_matrix_estimation=job["metric"])
        optimizer = optax.adam(LEARNING_RATE)
        (states, found), _ = adaptation.run(
            key, starts, FIRST_STEP_SIZE, optimizer, job["warmup"], max_sampling_steps=job["draws"]
        )
        functions.update((name, found.pop(name)) for name in list(found) if name.endswith("_fn"))
        return found, states

    def one_draw(found, state, key):
        state, info = blackjax.dynamic_hmc(log_density, **found, **functions).step(key, state)
        return state, state.position, info.num_integration_steps

    return in_lockstep(warm_up, one_draw, job, dimension, real)
