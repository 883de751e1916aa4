package offsetproof;

import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;

/** A queue's offsets are asked for by its topic and number, as in 4.9.4. */
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
  public long getMaxOffset(String address, String topic, int queueId, long timeout) throws MQBrokerException {
    answerOrFail();
    return broker().maxOffset;
  }

  @Override
  public long getMinOffset(String address, String topic, int queueId, long timeout) {
    return broker().minOffset;
  }

  @Override
  public long searchOffset(String address, String topic, int queueId, long timestamp, long timeout)
      throws MQBrokerException {
    answerOrFail();
    return broker().offsetByTime();
  }

  @Override
  public void consumerSendMessageBack(
      String address, MessageExt message, String group, int delayLevel, long timeout, int maxReconsumeTimes)
      throws MQBrokerException, RemotingTimeoutException {
    answerOrFail();
    broker().sentBack.add(message.getQueueOffset());
    if (Worker.current().losesAnswer) {
      throw new RemotingTimeoutException("timed out by the rig");
    }
  }
}
