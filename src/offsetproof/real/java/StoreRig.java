package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * An OffsetStore of any class, alone: a step is a call of the interface, and what can be seen is what its calls answer.
 *
 * It is made by its constructor for a client's instance and a group, for a group, or for nothing. Each rig has a group
 * that was not there before, so a store that keeps the group's name apart begins empty. Queues of one number are on two
 * brokers and of two topics, and the model's small offsets are real ones, beyond 32 bits too.
 */
final class StoreRig implements Rig {
  private static final String[] TOPICS = {"topic", "topic", "other topic"};
  private static final String[] BROKERS = {"broker", Instances.OTHER_BROKER, "broker"};
  private static final List<Long> OFFSETS = List.of(0L, 127L, 1000L, (1L << 31) + 5);
  private static final int THREADS = 4;
  private static final int ROUNDS = 60;
  private static int rigs;
  private static int races;

  private final String className;
  private final String group = "group" + System.nanoTime() + "-" + rigs++;
  private final List<MessageQueue> queues = new ArrayList<>();
  private final MQClientInstance instance;
  private OffsetStore store;
  private Long answer;

  StoreRig(JSONObject settings) throws Throwable {
    className = settings.getString("class");
    for (int number = 0; number < settings.getIntValue("queues"); number++) {
      queues.add(new MessageQueue(TOPICS[number], BROKERS[number], 0));
    }
    instance = Instances.ofStore(List.of(TOPICS));
    store = loaded();
  }

  private OffsetStore loaded() throws Throwable {
    OffsetStore made = made();
    made.load();
    return made;
  }

  private OffsetStore made() throws Throwable {
    Object[][] tried = {{instance, group}, {group}, {}};
    Class<?> type = storeClass();
    for (Object[] arguments : tried) {
      Constructor<?> constructor = constructor(type, arguments);
      if (constructor != null) {
        try {
          return (OffsetStore) constructor.newInstance(arguments);
        } catch (InvocationTargetException thrown) {
          throw thrown.getCause();
        }
      }
    }
    throw new IllegalArgumentException(
        className + " has no public constructor (MQClientInstance, String), (String) or ()");
  }

  private Class<?> storeClass() {
    try {
      Class<?> type = Class.forName(className);
      if (OffsetStore.class.isAssignableFrom(type)) {
        return type;
      }
    } catch (ClassNotFoundException error) {
      throw new IllegalArgumentException("there is no class " + className + " on the class path");
    }
    throw new IllegalArgumentException(className + " is not an OffsetStore");
  }

  private static Constructor<?> constructor(Class<?> type, Object[] arguments) {
    for (Constructor<?> each : type.getConstructors()) {
      Class<?>[] types = each.getParameterTypes();
      boolean fits = types.length == arguments.length;
      for (int i = 0; fits && i < types.length; i++) {
        fits = types[i].isInstance(arguments[i]);
      }
      if (fits) {
        return each;
      }
    }
    return null;
  }

  @Override
  public JSONObject step(JSONObject command) throws Exception {
    JSONObject answered = new JSONObject(true);
    answer = null;
    try {
      call(command);
    } catch (Throwable error) {
      answered.put("error", error.toString());
    }
    answered.put("state", state());
    return answered;
  }

  private void call(JSONObject command) throws Throwable {
    MessageQueue queue = command.containsKey("q") ? queues.get(command.getIntValue("q")) : null;
    switch (command.getString("do")) {
      case "raise":
        store.updateOffset(queue, offset(command), true);
        break;
      case "set":
        store.updateOffset(queue, offset(command), false);
        break;
      case "read":
        answer = store.readOffset(queue, ReadOffsetType.valueOf(command.getString("kind")));
        break;
      case "persist all":
        store.persistAll(listed(command));
        break;
      case "persist":
        store.persist(queue);
        break;
      case "remove":
        store.removeOffset(queue);
        break;
      case "commit elsewhere":
        OffsetStore other = loaded();
        other.updateOffset(queue, offset(command), false);
        other.persist(queue);
        break;
      case "restart":
        store = loaded();
        break;
      case "raise at once":
        raiseAtOnce(command.getIntValue("x"));
        break;
      default:
        throw new IllegalArgumentException("no such call: " + command.getString("do"));
    }
  }

  private Set<MessageQueue> listed(JSONObject command) {
    Set<MessageQueue> listed = new HashSet<>();
    for (Object number : command.getJSONArray("listed")) {
      listed.add(queues.get((Integer) number));
    }
    return listed;
  }

  private static long offset(JSONObject command) {
    return OFFSETS.get(command.getIntValue("x"));
  }

  /** An offset as the model has it; -1 says that there is none, and what nobody has stored is shown as it is. */
  private static Object shown(Long offset) {
    if (offset == null || offset == -1) {
      return null;
    }
    int number = OFFSETS.indexOf(offset);
    return number < 0 ? "offset " + offset : (Object) number;
  }

  /**
   * Threads that begin together raise every queue to `highest` or to less, each in an order of its own. One more reads.
   * Queues that nobody else knows are raised beside them in many rounds, so that a lost update has its chance.
   */
  private void raiseAtOnce(int highest) throws Exception {
    int first = ROUNDS * races++;
    ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
    CyclicBarrier together = new CyclicBarrier(THREADS + 1);
    List<Future<?>> done = new ArrayList<>();
    for (int number = 0; number < THREADS; number++) {
      int mine = number;
      done.add(threads.submit((Callable<Void>) () -> raise(together, first, mine, highest)));
    }
    done.add(threads.submit((Callable<Void>) () -> read(together)));
    try {
      for (Future<?> each : done) {
        each.get(10, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    for (int round = 0; round < ROUNDS; round++) {
      long offset = store.readOffset(stranger(first + round), ReadOffsetType.READ_FROM_MEMORY);
      long highestOfAll = OFFSETS.get(THREADS - 1);
      if (offset != highestOfAll) {
        throw new IllegalStateException("threads raised a queue to " + highestOfAll + " at once, and it has " + offset);
      }
      store.removeOffset(stranger(first + round));
    }
  }

  private static MessageQueue stranger(int number) {
    return new MessageQueue("another topic", "broker", number);
  }

  private Void raise(CyclicBarrier together, int first, int mine, int highest) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      if (round % 20 == 0) {
        together.await(10, TimeUnit.SECONDS);
      }
      store.updateOffset(stranger(first + round), OFFSETS.get(mine), true);
    }
    for (MessageQueue queue : queues) {
      store.updateOffset(queue, OFFSETS.get(Math.max(0, highest - mine)), true);
    }
    return null;
  }

  private Void read(CyclicBarrier together) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      if (round % 20 == 0) {
        together.await(10, TimeUnit.SECONDS);
      }
      store.cloneOffsetTable(TOPICS[0]);
      store.readOffset(queues.get(0), ReadOffsetType.READ_FROM_MEMORY);
    }
    return null;
  }

  @Override
  public JSONObject state() throws Exception {
    JSONObject state = new JSONObject(true);
    OffsetStore fresh;
    try {
      fresh = loaded();
    } catch (Exception error) {
      throw error;
    } catch (Throwable error) {
      throw new IllegalStateException(error);
    }
    for (int number = 0; number < queues.size(); number++) {
      MessageQueue queue = queues.get(number);
      Object cloned = cloned(queue);
      Object cell = shown(store.readOffset(queue, ReadOffsetType.READ_FROM_MEMORY));
      boolean same = Objects.equals(cell, cloned);
      state.put("queue[" + number + "].cell", same ? cell : "read " + cell + ", cloned " + cloned);
      state.put("queue[" + number + "].stored", shown(fresh.readOffset(queue, ReadOffsetType.READ_FROM_STORE)));
    }
    state.put("answer", shown(answer));
    return state;
  }

  /** What cloneOffsetTable has of a queue: it gives the topic's alone, in a table that others may empty. */
  private Object cloned(MessageQueue queue) {
    Map<MessageQueue, Long> table = store.cloneOffsetTable(queue.getTopic());
    Object offset = shown(table.get(queue));
    for (MessageQueue each : table.keySet()) {
      if (!each.getTopic().equals(queue.getTopic())) {
        offset = each + " as well";
      }
    }
    table.clear();
    return offset;
  }

  @Override
  public void close() {
    // A store has nothing that runs.
  }
}
