package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListener;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService;
import org.apache.rocketmq.client.impl.consumer.ConsumeMessageService;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.common.message.MessageExt;

/** Concurrent consumption: any number of consume requests, each told by its first message. */
final class ConcurrentConsumption implements Consumption {
  private static final Class<?> SERVICE = ConsumeMessageConcurrentlyService.class;

  private final List<Runnable> tasks = new ArrayList<>();
  private final List<Runnable> submittedLater = new ArrayList<>();
  private final MessageListenerConcurrently listener = this::listen;

  @Override
  public MessageListener listener() {
    return listener;
  }

  private ConsumeConcurrentlyStatus listen(List<MessageExt> messages, ConsumeConcurrentlyContext context) {
    Worker worker = Worker.current();
    if (worker.ackIndex != null) {
      context.setAckIndex(worker.ackIndex);
    }
    return ConsumeConcurrentlyStatus.valueOf(worker.listener);
  }

  @Override
  public ConsumeMessageService service(DefaultMQPushConsumerImpl impl) throws Exception {
    ConsumeMessageConcurrentlyService service = new ConsumeMessageConcurrentlyService(impl, listener);
    Fields.set(SERVICE, "consumeExecutor", service, new CollectedNow(tasks::add));
    for (String executor : List.of("scheduledExecutorService", "cleanExpireMsgExecutors")) {
      ((ExecutorService) Fields.get(SERVICE, executor, service)).shutdownNow();
    }
    Fields.set(SERVICE, "scheduledExecutorService", service, new Collected(submittedLater::add));
    return service;
  }

  @Override
  public Worker.Body body(String call, ProcessQueue cache, JSONObject arguments) {
    return call.equals("task") ? () -> takeTask(cache, arguments.getLongValue("m")).run() : null;
  }

  private Runnable takeTask(ProcessQueue cache, long m) throws ReflectiveOperationException {
    for (Runnable later : new ArrayList<>(submittedLater)) {
      submittedLater.remove(later);
      later.run();
    }
    for (Runnable task : tasks) {
      List<MessageExt> messages = Fields.get(task.getClass(), "msgs", task);
      if (Fields.held(task, ProcessQueue.class) == cache && messages.get(0).getQueueOffset() == m) {
        tasks.remove(task);
        return task;
      }
    }
    throw new IllegalStateException("no consume request of this ProcessQueue begins at " + m);
  }

  @Override
  public void show(ProcessQueue cache, JSONObject shown) {
    // All that its requests leave is in the ProcessQueue.
  }
}
