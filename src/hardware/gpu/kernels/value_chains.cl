// Chains of dependent floating-point operations for each value type (see chains.h).

CHAIN(chain_add, VALUE, a = a + b)
CHAIN(chain_multiply, VALUE, a = a * b)
CHAIN(chain_fma, VALUE, a = fma(a, b, a))
