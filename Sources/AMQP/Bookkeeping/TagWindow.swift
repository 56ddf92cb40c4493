import DequeModule

/// Outstanding elements by tag. Tags only grow. Elements leave in any order, and leave gaps.
///
///     tags        4   5   6   7   8
///     entries    [a] [ ] [ ] [d] [e]     5 and 6 have left; the first entry is never a gap
///
/// Memory follows the number of elements, even if an old tag stays for ever: gaps that outnumber the elements are
/// closed.
struct TagWindow<Element> {
  /// Fewer gaps are not worth the work.
  private static var toleratedGaps: Int { 64 }

  private var entries: Deque<(tag: UInt64, element: Element?)> = []
  private(set) var count = 0

  /// The lowest outstanding tag.
  var oldest: UInt64? { entries.first?.tag }
  /// Elements and gaps together.
  var footprint: Int { entries.count }

  func contains(_ tag: UInt64) -> Bool { index(of: tag) != nil }

  /// Adds an element. Its tag must be higher than every tag before.
  mutating func append(_ element: Element, tag: UInt64) {
    entries.append((tag: tag, element: element))
    count += 1
  }

  mutating func remove(_ tag: UInt64) -> Element? {
    guard let index = index(of: tag) else { return nil }
    let element = entries[index].element
    entries[index].element = nil
    count -= 1
    dropLeadingGaps()
    closeGaps()
    return element
  }

  /// Removes the oldest element, unless its tag is above the limit.
  mutating func removeOldest(through limit: UInt64) -> (tag: UInt64, element: Element)? {
    guard let first = entries.first, first.tag <= limit, let element = first.element else { return nil }
    entries.removeFirst()
    count -= 1
    dropLeadingGaps()
    return (first.tag, element)
  }

  /// The oldest element that passes the test.
  func oldest(where passes: (Element) -> Bool) -> (tag: UInt64, element: Element)? {
    for entry in entries {
      guard let element = entry.element, passes(element) else { continue }
      return (entry.tag, element)
    }
    return nil
  }

  /// Replaces the element of a tag. Does nothing if the tag is not outstanding.
  mutating func replace(_ tag: UInt64, with element: Element) {
    guard let index = index(of: tag) else { return }
    entries[index].element = element
  }

  private func index(of tag: UInt64) -> Int? {
    guard let first = entries.first, tag >= first.tag else { return nil }
    // As long as no gap was closed, the position follows from the tag. Otherwise the entries are still sorted.
    let guess = tag - first.tag
    if guess < UInt64(entries.count), entries[Int(guess)].tag == tag {
      return entries[Int(guess)].element == nil ? nil : Int(guess)
    }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].tag < tag { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, entries[low].tag == tag, entries[low].element != nil else { return nil }
    return low
  }

  private mutating func dropLeadingGaps() {
    while let first = entries.first, first.element == nil { entries.removeFirst() }
  }

  private mutating func closeGaps() {
    if entries.count - count > count + Self.toleratedGaps { entries.removeAll { $0.element == nil } }
  }
}

extension TagWindow: Sendable where Element: Sendable {}
