package offsetproof;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** Which of the lines that are watched were come to: who watches the first line of a method knows whether it ran. */
final class Entered {
  private static final Set<String> WATCHED = ConcurrentHashMap.newKeySet();
  private static final Set<String> LINES = ConcurrentHashMap.newKeySet();

  private Entered() {}

  static void watch(String line) {
    WATCHED.add(line);
  }

  /** A thread, whichever it is, is before this line. */
  static void note(String line) {
    if (WATCHED.contains(line)) {
      LINES.add(line);
    }
  }

  /** The watched lines that were come to since the last time, in order. */
  static List<String> take() {
    List<String> taken = List.copyOf(new TreeSet<>(LINES));
    LINES.removeAll(taken);
    return taken;
  }
}
