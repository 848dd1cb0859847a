import Projection

/// A screen that draws once a frame, and then only the widgets that are out of date.
final class FrameScreen {
  final class Widget {
    let hosted: HostedProjection
    let look: () -> String
    fileprivate(set) var text = ""

    init(_ hosted: HostedProjection, _ look: @escaping () -> String) {
      (self.hosted, self.look) = (hosted, look)
    }

    fileprivate func draw() { text = hosted.run(look) }
  }

  /// Whether there is something to draw.
  private(set) var needsFrame = false
  private let session: Session
  private var widgets: [String: Widget] = [:]

  init(_ session: Session) { self.session = session }

  func add(_ name: String, id: Int, in parent: Widget? = nil, _ look: @escaping () -> String) -> Widget {
    let hosted = session.hosted(name, id: id, parent: parent?.hosted, tracking: .element)
    let widget = Widget(hosted, look)
    widget.hosted.onInvalidate { [weak self] in self?.needsFrame = true }
    widgets[widget.hosted.name] = widget
    widget.draw()
    return widget
  }

  func remove(_ widget: Widget) {
    widgets[widget.hosted.name] = nil
    widget.hosted.dispose()
  }

  /// Draws a frame, when the display asks for one.
  func frame() {
    session.flush()
    needsFrame = false
    for hosted in session.invalidatedHosted { widgets[hosted.name]?.draw() }
    session.endHostTurn()
  }
}
