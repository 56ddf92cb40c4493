package import JobModel

/// The claims, shared by the steps that ask and answer them.
package final class ClaimBook {
  package var claims = Claims(firstNumber: 0)
  /// When the coordinator's session began, by the ledger's clock.
  package var sessionBegan = Timestamp(milliseconds: 0)

  package init() {}
}
