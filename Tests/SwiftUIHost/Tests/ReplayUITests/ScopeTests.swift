import ReplayUI
import Testing
