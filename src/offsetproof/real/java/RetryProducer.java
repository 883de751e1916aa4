package offsetproof;

import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.message.Message;

/** The client's own producer, by which it sends copies to the retry topic; a copy arrives, unless its thread has been told to fail. */
final class RetryProducer extends DefaultMQProducer {
  RetryProducer() {
    super("retry");
  }

  @Override
  public SendResult send(Message copy) throws MQClientException {
    if (Worker.current().fails) {
      throw new MQClientException("failed by the rig", null);
    }
    return null;
  }
}
