package offsetproof;

import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;

/** A queue's offsets are asked for by the queue, as since 4.9.8. */
abstract class Lookups extends Searches {
  volatile RigClient client;

  Lookups(ClientConfig config) {
    super(config);
  }

  RigBroker broker() {
    if (client == null || client.isGone()) {
      throw new IllegalStateException("the client is gone");
    }
    return client.broker;
  }

  /** The answer to the request that this thread makes now is an error, if it has been told so. */
  private static void answerOrFail() throws MQBrokerException {
    if (Worker.current().fails) {
      throw new MQBrokerException(RigBroker.SYSTEM_ERROR, "answered by the rig");
    }
  }

  @Override
  public long getMaxOffset(String address, MessageQueue queue, long timeout) throws MQBrokerException {
    answerOrFail();
    return broker().maxOffset;
  }

  @Override
  public long getMinOffset(String address, MessageQueue queue, long timeout) {
    return broker().minOffset;
  }

  @Override
  public long searchOffset(String address, MessageQueue queue, long timestamp, long timeout)
      throws MQBrokerException {
    answerOrFail();
    return broker().offsetByTime();
  }

  @Override
  public void consumerSendMessageBack(
      String address, String broker, MessageExt message, String group, int delayLevel, long timeout,
      int maxReconsumeTimes)
      throws MQBrokerException, RemotingTimeoutException {
    answerOrFail();
    broker().sentBack.add(message.getQueueOffset());
    if (Worker.current().losesAnswer) {
      throw new RemotingTimeoutException("timed out by the rig");
    }
  }
}
