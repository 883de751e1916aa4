package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListener;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.impl.consumer.ConsumeMessageOrderlyService;
import org.apache.rocketmq.client.impl.consumer.ConsumeMessageService;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * Orderly consumption: one consume request per ProcessQueue, and one scheduled thread that asks the broker for locks.
 *
 * A request that gives its place up is scheduled: it waits there for another try to lock its queue, or to be submitted
 * again. A listener stops its thread, which has the ProcessQueue's consume lock, until it is told what to return.
 */
final class OrderlyConsumption implements Consumption {
  private static final Class<?> SERVICE = ConsumeMessageOrderlyService.class;

  private final List<Runnable> submitted = new ArrayList<>();
  private final List<Runnable> scheduled = new ArrayList<>();
  private final MessageListenerOrderly listener = this::listen;
  private ConsumeMessageOrderlyService service;

  @Override
  public MessageListener listener() {
    return listener;
  }

  private ConsumeOrderlyStatus listen(List<MessageExt> messages, ConsumeOrderlyContext context) {
    Worker worker = Worker.current();
    try {
      worker.waitFor("listener");
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
    context.setAutoCommit(worker.autoCommit);
    return ConsumeOrderlyStatus.valueOf(worker.listener);
  }

  @Override
  public ConsumeMessageService service(DefaultMQPushConsumerImpl impl) throws Exception {
    impl.setConsumeOrderly(true);
    service = new ConsumeMessageOrderlyService(impl, listener);
    Fields.set(SERVICE, "consumeExecutor", service, new CollectedNow(submitted::add));
    ((ExecutorService) Fields.get(SERVICE, "scheduledExecutorService", service)).shutdownNow();
    Fields.set(SERVICE, "scheduledExecutorService", service, new Collected(scheduled::add));
    return service;
  }

  @Override
  public Worker.Body body(String call, ProcessQueue cache, JSONObject arguments) {
    switch (call) {
      case "task":
        return () -> request(cache).run();
      case "renew_locks":
        return service::lockMQPeriodically;
      case "lock_again":
        return () -> take(scheduled, cache).run();
      default:
        return null;
    }
  }

  @Override
  public boolean isIdle(String call, ProcessQueue cache) throws ReflectiveOperationException {
    return call.equals("task") && count(submitted, cache) + count(scheduled, cache) == 0;
  }

  /** The ProcessQueue's request, as its executor runs it: what it throws is lost. */
  private Runnable request(ProcessQueue cache) throws ReflectiveOperationException {
    if (count(submitted, cache) == 0) {
      take(scheduled, cache).run();
    }
    return new FutureTask<>(take(submitted, cache), null);
  }

  private static Runnable take(List<Runnable> from, ProcessQueue cache) throws ReflectiveOperationException {
    for (Runnable task : from) {
      if (Fields.held(task, ProcessQueue.class) == cache) {
        from.remove(task);
        return task;
      }
    }
    throw new IllegalStateException("no consume request of this ProcessQueue waits");
  }

  private static int count(List<Runnable> tasks, ProcessQueue cache) throws ReflectiveOperationException {
    int count = 0;
    for (Runnable task : tasks) {
      count += Fields.held(task, ProcessQueue.class) == cache ? 1 : 0;
    }
    return count;
  }

  @Override
  public void show(ProcessQueue cache, JSONObject shown) throws Exception {
    Map<Long, MessageExt> consuming = Fields.get(ProcessQueue.class, "consumingMsgOrderlyTreeMap", cache);
    shown.put("consuming_msg_orderly_tree_map", new ArrayList<>(consuming.keySet()));
    shown.put("believes_in_lock", cache.isLocked() && !cache.isLockExpired());
    shown.put("waiting_requests", count(submitted, cache) + count(scheduled, cache));
  }
}
