/// Which values there were of late: at least the last ``limit``, and at most twice as many.
package struct RecentSet<Element: Hashable> {
  private var (young, old): (Set<Element>, Set<Element>) = ([], [])
  private let limit: Int

  package init(limit: Int = 10_000) { self.limit = limit }

  /// Adds a value. Returns whether it is new.
  package mutating func insert(_ element: Element) -> Bool {
    if young.contains(element) || old.contains(element) { return false }
    if young.count >= limit { (old, young) = (young, []) }
    return young.insert(element).inserted
  }
}
