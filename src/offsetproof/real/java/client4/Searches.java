package offsetproof;

import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;

/** The 4.9 releases search an offset by time in one way (Lookups). */
abstract class Searches extends MQClientAPIImpl {
  Searches(ClientConfig config) {
    super(new NettyClientConfig(), null, null, config);
  }

  /** What a search for a time later than the last message's finds: that message. */
  static long foundBeyond(long end) {
    return Math.max(0, end - 1);
  }
}
