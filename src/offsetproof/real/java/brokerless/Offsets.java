package offsetproof;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.JSONObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A broker's table of offsets where the release's own is not published: played, so nothing that it does is evidence.
 *
 * It keeps what it is told and writes it to its file.
 */
final class Offsets {
  private final Path file;
  private final Map<String, Long> table = new ConcurrentHashMap<>();

  Offsets(Path file) {
    this.file = file;
  }

  private static String key(String group, String topic, int queue) {
    return topic + "@" + group + "@" + queue;
  }

  void commitOffset(String from, String group, String topic, int queue, long offset) {
    table.put(key(group, topic, queue), offset);
  }

  long queryOffset(String group, String topic, int queue) {
    return table.getOrDefault(key(group, topic, queue), -1L);
  }

  /** Asked for a topic's lowest offsets without a group, the real one forgets that group's: so does this. */
  void queryMinOffsetInAllGroup(String topic, String group) {
    table.keySet().removeIf(key -> key.startsWith(topic + "@" + group + "@"));
  }

  void removeOffset(String group) {
    table.keySet().removeIf(key -> key.contains("@" + group + "@"));
  }

  boolean load() {
    try {
      if (Files.exists(file)) {
        JSONObject stored = JSON.parseObject(Files.readString(file));
        stored.keySet().forEach(key -> table.put(key, stored.getLong(key)));
      }
      return true;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  void persist() {
    try {
      Files.writeString(file, JSON.toJSONString(table));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
