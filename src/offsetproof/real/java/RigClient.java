package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.PullCallback;
import org.apache.rocketmq.client.consumer.store.LocalFileOffsetStore;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.consumer.store.RemoteBrokerOffsetStore;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.client.impl.consumer.PullAPIWrapper;
import org.apache.rocketmq.client.impl.consumer.PullMessageService;
import org.apache.rocketmq.client.impl.consumer.PullRequest;
import org.apache.rocketmq.client.impl.consumer.RebalanceImpl;
import org.apache.rocketmq.client.impl.consumer.RebalancePushImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.ServiceState;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.common.protocol.heartbeat.MessageModel;

/**
 * One consumer process: the real client classes, with threads that are collected rather than run.
 *
 * What they would hand to an executor waits in a list until a command runs it; what they would send waits in `commits`,
 * `pulls` and `unlocks`. A process that takes another's place has what that one had sent, but for its unlocks, which are
 * under another client's id. In BROADCASTING mode it keeps its id, and with it its offset file.
 */
final class RigClient {
  private static final MessageQueue OTHER_QUEUE = new MessageQueue("other", "broker", 0);

  /** Milliseconds: more than RebalancePushImpl.UNLOCK_DELAY_TIME_MILLS, less than a lock is believed in. */
  private static final long FORCES_AFTER = 25000;

  final RigBroker broker;
  private final MessageQueue queue;
  final MQClientInstance instance;
  private final Map<Integer, List<Long>> commits;
  final List<ProcessQueue> processQueues;
  final Allocation allocation = new Allocation(OTHER_QUEUE);
  private final boolean broadcasting;
  final Pulls pulls;
  final List<LockRequest> unlocks = new ArrayList<>();
  final List<LockRequest> lateUnlocks = new ArrayList<>();
  private final int number;
  private final int process;
  private final int firstPqId;
  final Consumption consumption;
  private final List<Runnable> delayedUnlocks = new ArrayList<>();
  private final Map<Integer, Runnable> repairs = new HashMap<>();
  private final DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(RigBroker.GROUP);
  final DefaultMQPushConsumerImpl impl = consumer.getDefaultMQPushConsumerImpl();
  final BlockingQueue<PullRequest> pullRequests;
  final OffsetStore store;
  private final Object offsetTable;
  private volatile boolean gone;

  RigClient(int number, RigBroker broker, RigClient before, JSONObject settings) throws Exception {
    this.number = number;
    this.broker = broker;
    queue = broker.queue;
    commits = before == null ? new HashMap<>() : before.commits;
    processQueues = before == null ? new ArrayList<>() : before.processQueues;
    pulls = before == null ? new Pulls(broker, settings.getIntValue("unmatched_from"), settings.getIntValue("unmatched")) : before.pulls;
    process = before == null ? 0 : before.process + 1;
    firstPqId = processQueues.size();
    consumption = settings.getBooleanValue("orderly") ? new OrderlyConsumption() : new ConcurrentConsumption();
    broadcasting = settings.getBooleanValue("broadcasting");
    String id = broadcasting ? settings.getString("client_id") : null;
    id = id == null ? Instances.idOf(number, broadcasting ? settings.get("rig") : (Object) process) : id;
    instance = Instances.of(number, id, List.of(broker.topic, OTHER_QUEUE.getTopic()));
    Fields.set(MQClientInstance.class, "scheduledExecutorService", instance, new Collected(this::collectUnlock));
    Fields.set(MQClientInstance.class, "defaultMQProducer", instance, new RetryProducer());
    PullMessageService pulling = instance.getPullMessageService();
    pullRequests = Fields.get(PullMessageService.class, Release.RUN_QUEUE, pulling);
    pullRequests.clear();
    Fields.set(PullMessageService.class, "scheduledExecutorService", pulling, new Collected(this::collect));
    store = broadcasting
        ? new LocalFileOffsetStore(instance, RigBroker.GROUP) : new RemoteBrokerOffsetStore(instance, RigBroker.GROUP);
    offsetTable = Fields.get(store.getClass(), "offsetTable", store);
    configure(settings);
    wire();
    Instances.wireOf(instance).client = this;
  }

  private void configure(JSONObject settings) {
    consumer.setClientIP("127.0.0.1");
    consumer.setConsumeMessageBatchMaxSize(settings.getIntValue("batch"));
    consumer.setConsumeFromWhere(ConsumeFromWhere.valueOf(settings.getString("consume_from")));
    consumer.setMaxReconsumeTimes(settings.getIntValue("max_reconsume_times"));
    consumer.setMessageModel(broadcasting ? MessageModel.BROADCASTING : MessageModel.CLUSTERING);
    consumer.setMessageListener(consumption.listener());
  }

  private void wire() throws Exception {
    consumer.setOffsetStore(store);
    impl.setOffsetStore(store);
    Fields.set(DefaultMQPushConsumerImpl.class, "mQClientFactory", impl, instance);
    Fields.set(DefaultMQPushConsumerImpl.class, "pullAPIWrapper", impl, new PullAPIWrapper(instance, RigBroker.GROUP, false));
    RebalanceImpl rebalance = impl.getRebalanceImpl();
    rebalance.setConsumerGroup(RigBroker.GROUP);
    rebalance.setMessageModel(consumer.getMessageModel());
    rebalance.setAllocateMessageQueueStrategy(allocation);
    rebalance.setmQClientFactory(instance);
    for (MessageQueue each : List.of(queue, OTHER_QUEUE)) {
      impl.subscribe(each.getTopic(), "*");
      route(each.getTopic(), broadcasting ? Set.of() : Set.of(each));
    }
    if (!broadcasting) {
      rebalance.getProcessQueueTable().put(OTHER_QUEUE, new ProcessQueue());
    }
    impl.setConsumeMessageService(consumption.service(impl));
    Fields.set(DefaultMQPushConsumerImpl.class, "serviceState", impl, ServiceState.RUNNING);
    instance.registerConsumer(RigBroker.GROUP, impl);
    store.load();
  }

  /** The queues of a topic that the client knows from now on; in BROADCASTING mode all of them are its own. */
  void route(String topic, Set<MessageQueue> queues) {
    impl.getRebalanceImpl().getTopicSubscribeInfoTable().put(topic, new HashSet<>(queues));
  }

  /** Subscribes to one more topic, no queue of which is in the route yet. */
  void subscribe(String topic) throws Exception {
    Instances.of(number, instance.getClientId(), List.of(topic));
    impl.subscribe(topic, "*");
    route(topic, Set.of());
  }

  /** Says which queues are the client's own, as it sees it. */
  void allocate(Set<MessageQueue> queues) {
    allocation.script(queues);
    if (broadcasting) {
      route(broker.topic, queues);
    }
  }

  /** The commits of a queue that are on their way. */
  List<Long> commits(int ofQueue) {
    return commits.computeIfAbsent(ofQueue, number -> new ArrayList<>());
  }

  /** A pull that is tried again later is in the run queue at once; what else is to be done later is a repair. */
  private void collect(Runnable task) {
    if (task.getClass().getEnclosingClass() == PullMessageService.class) {
      task.run();
    } else {
      repairs.put(Worker.current().pqId, task);
    }
  }

  /** What the client schedules is to unlock a queue; a run of rebalance that is due earlier is left to the commands. */
  private void collectUnlock(Runnable task) {
    if (task.getClass().getEnclosingClass() == RebalancePushImpl.class) {
      delayedUnlocks.add(task);
    }
  }

  boolean isGone() {
    return gone;
  }

  /** The process ends: its threads get no further than to their next request. */
  void die() {
    gone = true;
  }

  /** Nothing of the process is left, once its threads are over; what it has sent stays on its way. */
  void leave() {
    instance.unregisterConsumer(RigBroker.GROUP);
    pullRequests.clear();
    pulls.forgetHeld();
  }

  /** A call of any public method, with made-up arguments; what it throws is its own business. */
  Worker.Body probe(Method method) {
    List<Object> objects = List.of(impl.getOffsetStore(), impl.getRebalanceImpl(), impl, instance);
    ProcessQueue listed = impl.getRebalanceImpl().getProcessQueueTable().get(queue);
    return () -> {
      for (Object object : objects) {
        if (method.getDeclaringClass().isInstance(object)) {
          method.invoke(object, Probes.arguments(method, queue));
        }
      }
      if (listed != null && method.getDeclaringClass().isInstance(listed)) {
        method.invoke(listed, Probes.arguments(method, queue));
      }
    };
  }

  /** A call of the real classes, by name, for a worker to run. */
  Worker.Body body(String call, JSONObject arguments) {
    switch (call) {
      case "rebalance":
        return impl::doRebalance;
      case "pull":
        return () -> impl.pullMessage(takePullRequest(arguments.getIntValue("pq_id")));
      case "answer":
        int pqId = arguments.getIntValue("pq_id");
        return arguments.getBooleanValue("late")
            ? () -> pulls.answerLate(pqId)
            : () -> pulls.answer(pqId, arguments.getIntValue("size"));
      case "rebalance_other_topic":
        return this::rebalanceOtherTopic;
      case "persist":
        return impl::persistConsumerOffset;
      case "reset":
        return () -> instance.resetOffset(
            broker.topic, RigBroker.GROUP, new HashMap<>(Map.of(queue, arguments.getLongValue("target"))));
      case "running_info":
        return impl::consumerRunningInfo;
      case "repair":
        return () -> repairs.remove(arguments.getIntValue("pq_id")).run();
      case "suspend":
        return impl::suspend;
      case "resume":
        return impl::resume;
      case "unsubscribe":
        return () -> impl.unsubscribe(broker.topic);
      case "shutdown":
        return () -> impl.shutdown(0);
      case "fail_pull":
        return () -> pulls.fail(arguments.getIntValue("pq_id"));
      case "delayed_unlock":
        return () -> delayedUnlocks.remove(0).run();
      default:
        return bodyOfService(call, arguments);
    }
  }

  /** The part of a run of rebalance that is about the other queue's topic, which is in the route from now on. */
  private void rebalanceOtherTopic() throws ReflectiveOperationException {
    route(OTHER_QUEUE.getTopic(), Set.of(OTHER_QUEUE));
    var ofTopic = RebalanceImpl.class.getDeclaredMethod("rebalanceByTopic", String.class, boolean.class);
    ofTopic.setAccessible(true);
    ofTopic.invoke(impl.getRebalanceImpl(), OTHER_QUEUE.getTopic(), impl.isConsumeOrderly());
  }

  /** Has a call nothing to run for the ProcessQueue that it is about? */
  boolean isIdle(String call, JSONObject arguments) throws ReflectiveOperationException {
    return arguments.containsKey("pq_id") && consumption.isIdle(call, processQueues.get(arguments.getIntValue("pq_id")));
  }

  private Worker.Body bodyOfService(String call, JSONObject arguments) {
    ProcessQueue cache = arguments.containsKey("pq_id") ? processQueues.get(arguments.getIntValue("pq_id")) : null;
    Worker.Body body = consumption.body(call, cache, arguments);
    if (body == null) {
      throw new IllegalArgumentException("no such call: " + call);
    }
    return body;
  }

  PullRequest takePullRequest(int pqId) {
    for (PullRequest request : pullRequests) {
      if (request.getProcessQueue() == processQueues.get(pqId)) {
        pullRequests.removeIf(each -> each == request);
        return request;
      }
    }
    throw new IllegalStateException("ProcessQueue " + pqId + " has no pull request in the run queue");
  }

  void sendPull(int sysFlag, long offset, long commit, PullCallback callback) {
    pulls.send(Worker.current().pqId, sysFlag, offset, commit, callback);
  }

  /** The broker takes a pull and executes the commit in it. */
  void receivePull(int pqId) {
    Pulls.Pull pull = pulls.get(pqId);
    Long commit = pull.commit;
    Long marker = broker.takeMarker();
    pull.commit = null; // the pull is held before its commit is executed, which may stop while the row is made
    if (gone || pqId < firstPqId) {
      pulls.forget(pqId);
    }
    pull.resetTo = marker;
    broker.commit(instance.getClientId(), RigBroker.QUEUE, commit);
  }

  /** The broker is gone: a pull fails, where its process is there. */
  void breakPull(int pqId) {
    if (gone || pqId < firstPqId) {
      pulls.forget(pqId);
    } else {
      pulls.fail(pqId);
    }
  }

  /** A pull that the broker holds takes the marker of a reset. */
  void takeMarker(int pqId) {
    pulls.get(pqId).resetTo = broker.takeMarker();
  }

  /** Two minutes pass in which nobody pulls for the queue in the table. */
  void expirePull() {
    ProcessQueue listed = impl.getRebalanceImpl().getProcessQueueTable().get(queue);
    listed.setLastPullTimestamp(0);
  }

  /** Half a minute passes in which no lock of this ProcessQueue is heard of. */
  void expireLock(int pqId) {
    processQueues.get(pqId).setLastLockTimestamp(0);
  }

  /** The last lock of this ProcessQueue was heard of so long ago that it may be unlocked while its listener runs. */
  void forceUnlock(int pqId) {
    ProcessQueue cache = processQueues.get(pqId);
    cache.setLastLockTimestamp(Math.min(cache.getLastLockTimestamp(), System.currentTimeMillis() - FORCES_AFTER));
  }

  /** The broker takes the first request to unlock after the next that it gets. */
  void overtakeUnlock() {
    lateUnlocks.add(unlocks.remove(0));
  }

  /** The offset in memory of a queue; null for none. */
  Long cell(MessageQueue of) {
    Object cell = ((Map<?, ?>) offsetTable).get(of);
    return cell == null ? null : Long.valueOf(Release.valueOf(cell));
  }

  boolean lists(MessageQueue which) {
    return impl.getRebalanceImpl().getProcessQueueTable().containsKey(which);
  }

  /** The pull request that waits for a queue, taken out of the run queue. */
  PullRequest takePullRequest(MessageQueue of) {
    for (PullRequest request : pullRequests) {
      if (request.getMessageQueue().equals(of)) {
        pullRequests.remove(request);
        return request;
      }
    }
    throw new IllegalStateException("no pull request for " + of);
  }

  /** What can be seen of the process, in the model's words. */
  JSONObject state() throws Exception {
    JSONObject state = new JSONObject(true);
    ProcessQueue listed = gone ? null : impl.getRebalanceImpl().getProcessQueueTable().get(queue);
    if (listed != null && !processQueues.contains(listed)) {
      processQueues.add(listed);
    }
    state.put("alive", !gone);
    state.put("paused", !gone && impl.isPause());
    state.put("cell", gone ? null : cell(queue));
    if (broadcasting) {
      state.put("stored", stored());
      state.put("other_listed", !gone && impl.getRebalanceImpl().getProcessQueueTable().containsKey(OTHER_QUEUE));
    }
    state.put("process_queue_table", listed == null ? null : processQueues.indexOf(listed));
    state.put("commits", new ArrayList<>(commits(RigBroker.QUEUE)));
    state.put("unlocks", gone ? 0 : unlocks.size());
    state.put("late_unlocks", gone ? 0 : lateUnlocks.size());
    state.put("delayed_unlocks", gone ? 0 : delayedUnlocks.size());
    List<JSONObject> shown = new ArrayList<>();
    for (int pqId = 0; pqId < processQueues.size(); pqId++) {
      shown.add(shownProcessQueue(pqId));
    }
    state.put("process_queue", shown);
    return state;
  }

  /** What the offset file says of the queue to whoever reads it now; null for nothing. */
  private Long stored() {
    long offset = new LocalFileOffsetStore(instance, RigBroker.GROUP).readOffset(queue, ReadOffsetType.READ_FROM_STORE);
    return offset < 0 ? null : offset;
  }

  /** The offset file as it is now, whatever threads of a process that is gone still do. */
  OffsetFiles.Restore keptFiles() throws IOException {
    return broadcasting ? OffsetFiles.of(store).kept() : () -> { };
  }

  /** Nobody has the offset file, or its backup, any more. */
  void loseFile() throws IOException {
    OffsetFiles.of(store).delete();
  }

  private JSONObject shownProcessQueue(int pqId) throws Exception {
    JSONObject shown = new JSONObject(true);
    ProcessQueue cache = processQueues.get(pqId);
    Pulls.Pull pull = pulls.get(pqId);
    PullRequest request = null;
    for (PullRequest each : pullRequests) {
      request = each.getProcessQueue() == cache ? each : request;
    }
    boolean former = gone || pqId < firstPqId;
    shown.put("former", former);
    shown.put("dropped", cache.isDropped());
    shown.put("msg_tree_map", new ArrayList<>(cache.getMsgTreeMap().keySet()));
    shown.put("msg_count", cache.getMsgCount().get());
    shown.put("queue_offset_max", Fields.get(ProcessQueue.class, "queueOffsetMax", cache));
    String sent = pull == null ? "NONE" : pull.commit == null ? "HELD" : former ? "CLIENT_GONE" : "SENT";
    shown.put("pull_request", request != null ? "RUN_QUEUE" : sent);
    Long asked = pull == null ? null : Long.valueOf(pull.offset);
    shown.put("next_offset", request == null ? asked : Long.valueOf(request.getNextOffset()));
    shown.put("reset_to", pull == null ? null : pull.resetTo);
    shown.put("piggyback", pull == null ? null : pull.commit);
    shown.put("previously_locked", request != null && request.isPreviouslyLocked());
    shown.put("locked", cache.isLocked());
    consumption.show(cache, shown);
    return shown;
  }
}
