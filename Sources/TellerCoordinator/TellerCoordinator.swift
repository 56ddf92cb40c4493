// Who runs a coordinator adds services to it, and catches errors of the broker: both are Teller's.
@_exported public import Teller
