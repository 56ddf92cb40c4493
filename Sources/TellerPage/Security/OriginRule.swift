/// Whether a request comes from the page itself, and not from a page of another site in the same browser.
///
/// A browser says so by `Sec-Fetch-Site`, which no script can set. Where it does not (an old one, or a page without
/// encryption that is not of this machine), it still names the origin of every change.
enum OriginRule {
  /// What a request says about the page that it comes from. All values of each field.
  struct Claim: Hashable, Sendable {
    var fetchSite: [String] = []
    var origin: [String] = []
  }

  /// Why a change is refused, for people; nil: it is not. `own`: the page as the browser names it.
  static func refusal(ofChange claim: Claim, own: String) -> String? {
    if claim.fetchSite == ["same-origin"] { return nil }
    if let site = claim.fetchSite.first {
      return "this change comes from another page (Sec-Fetch-Site: \(known(site))); make it on Teller's own page"
    }
    guard let origin = claim.origin.first, claim.origin.count == 1 else {
      return "this change does not say which page it comes from; a browser sends Sec-Fetch-Site or Origin, another "
        + "program must send Origin: \(own)"
    }
    if origin.lowercased() == own { return nil }
    return "this change comes from another page than \(own); make it on Teller's own page"
  }

  /// The same of a question: other pages may neither read an answer nor keep a stream open.
  static func refusal(ofQuestion claim: Claim) -> String? {
    guard let site = claim.fetchSite.first, !["same-origin", "none"].contains(site) else { return nil }
    return "this question comes from another page (Sec-Fetch-Site: \(known(site))); ask it on Teller's own page"
  }

  /// A word that browsers send; what else somebody sends is not repeated.
  private static func known(_ site: String) -> String {
    ["cross-site", "same-site", "none"].first { $0 == site } ?? "unknown"
  }
}
