extension Graph {
  /// The shapes that benchmarks of reactive libraries agree on, then random layered graphs.
  static var shapes: [Graph] {
    [
      Graph(
        title: "diamond", sources: 1, rules: [Rule(inputs: [0]), .plusOne(0), Rule(inputs: [1, 2])],
        watched: [3]),
      chain(50),
      Graph(
        title: "broad: 50 chains of 2", sources: 1,
        rules: (0..<50).map { _ in Rule(inputs: [0]) } + (1...50).map { .plusOne($0) },
        watched: Array(51...100)),
      Graph(
        title: "triangle of 10", sources: 1,
        rules: (0..<10).map { .plusOne($0) } + [Rule(inputs: Array(0...10))], watched: [11]),
      Graph(
        title: "mux of 100, one set", sources: 100,
        rules: [Rule(inputs: Array(0..<100))] + (0..<100).map { Rule(inputs: [$0]) }
          + (0..<100).map { .plusOne(101 + $0) }, watched: [100] + Array(201...300), isSetWhole: false),
      Graph(
        title: "repeated reads", sources: 1, rules: [Rule(inputs: Array(repeating: 0, count: 30))],
        watched: [1]),
      Graph(
        title: "unstable reads", sources: 2,
        rules: [.plusOne(0), Rule(inputs: [1]), Rule(inputs: [2, 0, 3], isDynamic: true)], watched: [4]),
      Graph(
        title: "avoidable: the first of 20 gives the same", sources: 1,
        rules: [Rule(inputs: [0], finish: { _ in 7 })] + (1..<20).map { .plusOne($0) }, watched: [20]),
      cellx(1_000),
      cellx(2_500),
      layered(2, 5, reading: 2, dynamic: 0, watched: 1),
      layered(10, 10, reading: 6, dynamic: 25, watched: 20),
      layered(25, 12, reading: 4, dynamic: 5, watched: 100),
      layered(25, 5, reading: 20, dynamic: 0, watched: 100),
      layered(5, 500, reading: 3, dynamic: 0, watched: 100),
      layered(15, 50, reading: 6, dynamic: 50, watched: 50),
    ]
  }

  private static func chain(_ length: Int) -> Graph {
    Graph(
      title: "chain of \(length)", sources: 1, rules: (0..<length).map { .plusOne($0) }, watched: [length])
  }

  /// Layers of four, as the benchmark of cellx has them, with sums for its differences.
  private static func cellx(_ layers: Int) -> Graph {
    var rules: [Rule] = []
    for layer in 0..<layers {
      let base = layer * 4
      rules += [
        Rule(inputs: [base + 1]), Rule(inputs: [base, base + 2]), Rule(inputs: [base + 1, base + 3]),
        Rule(inputs: [base + 2]),
      ]
    }
    return Graph(
      title: "cellx grid of \(layers) layers", sources: 4, rules: rules,
      watched: Array((layers * 4)..<(layers * 4 + 4)))
  }

  /// Each node reads some nodes of the layer before; dynamic nodes decide by the first one whether to read the last.
  private static func layered(
    _ width: Int, _ layers: Int, reading: Int, dynamic: Int, watched: Int
  ) -> Graph {
    var random = UInt64(width * 1000 + layers)
    func pick(_ count: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % count
    }
    var rules: [Rule] = []
    for layer in 0..<layers {
      for node in 0..<width {
        let inputs = (0..<min(reading, width)).map { layer * width + (node + $0) % width }
        rules.append(Rule(inputs: inputs, isDynamic: pick(100) < dynamic))
      }
    }
    let last = layers * width
    return Graph(
      title: "\(width) wide, \(layers) layers, \(reading) reads, \(dynamic) % dynamic, \(watched) % watched",
      sources: width, rules: rules,
      watched: (last..<(last + width)).filter { _ in pick(100) < watched } + [last], isSetWhole: false)
  }
}

extension Graph.Rule {
  fileprivate static func plusOne(_ input: Int) -> Graph.Rule { .init(inputs: [input], finish: { $0 &+ 1 }) }
}
