package offsetproof.whole;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** What was so when: rows, each with microseconds since 1970 in front; looked at once a millisecond where it is state. */
final class Notes {
  private static final long PAUSE_NANOS = 1_000_000;

  private final List<List<Object>> rows = new ArrayList<>();
  private final Map<List<Object>, Object> last = new HashMap<>();

  static long now() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
  }

  /** Looks again and again; what is seen is told to `changed`. */
  void look(Consumer<Notes> what) {
    Thread thread = new Thread(() -> {
      while (true) {
        what.accept(this);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }, "notes");
    thread.setDaemon(true);
    thread.start();
  }

  /** All values of one kind, by what they are the values of: what has changed since the last look is noted, with null for gone. */
  synchronized void see(String kind, Map<List<Object>, Object> now) {
    for (List<Object> of : new ArrayList<>(last.keySet())) {
      if (of.get(0).equals(kind) && !now.containsKey(of.subList(1, of.size()))) {
        last.remove(of);
        add(of, null);
      }
    }
    now.forEach((of, value) -> {
      List<Object> key = new ArrayList<>(of);
      key.add(0, kind);
      if (!value.equals(last.put(key, value))) {
        add(key, value);
      }
    });
  }

  private void add(List<Object> what, Object value) {
    List<Object> row = new ArrayList<>(what);
    row.add(0, now());
    row.add(value);
    rows.add(row);
  }

  /** Something that happens. */
  synchronized void happens(Object... what) {
    List<Object> row = new ArrayList<>(Arrays.asList(what));
    row.add(0, now());
    rows.add(row);
  }

  synchronized List<List<Object>> since(int from) {
    return new ArrayList<>(rows.subList(from, rows.size()));
  }
}
