"""The pages of docs/ that follow from the code, one module each."""
