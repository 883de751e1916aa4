package offsetproof;

import com.alibaba.fastjson.JSONObject;
import org.apache.rocketmq.client.consumer.listener.MessageListener;
import org.apache.rocketmq.client.impl.consumer.ConsumeMessageService;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;

/** One way of consuming: the real service with threads that are collected rather than run, and a listener that obeys. */
interface Consumption {
  /** Answers as the worker is told that it runs in. */
  MessageListener listener();

  /** The service of this consumer; it is asked for once. */
  ConsumeMessageService service(DefaultMQPushConsumerImpl impl) throws Exception;

  /** What a worker runs for one of the service's threads; null for a call that is none of them. */
  Worker.Body body(String call, ProcessQueue cache, JSONObject arguments);

  /** Is there nothing of a ProcessQueue's for a call to run? Then its thread is idle, and does no step. */
  default boolean isIdle(String call, ProcessQueue cache) throws ReflectiveOperationException {
    return false;
  }

  /** What can be seen of a ProcessQueue beside what all have. */
  void show(ProcessQueue cache, JSONObject shown) throws Exception;
}
