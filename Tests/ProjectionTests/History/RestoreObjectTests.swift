import EventLog
import Foundation
import Projection
import Testing

@Suite struct RestoredObjects {
  @Test func sharedObjectsAndCyclesComeBackAsOneObjectEach() throws {
    let place = try LogPlace()
    try place.record { session in
      let root = Folder(id: 1, name: "root")
      session.attach(root, as: "root")
      let child = Folder(id: 2, name: "child")
      child.parent = root
      root.children.append(child)
      root.friends["me"] = root
      root.friends["it"] = child
      child.name = "renamed"
    }
    let root = try Recording(place.url).restore(Folder.self, root: "root")
    let child = try #require(root.children.first)
    #expect(root.id == 1 && child.id == 2 && child.name == "renamed")
    #expect(child.parent === root && root.friends["me"] === root && root.friends["it"] === child)
  }

  @Test func aChainOfAnyLengthIsRestored() throws {
    let place = try LogPlace()
    let count = 2_000
    try place.record { session in
      let root = Folder(id: 0, name: "root")
      session.attach(root, as: "root")
      root.children = RecordedArray((1...count).map { Folder(id: $0, name: "") })
      for index in 1..<count { root.children[index - 1].friends["next"] = root.children[index] }
    }
    let root = try Recording(place.url).restore(Folder.self, root: "root")
    var link = root.children.first
    for number in 1...count {
      try #require(link?.id == number)
      let next = link?.friends["next"]
      // Released all at once, the chain would be released recursively, as deep as it is long.
      link?.friends = [:]
      link = next
    }
    #expect(link == nil)
  }

  @Test func aSubclassIsRestoredWhereItIsListed() throws {
    let place = try LogPlace()
    try place.record { session in
      let zoo = Zoo()
      session.attach(zoo, as: "zoo")
      zoo.animals = [Animal(name: "cat"), Dog(name: "rex", tricks: ["sit"])]
      zoo.star = zoo.animals[1]
    }
    let zoo = try Recording(place.url, types: [RestorableType(Dog.self)]).restore(Zoo.self, root: "zoo")
    #expect(zoo.animals.map(\.name) == ["cat", "rex"])
    #expect((zoo.star as? Dog)?.tricks == ["sit"] && zoo.star === zoo.animals[1])

    let error = #expect(throws: RestoreError.self) {
      try Recording(place.url).restore(Zoo.self, root: "zoo")
    }
    #expect(error?.description.contains("zoo.animals[1]: recorded as Dog, and wanted as Animal") == true)
  }

  @Test @MainActor func isolatedClassesAreRestoredInTheirIsolation() throws {
    let place = try LogPlace()
    let session = try Session(recordingTo: place.url)
    let screen = Screen()
    session.attach(screen, as: "screen")
    screen.title = "Files"
    screen.folder = Folder(id: 3, name: "f")
    try session.close()
    let restored = try Recording(place.url).restore(Screen.self, root: "screen")
    #expect(restored.title == "Files" && restored.folder?.name == "f")
  }

  @Test func anObjectThatNeedsMoreThanTheLogHoldsIsMadeByTheApp() throws {
    let place = try LogPlace()
    let service = Service()
    try place.record { session in
      let client = Client(service: service)
      session.attach(client, as: "client")
      client.count = 3
    }
    let error = #expect(throws: RestoreError.self) {
      try Recording(place.url).restore(Client.self, root: "client")
    }
    #expect(error?.description.contains("client.service: recorded as nothing, and wanted as Service") == true)
    let recording = try Recording(
      place.url, types: [RestorableType(Client.self) { _ in Client(service: service) }])
    let client = try recording.restore(Client.self, root: "client")
    #expect(client.count == 3 && client.service === service)
  }

  @Test func aRestoredObjectBelongsToNoSessionAndIsObservedAsEver() throws {
    let place = try LogPlace()
    try place.record { $0.attach(Chain(), as: "chain") }
    let chain = try Recording(place.url).restore(Chain.self, root: "chain")
    let session = Session()
    session.attach(chain, as: "again")
    var runs = 0
    session.projection("P") { _ in
      runs += 1
      return chain.number
    }
    chain.number = 2
    #expect(runs == 2)
  }
}
