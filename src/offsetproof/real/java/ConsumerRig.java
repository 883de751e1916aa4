package offsetproof;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * One group on one queue: a broker and its clients, in which a command is a step of one thread, or of the network.
 */
final class ConsumerRig extends ThreadedRig {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final JSONObject settings;
  private final RigBroker broker;
  private final List<RigClient> clients = new ArrayList<>();

  ConsumerRig(Gates gates, JSONObject settings) throws Exception {
    super(gates);
    this.settings = settings;
    settings.put("rig", NUMBER.incrementAndGet());
    String topic = settings.getBooleanValue("retry_queue") ? "%RETRY%" + RigBroker.GROUP : "topic";
    broker = new RigBroker(Path.of(settings.getString("folder")), topic);
    broker.minOffset = settings.getLongValue("min_offset");
    broker.maxOffset = settings.getLongValue("max_offset");
    broker.cold = settings.getBooleanValue("cold");
    broker.timeOffset = settings.getLongValue("time_offset");
    if (settings.getLong("committed") != null) {
      broker.commit("before", RigBroker.QUEUE, settings.getLongValue("committed"));
    }
    for (int number = 0; number < settings.getIntValue("clients"); number++) {
      RigClient client = new RigClient(number, broker, null, settings);
      client.allocate(own(settings.getJSONArray("allocated").getBooleanValue(number)));
      clients.add(client);
      if (!settings.getJSONArray("alive").getBooleanValue(number)) {
        leave(client);
      }
    }
  }

  @Override
  String topic() {
    return broker.topic;
  }

  @Override
  RigClient process(JSONObject command) {
    return command.containsKey("client") ? clients.get(command.getIntValue("client")) : null;
  }

  @Override
  boolean isIdle(JSONObject command) throws ReflectiveOperationException {
    String call = command.getString("call");
    return call == null || command.containsKey("client") && process(command).isIdle(call, command);
  }

  @Override
  void prepare(JSONObject command) {
    if (command.getBooleanValue("expired")) {
      process(command).expirePull();
    }
    if (command.containsKey("forced")) {
      process(command).forceUnlock(command.getIntValue("forced"));
    }
  }

  @Override
  void stepped(Worker worker, JSONObject command) throws Throwable {
    if (command.getBooleanValue("leaves")) {
      leave((RigClient) worker.process);
    }
    if (command.getBooleanValue("is_answered")) {
      answer(worker, command);
    }
  }

  /** The broker answers the pull that a worker has sent, and its callback runs. */
  private void answer(Worker sender, JSONObject command) throws Throwable {
    RigClient client = (RigClient) sender.process;
    run(client, sender.pqId, client.body("answer", command));
  }

  /** A callback runs from start to end. */
  private void run(RigClient client, Integer pqId, Worker.Body body) throws Throwable {
    Worker callback = new Worker(gates, List.of(), broker.topic, body);
    callback.pqId = pqId;
    callback.start();
    callback.await(PATIENCE);
  }

  /** What a thread runs: a call of the broker's, or of a client's. */
  @Override
  Worker.Body body(String call, JSONObject command) {
    RigClient client = process(command);
    switch (call) {
      case "execute_commit":
        String from = client.instance.getClientId();
        long offset = client.commits(RigBroker.QUEUE).remove(command.getIntValue("place"));
        return () -> broker.commitSent(from, offset);
      case "receive_pull":
        int pqId = command.getIntValue("pq_id");
        return hasMember() ? () -> client.receivePull(pqId) : () -> client.pulls.forget(pqId);
      case "mark":
        long target = command.getLongValue("offset");
        return () -> Markers.mark(broker.offsets, broker.topic, RigBroker.QUEUE, target);
      case "neighbour_commit":
        return () -> broker.commit("neighbour", RigBroker.QUEUE + 1, 1);
      default:
        return client.body(call, command);
    }
  }

  @Override
  void instruct(Worker worker, JSONObject command) {
    if (command.getString("listener") != null) {
      worker.listener = command.getString("listener");
      worker.ackIndex = command.getInteger("ack_index");
      worker.autoCommit = command.getBooleanValue("auto_commit");
    }
    worker.fails = command.getBooleanValue("fails");
    worker.size = command.getIntValue("size");
    worker.losesAnswer = command.getBooleanValue("loses_answer");
    if (command.getBooleanValue("answer_query")) {
      worker.answer = broker.answerQuery(RigBroker.QUEUE);
      if (command.getBooleanValue("with_error") || command.getBooleanValue("times_out")) {
        worker.answer = command.getBooleanValue("times_out") ? Wire.TIMEOUT : (Object) RigBroker.SYSTEM_ERROR;
      }
    }
  }

  /** Calls a method from start to end; the broker answers at once what is asked on the way. */
  private void probe(RigClient client, Method method) throws Throwable {
    Worker worker = new Worker(gates, List.of(), broker.topic, client.probe(method));
    worker.process = client;
    worker.start();
    try {
      while (worker.await(PATIENCE) != null) {
        worker.answer = broker.answerQuery(RigBroker.QUEUE);
        worker.release();
      }
    } catch (InvocationTargetException thrown) {
      // What a method throws for arguments that were made up says nothing.
    }
  }

  /** What happens outside of the clients' threads. */
  @Override
  void change(String what, JSONObject command) throws Throwable {
    RigClient client = process(command);
    if (command.containsKey("probe")) {
      probe(client, Probes.METHODS.get(command.getIntValue("probe")));
      return;
    }
    switch (what) {
      case "store":
        broker.maxOffset++;
        break;
      case "retire":
        broker.minOffset++;
        break;
      case "cool":
        broker.cold = true;
        break;
      case "allocate":
        client.allocate(own(command.getBooleanValue("allocated")));
        break;
      case "take_marker":
        client.takeMarker(command.getIntValue("pq_id"));
        break;
      case "erase_marker":
        if (hasMember()) {
          broker.takeMarker();
        }
        break;
      case "write_offset":
        broker.commitSent("tool", command.getLongValue("offset"));
        break;
      case "end_poll":
        if (command.getBooleanValue("ends")) {
          client.pulls.forget(command.getIntValue("pq_id"));
        }
        break;
      case "lose_pull_request":
        client.takePullRequest(command.getIntValue("pq_id"));
        break;
      case "lose_file":
        client.loseFile();
        break;
      case "lose_commit":
        client.commits(RigBroker.QUEUE).remove(command.getIntValue("place"));
        break;
      case "unlock":
        broker.locks.unlock(client.unlocks.remove(0));
        break;
      case "overtake_unlock":
        client.overtakeUnlock();
        break;
      case "unlock_late":
        broker.locks.unlock(client.lateUnlocks.remove(0));
        break;
      case "expire_lock":
        client.expireLock(command.getIntValue("pq_id"));
        break;
      case "expire_lease":
        broker.locks.expire(broker.queue);
        break;
      case "query_min_offset":
        broker.offsets.queryMinOffsetInAllGroup(broker.topic, RigBroker.GROUP);
        break;
      case "remove_offset":
        broker.offsets.removeOffset(RigBroker.GROUP);
        break;
      case "flush":
        broker.flush();
        break;
      case "restart_broker":
        broker.restart();
        break;
      case "restart_broker_in_order":
        broker.flush();
        broker.restart();
        breakConnections(command.getJSONArray("broken"));
        break;
      case "leave":
        leave(client);
        break;
      case "start":
        clients.set(command.getIntValue("client"), start(command.getIntValue("client"), client));
        break;
      case "nothing":
        break;
      default:
        throw new IllegalArgumentException("no such change: " + what);
    }
  }

  /** PullMessageProcessor refuses the pull of a group of which the broker knows no member. */
  private boolean hasMember() {
    return clients.stream().anyMatch(each -> !each.isGone());
  }

  /** What was sent one-way never arrives, and these pulls fail, each given by its client and its ProcessQueue. */
  private void breakConnections(JSONArray broken) throws Throwable {
    for (RigClient client : clients) {
      client.commits(RigBroker.QUEUE).clear();
      client.unlocks.clear();
      client.lateUnlocks.clear();
    }
    for (int index = 0; index < broken.size(); index++) {
      RigClient client = clients.get(broken.getJSONArray(index).getIntValue(0));
      int pqId = broken.getJSONArray(index).getIntValue(1);
      run(client, pqId, () -> client.breakPull(pqId));
    }
  }

  private RigClient start(int number, RigClient before) throws Exception {
    RigClient client = new RigClient(number, broker, before, settings);
    client.allocate(before.allocation.scripted());
    return client;
  }

  private Set<MessageQueue> own(boolean isOwn) {
    return isOwn ? Set.of(broker.queue) : Set.of();
  }

  private void leave(RigClient client) throws InterruptedException, IOException {
    client.die();
    OffsetFiles.Restore asTheyAre = client.keptFiles();
    for (Map.Entry<String, Worker> entry : new ArrayList<>(workers.entrySet())) {
      if (entry.getValue().process == client) {
        entry.getValue().close();
        workers.remove(entry.getKey());
      }
    }
    asTheyAre.run();
    client.leave();
  }

  @Override
  public JSONObject state() throws Exception {
    JSONObject shown = new JSONObject(true);
    shown.put("committed", broker.committed(RigBroker.QUEUE));
    shown.put("marker", broker.marker());
    shown.put("flushed", broker.flushed());
    shown.put("min_offset", broker.minOffset);
    shown.put("max_offset", broker.maxOffset);
    shown.put("lock_owner", Instances.numberOf(broker.locks.owner(broker.queue)));
    JSONObject state = new JSONObject(true);
    state.put("broker", shown);
    JSONArray consumers = new JSONArray();
    for (RigClient client : clients) {
      consumers.add(client.state());
    }
    state.put("consumer", consumers);
    return state;
  }

  @Override
  public void close() {
    for (RigClient client : clients) {
      try {
        leave(client);
      } catch (InterruptedException | IOException interrupt) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
