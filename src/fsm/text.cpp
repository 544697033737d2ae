// Programs of the paper's toy language.
