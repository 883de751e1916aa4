package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.common.protocol.route.BrokerData;
import org.apache.rocketmq.common.protocol.route.QueueData;
import org.apache.rocketmq.common.protocol.route.TopicRouteData;

/**
 * A broker and its slave with real offset tables and files, and clients with real offset stores; one step at a time.
 *
 * Played, not real: the name server (it knows who is registered), the network, processes and their ends, topics.json, what
 * messages there are, and the administrator.
 */
final class ReplicasRig implements Rig {
  static final String TOPIC = "topic";
  static final int MASTER = 0;
  static final int SLAVE = 1;
  private static final String[] ADDRESSES = {"127.0.0.1:4", "127.0.0.1:5"};
  private static final AtomicInteger NUMBER = new AtomicInteger();

  final JSONObject settings;
  final int queues;
  final boolean acting;
  private final Path folder;
  private final ReplicaBroker[] brokers = new ReplicaBroker[2];
  private final String[] phases = {"UP", "UP"};
  private final boolean[] knowTopic = {true, true};
  private final List<ReplicaClient> clients = new ArrayList<>();
  private byte[] copy;
  private Long command;

  ReplicasRig(JSONObject settings) throws Exception {
    this.settings = settings;
    queues = settings.getIntValue("queues");
    acting = settings.getIntValue("acting_master") == 1 && Versions.TAKES_SLAVES_TABLE;
    folder = Files.createDirectories(Path.of(settings.getString("folder"), "replicas-" + NUMBER.incrementAndGet()));
    knowTopic[SLAVE] = settings.getIntValue("new_topic") == 0;
    brokers[MASTER] = broker(MASTER);
    brokers[SLAVE] = broker(SLAVE);
    for (int r = 0; r < settings.getIntValue("stored"); r++) {
      for (int queue = 0; queue < queues; queue++) {
        brokers[r].commit(queue, 0);
      }
    }
    brokers[SLAVE].takeVersion(brokers[MASTER]);
    for (int c = 0; c < settings.getIntValue("consumers"); c++) {
      clients.add(new ReplicaClient(c, this));
    }
  }

  private ReplicaBroker broker(int r) throws Exception {
    return new ReplicaBroker(folder.resolve(String.valueOf(r)), r, settings, knowTopic[r]);
  }

  @Override
  public JSONObject step(JSONObject step) throws Exception {
    JSONObject answer = new JSONObject(true);
    try {
      change(step.getString("do"), step);
    } catch (Throwable error) {
      answer.put("error", error.toString());
    }
    answer.put("state", state());
    return answer;
  }

  private void change(String what, JSONObject step) throws Exception {
    if (step.containsKey("client") && !what.equals("execute_commit")) {
      clients.get(step.getIntValue("client")).change(what, step);
    } else if (step.containsKey("broker")) {
      changeBroker(what, step.getIntValue("broker"), step);
    } else {
      changePair(what, step);
    }
  }

  private void changeBroker(String what, int r, JSONObject step) throws Exception {
    switch (what) {
      case "start":
        brokers[r] = broker(r);
        brokers[r].load();
        phases[r] = acting && r == MASTER ? "ISOLATED" : "UP";
        break;
      case "flush":
        brokers[r].persist();
        break;
      case "shut_down":
        brokers[r].persist();
        stop(r);
        break;
      case "kill":
        stop(r);
        break;
      case "move_version":
        brokers[r].moveVersion();
        break;
      case "execute_commit":
        int queue = step.getIntValue("queue");
        brokers[r].commit(queue, clients.get(step.getIntValue("client")).arrived(r, queue));
        break;
      default:
        throw new IllegalArgumentException("no such change: " + what);
    }
  }

  private void changePair(String what, JSONObject step) throws Exception {
    switch (what) {
      case "send_table":
        copy = brokers[MASTER].sendTable();
        break;
      case "take_table":
        knowTopic[SLAVE] = true;
        brokers[SLAVE].takeTable(copy, true);
        copy = null;
        break;
      case "lose_table":
        copy = null;
        break;
      case "take_slaves_table":
        brokers[MASTER].takeSlavesTable(brokers[SLAVE].sendTable());
        phases[MASTER] = "READY";
        break;
      case "go_online":
        phases[MASTER] = "UP";
        break;
      case "reset":
        command = step.getLong("target");
        break;
      case "mark":
        brokers[MASTER].mark(step.getLongValue("target"));
        break;
      default:
        throw new IllegalArgumentException("no such change: " + what);
    }
  }

  private void stop(int r) {
    brokers[r] = null;
    phases[r] = "DOWN";
    clients.forEach(client -> client.disconnect(r));
    copy = r == SLAVE ? null : copy;
  }

  /** The broker at an address; null where nobody answers there. */
  ReplicaBroker at(String address) {
    return brokers[numberAt(address)];
  }

  static int numberAt(String address) {
    return ADDRESSES[MASTER].equals(address) ? MASTER : SLAVE;
  }

  ReplicaBroker master() {
    return brokers[MASTER];
  }

  /** The command of a reset at the client, once. */
  long takeCommand() {
    long target = command;
    command = null;
    return target;
  }

  /** What the name server answers; null where no broker has the topic. An acting slave stands under brokerId 0. */
  TopicRouteData route() {
    HashMap<Long, String> addresses = new HashMap<>();
    for (int r = 0; r < ADDRESSES.length; r++) {
      if (phases[r].equals("UP")) {
        addresses.put(acting && addresses.isEmpty() ? 0L : (long) r, ADDRESSES[r]);
      }
    }
    if (addresses.isEmpty()) {
      return null;
    }
    TopicRouteData route = new TopicRouteData();
    QueueData data = new QueueData();
    data.setBrokerName("broker");
    data.setReadQueueNums(queues);
    data.setWriteQueueNums(queues);
    data.setPerm(6);
    route.setQueueDatas(new ArrayList<>(List.of(data)));
    route.setBrokerDatas(new ArrayList<>(List.of(new BrokerData("cluster", "broker", addresses))));
    return route;
  }

  @Override
  public JSONObject state() throws Exception {
    JSONObject shown = new JSONObject(true);
    shown.put("copy.on_its_way", copy != null);
    Map<Integer, Long> copied = copy == null ? Map.of() : ReplicaBroker.rowsOf(copy);
    for (int queue = 0; queue < queues; queue++) {
      shown.put("copy.copied[" + queue + "].offset", copied.get(queue));
    }
    for (int r = 0; r < brokers.length; r++) {
      String name = "broker[" + r + "].";
      shown.put(name + "phase", phases[r]);
      Map<Integer, Long> stored = ReplicaBroker.rowsIn(folder.resolve(String.valueOf(r)));
      for (int queue = 0; queue < queues; queue++) {
        shown.put(name + "table[" + queue + "].offset", brokers[r] == null ? null : brokers[r].row(queue));
        shown.put(name + "file[" + queue + "].offset", stored.get(queue));
        shown.put(name + "marker[" + queue + "].offset", brokers[r] == null ? null : brokers[r].marker(queue));
      }
    }
    for (int c = 0; c < clients.size(); c++) {
      clients.get(c).show("consumer[" + c + "].", shown);
    }
    return shown;
  }

  @Override
  public void close() {
    // Nothing of it runs.
  }
}
