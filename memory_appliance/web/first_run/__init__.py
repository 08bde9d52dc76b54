"""The first run, guided: an owner, models, an agent, a first question, and the snippet for the gateway."""
