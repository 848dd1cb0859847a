extension Found {
  static let sessions: [Found] = [
    Found(
      "an element beyond the end of an array is missing, not null",
      """
      {"kind":"set","path":"store.items","value":[{},null,null]}
      {"kind":"reads","projection":"A","paths":["store.items[2][#exists]","store.items[3]"]}
      {"kind":"remove","path":"store.items[0]"}
      {"kind":"set","path":"store.items","value":[]}
      {"kind":"remove","path":"store.items"}
      """),
    Found(
      "an object may be read by its number before it is defined",
      """
      {"kind":"reads","projection":"A","paths":["#6"]}
      {"kind":"reads","projection":"B","paths":["#6.title"]}
      {"kind":"set","path":"app","value":{"$object":"#6"}}
      {"kind":"set","path":"#6.title","value":"x"}
      """),
    Found(
      "a removal from an object that is not there concerns nobody who reads that object",
      """
      {"kind":"projection","projection":"Row","tracking":"object"}
      {"kind":"reads","projection":"Row","paths":["#1.b"]}
      {"kind":"reads","projection":"Row","added":[],"dropped":[]}
      {"kind":"remove","path":"#1.child"}
      """),
    Found(
      "a reader follows to an object that the app calls the same as before",
      """
      {"kind":"set","path":"store","value":{"$object":"#1","child":{"$object":"#2"}}}
      {"kind":"reads","projection":"A","paths":["store.child.n"]}
      {"kind":"set","path":"store.child","value":{"$object":"#3"},"same_value":true}
      {"kind":"set","path":"#3.n","value":1}
      {"kind":"set","path":"#2.n","value":1}
      """),
    Found(
      "whether there is a value does not depend on which object it is",
      """
      {"kind":"reads","projection":"A","paths":["store[\\"child\\"][#exists]","store[#exists]"]}
      {"kind":"set","path":"store.child","value":[]}
      {"kind":"set","path":"store.child","value":{"$object":"Item#4"}}
      {"kind":"set","path":"store.child","value":{"$object":"Item#5"}}
      {"kind":"set","path":"store","value":{"$object":"Item#6","child":null}}
      """),
    Found(
      "a reader crosses to another object because an object's id changed",
      """
      {"kind":"set","path":"store","value":{"$object":"#2","items":[{"$object":"Item#3"}]}}
      {"kind":"projection","projection":"A","tracking":"object"}
      {"kind":"reads","projection":"A","paths":["store.items[id: 0].n"]}
      {"kind":"set","path":"#3.id","value":0}
      {"kind":"set","path":"store.n","value":1}
      {"kind":"set","path":"#3.n","value":1}
      {"kind":"set","path":"#3.id","value":1}
      {"kind":"set","path":"#3.n","value":2}
      """),
    Found(
      "an element gets another id by an edit of the text of its id",
      """
      {"kind":"set","path":"store","value":{"$object":"Item#2","items":[{"name":null,"id":"x"}]}}
      {"kind":"reads","projection":"A","paths":["store.items[id: \\"x\\"].name"]}
      {"kind":"reads","projection":"B","paths":["store.items[#order]"]}
      {"kind":"splice","path":"store.items[id: \\"x\\"].id","offset":1,"delete":0,"insert":"y"}
      {"kind":"remove","path":"store.items[0].id"}
      """),
    Found(
      "an element that takes an id that an earlier reader's element has",
      """
      {"kind":"set","path":"store","value":{"$object":"Item#2","items":[{},{"id":3}]}}
      {"kind":"reads","projection":"A","paths":["store.items[id: 3]"]}
      {"kind":"set","path":"store.items[0].id","value":3}
      """),
    Found(
      "an object stands twice in an array and goes once",
      """
      {"kind":"set","path":"store","value":{"$object":"Item#2","items":[{"$object":"#4","id":1},{"$ref":"#4"}]}}
      {"kind":"reads","projection":"A","paths":["store.items[id: 1].id[#count]"]}
      {"kind":"set","path":"store.items[id: 1]","value":{}}
      """),
    Found(
      "an id that is null is as good as none",
      """
      {"kind":"set","path":"store","value":{"$object":"Item#2","items":[{"id":null}]}}
      {"kind":"reads","projection":"A","paths":["store.items[#order]"]}
      {"kind":"remove","path":"store.items[0].id"}
      """),
    Found(
      "an object that is an element of its own id",
      """
      {"kind":"set","path":"store","value":{"$object":"Item#5"}}
      {"kind":"set","path":"store.id","value":[{"$ref":"#5"}]}
      {"kind":"reads","projection":"A","paths":["store.id[id: 0.0].id"]}
      {"kind":"set","path":"store.id","value":-0.0}
      """),
    Found(
      "a place that an object held for a while in a transaction",
      """
      {"kind":"set","path":"store.child","value":null}
      {"kind":"reads","projection":"A","paths":["store.child.title"]}
      {"kind":"begin"}
      {"kind":"set","path":"store.child","value":{"$object":"#9"}}
      {"kind":"set","path":"store.child","value":null}
      {"kind":"end"}
      """),
    Found(
      "a projection that runs in a transaction follows to the objects of then",
      """
      {"kind":"set","path":"store.child","value":{"$object":"#5"}}
      {"kind":"reads","projection":"A","paths":["store.child.title"]}
      {"kind":"begin"}
      {"kind":"set","path":"store.child","value":{"$object":"#9"}}
      {"kind":"evaluate","projection":"A","duration_ns":0}
      {"kind":"set","path":"#9.title","value":"x"}
      {"kind":"end"}
      """),
    Found(
      "what the app called a change before a run in the transaction is not seen again after it",
      """
      {"kind":"set","path":"store.n","value":1}
      {"kind":"reads","projection":"A","paths":["store.n"]}
      {"kind":"begin"}
      {"kind":"set","path":"store.n","value":1,"same_value":false}
      {"kind":"evaluate","projection":"A","duration_ns":0}
      {"kind":"set","path":"store.n","value":2}
      {"kind":"set","path":"store.n","value":1}
      {"kind":"end"}
      """),
    Found(
      "a removal of nothing that the app calls a change leaves the count alone",
      """
      {"kind":"set","path":"store.dict","value":{}}
      {"kind":"reads","projection":"A","paths":["store.dict[#count]"]}
      {"kind":"reads","projection":"B","paths":["store.dict[\\"k\\"]"]}
      {"kind":"projection","projection":"C","tracking":"object"}
      {"kind":"reads","projection":"C","paths":["store.dict"]}
      {"kind":"remove","path":"store.dict[\\"k\\"]","same_value":false}
      {"kind":"remove","path":"store.dict[\\"k\\"].a"}
      {"kind":"remove","path":"store.dict[0]"}
      """),
    Found(
      "a change that is taken back by one that the app calls none",
      """
      {"kind":"set","path":"store.n","value":1}
      {"kind":"reads","projection":"A","paths":["store.n"]}
      {"kind":"begin"}
      {"kind":"set","path":"store.n","value":2,"same_value":true}
      {"kind":"set","path":"store.n","value":1}
      {"kind":"end"}
      """),
    Found(
      "an edit of a text that changes nothing but that the app calls a change, in a transaction",
      """
      {"kind":"set","path":"store.text","value":"ab"}
      {"kind":"reads","projection":"A","paths":["store.text"]}
      {"kind":"begin"}
      {"kind":"splice","path":"store.text","offset":0,"delete":1,"insert":"a","same_value":false}
      {"kind":"end"}
      """),
  ]
}
