package offsetproof;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The members of the group as one broker knows them, where the release's own table is not published: played, so nothing
 * that it does is evidence.
 */
final class Members {
  private final Map<Integer, String> ids = new TreeMap<>();

  void restart() {
    ids.clear();
  }

  void hear(int process, String id) {
    ids.put(process, id);
  }

  void lose(int process, String id) {
    ids.remove(process, id);
  }

  /** What a client is told that asks for the members. */
  List<String> ids() {
    return new ArrayList<>(ids.values());
  }
}
