"""How every refusal looks: its code with status and hint, its one shape, also before Django has the request."""
