package offsetproof;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMessageQueueAveragely;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMessageQueueAveragelyByCircle;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * Several queues of one group, and its clients. All queues have one broker's name: which broker a queue is on decides
 * only what a reset's command names. The topic's name is such that tables and sets have the queues in their order.
 */
final class QueuesRig extends ThreadedRig {
  private static final String TOPIC = "queues30";

  private final RigBroker broker;
  private final int queues;
  private final boolean oneId;
  private final List<RigClient> clients = new ArrayList<>();
  private final List<List<QueueShare>> shares = new ArrayList<>();
  private final List<Members> members = new ArrayList<>();

  QueuesRig(Gates gates, JSONObject settings) throws Exception {
    super(gates);
    queues = settings.getIntValue("queues");
    oneId = settings.getBooleanValue("one_id");
    broker = new RigBroker(Path.of(settings.getString("folder")), TOPIC);
    broker.maxOffset = settings.getLongValue("messages");
    for (int queue = 0; queue < queues; queue++) {
      broker.commit("before", queue, 0);
    }
    JSONArray known = settings.getJSONArray("members");
    for (int number = 0; number < known.size(); number++) {
      members.add(new Members());
      for (Object process : known.getJSONArray(number)) {
        members.get(number).hear((Integer) process, id((Integer) process));
      }
    }
    JSONArray allocated = settings.getJSONArray("allocated");
    for (int number = 0; number < allocated.size(); number++) {
      RigClient client = new RigClient(number, broker, null, settings);
      Fields.set(MQClientInstance.class, "clientId", client.instance, id(number));
      client.route(TOPIC, all());
      client.allocation.dealBy(strategy(settings.getString("strategy")));
      client.allocation.tell(members.get(0).ids());
      clients.add(client);
      List<QueueShare> ofClient = new ArrayList<>();
      for (MessageQueue queue : inOrder()) {
        ofClient.add(new QueueShare(client, queue, broker.maxOffset));
      }
      shares.add(ofClient);
      if (!allocated.getJSONArray(number).isEmpty()) {
        begin(client);
      }
      ofClient.forEach(share -> share.fill(0));
    }
  }

  private static AllocateMessageQueueStrategy strategy(String name) {
    return name.equals("BY_CIRCLE") ? new AllocateMessageQueueAveragelyByCircle() : new AllocateMessageQueueAveragely();
  }

  /** The id of a process, which may be that of the process before it. */
  private String id(int process) {
    return Instances.idOf(oneId && process == 1 ? 0 : process, 0);
  }

  /** The client has rebalanced once. */
  private void begin(RigClient client) throws Exception {
    Worker worker = new Worker(gates, List.of(), TOPIC, client.body("rebalance", new JSONObject()));
    worker.answer = 0L;
    worker.within = Set.of("query");
    worker.start();
    try {
      worker.await(PATIENCE);
    } catch (Throwable error) {
      throw new IllegalStateException(error);
    }
  }

  private List<MessageQueue> inOrder() {
    List<MessageQueue> result = new ArrayList<>();
    for (int queue = 0; queue < queues; queue++) {
      result.add(new MessageQueue(TOPIC, broker.queue.getBrokerName(), queue));
    }
    return result;
  }

  private Set<MessageQueue> all() {
    return new HashSet<>(inOrder());
  }

  private Set<MessageQueue> named(JSONArray numbers) {
    Set<MessageQueue> result = new HashSet<>();
    for (int number = 0; number < numbers.size(); number++) {
      result.add(inOrder().get(numbers.getIntValue(number)));
    }
    return result;
  }

  @Override
  String topic() {
    return TOPIC;
  }

  @Override
  RigClient process(JSONObject command) {
    return clients.get(command.getIntValue("client"));
  }

  private QueueShare share(JSONObject command) {
    return shares.get(command.getIntValue("client")).get(command.getIntValue("queue"));
  }

  @Override
  Worker.Body body(String call, JSONObject command) {
    Worker.Body body = command.containsKey("queue") ? share(command).body(call) : null;
    if (body != null) {
      return body;
    }
    if (call.equals("reset")) {
      Map<MessageQueue, Long> targets = new HashMap<>();
      named(command.getJSONArray("named")).forEach(queue -> targets.put(queue, command.getLong("target")));
      return () -> process(command).instance.resetOffset(TOPIC, RigBroker.GROUP, targets);
    }
    if (call.equals("mark")) {
      JSONArray marked = command.getJSONArray("named");
      long target = command.getLongValue("offset");
      return () -> {
        for (int number = 0; number < marked.size(); number++) {
          Markers.mark(broker.offsets, TOPIC, marked.getIntValue(number), target);
        }
      };
    }
    return process(command).body(call, command);
  }

  @Override
  void instruct(Worker worker, JSONObject command) {
    if (command.containsKey("asks")) {
      process(command).allocation.tell(members.get(command.getIntValue("asks")).ids());
    }
    if (command.getBooleanValue("answer_query")) {
      worker.answer = broker.answerQuery(command.getIntValue("queue"));
    }
    if (command.getBooleanValue("times_out")) {
      worker.answer = Wire.TIMEOUT;
    }
  }

  @Override
  void stepped(Worker worker, JSONObject command) {
    if (command.containsKey("start")) {
      fill(command);
    }
    if (command.getBooleanValue("forgets_commit")) {
      process(command).commits(command.getIntValue("queue")).clear();
    }
  }

  /** The messages of a new ProcessQueue are cached, unless its first pull is to be answered with a reset's target. */
  private void fill(JSONObject command) {
    if (broker.marker(command.getIntValue("queue")) == null) {
      share(command).fill(command.getLongValue("start"));
    }
  }

  @Override
  void change(String what, JSONObject command) {
    int process = command.getIntValue("process");
    switch (what) {
      case "execute_commit":
        int queue = command.getIntValue("queue");
        broker.commit(process(command).instance.getClientId(), queue, process(command).commits(queue).remove(0));
        break;
      case "lose_commit":
        process(command).commits(command.getIntValue("queue")).remove(0);
        break;
      case "fill":
        fill(command);
        break;
      case "write_offset":
        broker.commit("tool", command.getIntValue("queue"), command.getLongValue("offset"));
        break;
      case "member":
        change(command.getBooleanValue("joins") ? "hear" : "lose", command);
        break;
      case "hear":
        members.get(command.getIntValue("broker")).hear(process, id(process));
        break;
      case "lose":
        members.get(command.getIntValue("broker")).lose(process, id(process));
        break;
      case "restart":
        members.get(command.getIntValue("broker")).restart();
        break;
      case "nothing":
        break;
      default:
        throw new IllegalArgumentException("no such change: " + what);
    }
  }

  /** All fields by their full names. */
  @Override
  public JSONObject state() {
    JSONObject shown = new JSONObject(true);
    for (int queue = 0; queue < queues; queue++) {
      shown.put("queue[" + queue + "].committed", broker.committed(queue));
      shown.put("queue[" + queue + "].marker", broker.marker(queue));
    }
    for (int number = 0; number < clients.size(); number++) {
      show("client[" + number + "].", number, shown);
    }
    return shown;
  }

  private void show(String prefix, int number, JSONObject shown) {
    JSONArray listed = new JSONArray();
    JSONArray dropped = new JSONArray();
    for (int queue = 0; queue < queues; queue++) {
      QueueShare share = shares.get(number).get(queue);
      String ofShare = prefix + "share[" + queue + "].";
      share.show(ofShare, shown);
      shown.put(ofShare + "writing", workers.containsKey("consume " + number + " " + queue));
      if (share.isListed()) {
        listed.add(queue);
      }
      if (share.isDropped()) {
        dropped.add(queue);
      }
    }
    shown.put(prefix + "process_queue_table", listed);
    shown.put(prefix + "dropped", dropped);
    shown.put(prefix + "paused", clients.get(number).impl.isPause());
  }

  @Override
  public void close() {
    try {
      for (RigClient client : clients) {
        client.die();
      }
      for (Worker worker : workers.values()) {
        worker.close();
      }
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
    clients.forEach(RigClient::leave);
  }
}
