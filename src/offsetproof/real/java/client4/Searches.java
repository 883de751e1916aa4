package offsetproof;

import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;

/** The 4.9 releases search an offset by time in one way (Lookups). */
abstract class Searches extends MQClientAPIImpl {
  Searches(ClientConfig config) {
    super(new NettyClientConfig(), null, null, config);
  }
}
