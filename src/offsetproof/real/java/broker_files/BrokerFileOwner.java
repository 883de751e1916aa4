package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.rocketmq.broker.offset.ConsumerOffsetManager;

/**
 * A broker as far as its offset file goes: the real ConsumerOffsetManager.
 *
 * Where its text is to be longer than a buffer, it has one more row whose name is that long, as if there were many. A
 * broker that could not load has it, too, which it would not have: the model knows of no short texts among long ones.
 */
class BrokerFileOwner implements FileOwner {
  private static final String TOPIC = "topic";

  private final Path file;
  private final int queues;
  private final String filler;
  private final ConsumerOffsetManager manager;

  BrokerFileOwner(Path file, int queues, String filler) {
    this(file, queues, filler, new Offsets(file));
  }

  BrokerFileOwner(Path file, int queues, String filler, ConsumerOffsetManager manager) {
    this.file = file;
    this.queues = queues;
    this.filler = filler;
    this.manager = manager;
  }

  @Override
  public boolean load() throws Exception {
    boolean loaded = loadFile();
    if (filler != null) {
      commit(filler, 0, 1);
    }
    return loaded;
  }

  boolean loadFile() throws Exception {
    return manager.load();
  }

  private void commit(String topic, int queue, long offset) {
    manager.commitOffset("client", RigBroker.GROUP, topic, queue, offset);
  }

  @Override
  public Worker.Body body(String call, JSONObject arguments) {
    switch (call) {
      case "persist":
        return manager::persist;
      case "commit":
        return () -> commit(TOPIC, arguments.getIntValue("queue"), arguments.getLongValue("offset"));
      default:
        return null;
    }
  }

  @Override
  public Map<Integer, Long> read(String text) {
    ConsumerOffsetManager reader = new Offsets(file);
    reader.decode(text);
    Map<Integer, Long> offsets = new HashMap<>();
    for (int queue = 0; queue < queues; queue++) {
      offsets.put(queue, of(reader, queue));
    }
    return offsets;
  }

  @Override
  public Long offset(int queue) {
    return of(manager, queue);
  }

  private static Long of(ConsumerOffsetManager from, int queue) {
    long offset = from.queryOffset(RigBroker.GROUP, TOPIC, queue);
    return offset < 0 ? null : offset;
  }

  @Override
  public boolean lists(int queue) {
    return false;
  }

  @Override
  public Long position(int queue) {
    return null;
  }

  @Override
  public void leave() {
    // Nothing outlives it.
  }
}
