"""The demo agent's sample workspace: a small household that writes in English and Chinese."""
