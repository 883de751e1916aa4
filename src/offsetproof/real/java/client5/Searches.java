package offsetproof;

import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.common.BoundaryType;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;

/** 5.3.3 says which of several messages of one time is meant; the rig's broker answers as if it had not. */
abstract class Searches extends MQClientAPIImpl {
  Searches(ClientConfig config) {
    super(new NettyClientConfig(), null, null, config);
  }

  @Override
  public long searchOffset(
      String address, MessageQueue queue, long timestamp, BoundaryType boundary, long timeout)
      throws RemotingException, MQBrokerException, InterruptedException {
    return searchOffset(address, queue, timestamp, timeout);
  }

  /** What a search for a time later than the last message's finds: the end. */
  static long foundBeyond(long end) {
    return end;
  }
}
