import ReplayUI
import SwiftUI

// A small app whose views are recorded in all of the ways; the tests of logs use it.

struct ListScreen: View {
  @Environment(Store.self) private var store
  let tally: Tally

  var body: some View {
    recorded {
      let _ = tally.count("ListScreen")
      VStack {
        Text("\(store.items.count) items")
        List(store.items) { ItemRow(item: $0, tally: tally) }
      }
    }
  }
}

/// A row of which a part has a separate scope.
struct ItemRow: View {
  let item: Item
  let tally: Tally

  var body: some View {
    recorded(id: item.id) {
      let _ = tally.count("ItemRow#\(item.id)")
      HStack {
        Text(item.title)
        ItemMark(item: item, tally: tally)
      }
    }
  }
}

struct ItemMark: View {
  let item: Item
  let tally: Tally

  var body: some View {
    recorded("Mark", id: item.id) {
      let _ = tally.count("Mark#\(item.id)")
      if item.isDone { Text("done \(item.id)") } else { Button("do \(item.id)") { item.isDone = true } }
    }
  }
}

/// Views of an observed object and of recorded ones beside each other.
struct MixedScreen: View {
  let store: Store
  let inbox: Inbox
  let old: OldInbox
  let tally: Tally
  @State private var showsList = true
  @State private var generation = 0

  var body: some View {
    VStack {
      Button("toggle") { showsList.toggle() }
      Button("renew") { generation += 1 }
      ScopeView(OldInbox.self, name: "Old") { old, _ in
        let _ = tally.count("Old")
        Text("old \(old.count)")
      }
      ScopeView(Inbox.self, name: "Count") { inbox, _ in
        let _ = tally.count("Count")
        Text("count \(inbox.count)")
        ScopeView(Inbox.self, name: "Inner") { inbox, _ in
          let _ = tally.count("Inner")
          Text("text \(inbox.text)")
        }
      }
      .id(generation)
      if showsList { ListScreen(tally: tally) }
    }
    .environment(store).environment(inbox).environmentObject(old)
  }
}
