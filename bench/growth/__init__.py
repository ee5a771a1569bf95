"""How the service fares with very many plans in its database."""
