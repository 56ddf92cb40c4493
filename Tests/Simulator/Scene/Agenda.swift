/// What is to happen, by its time; what was put in first comes first at the same time. A binary heap.
struct Agenda<Item> {
  private struct Entry {
    let time: Duration
    let number: Int
    let item: Item

    func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
  }

  private var heap: [Entry] = []
  private var lastNumber = 0

  var isEmpty: Bool { heap.isEmpty }
  var nextTime: Duration? { heap.first?.time }

  mutating func add(_ item: Item, at time: Duration) {
    lastNumber += 1
    heap.append(Entry(time: time, number: lastNumber, item: item))
    var index = heap.count - 1
    while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func takeFirst() -> (time: Duration, item: Item)? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    return (first.time, first.item)
  }

  private mutating func sink() {
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
        least = child
      }
      if least == index { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
