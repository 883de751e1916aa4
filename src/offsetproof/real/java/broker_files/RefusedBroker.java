package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.BrokerPathConfigHelper;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.store.config.MessageStoreConfig;

/**
 * A broker whose start fails for what it cannot load: a real BrokerController, which BrokerStartup shuts down then.
 *
 * Its start fails before it makes a store or a server, so it has neither. It is made only where its start fails.
 */
final class RefusedBroker extends BrokerFileOwner {
  private final BrokerController controller;

  private RefusedBroker(Path folder, int queues, String filler, BrokerController controller) {
    super(BrokerFiles.in(folder), queues, filler, controller.getConsumerOffsetManager());
    this.controller = controller;
  }

  /** A broker with this folder; its topics.json, and the backup of that, can be loaded or not. */
  static RefusedBroker of(Path folder, int queues, String filler, boolean hasTopics) throws IOException {
    OffsetFiles topics = new OffsetFiles(Path.of(BrokerPathConfigHelper.getTopicConfigPath(folder.toString())));
    topics.delete();
    if (!hasTopics) {
      Files.createDirectories(topics.main.getParent());
      Files.writeString(topics.main, "{");
      Files.writeString(topics.backup, "{");
    }
    MessageStoreConfig store = new MessageStoreConfig();
    store.setStorePathRootDir(folder.toString());
    BrokerConfig config = new BrokerConfig();
    config.setBrokerIP1("127.0.0.1");
    BrokerController controller =
        new BrokerController(config, new NettyServerConfig(), new NettyClientConfig(), store);
    return new RefusedBroker(folder, queues, filler, controller);
  }

  @Override
  boolean loadFile() throws Exception {
    return controller.initialize();
  }

  /** Its offsets are all that the call persists: other files of this kind have lines at which threads are held. */
  @Override
  public Worker.Body body(String call, JSONObject arguments) {
    if (!call.equals("persist")) {
      return super.body(call, arguments);
    }
    Brokers.persistOthers(controller);
    Brokers.forgetOthers(controller);
    return controller::shutdown;
  }

  @Override
  public void shutDown() {
    controller.shutdown();
  }

  /** Ends the threads of a broker that was killed. */
  @Override
  public void end() {
    Brokers.forgetOthers(controller);
    controller.shutdown();
  }
}
