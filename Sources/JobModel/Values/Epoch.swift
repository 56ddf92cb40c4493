/// How the 63 bits of a number that a claim uses are shared out: the epoch of the ledger, the start of the coordinator
/// within that epoch (its incarnation), and a count.
package enum Epoch {
  package static let incarnationBits = 20
  package static let numberBits = 32
  /// No epoch has this number: the rest of the 63 bits.
  package static let limit = 1 << (63 - incarnationBits - numberBits)
}
