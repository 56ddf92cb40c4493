/// The claims, shared by the steps that ask and answer them.
package final class ClaimBook {
  package var claims = Claims(firstNumber: 0)

  package init() {}
}
