"""A plugin of anon_transformers to start from."""
