package offsetproof.whole;

import com.alibaba.fastjson.JSONObject;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;

/** A name server of the release, embedded as its own start-up does it. */
final class NameServer implements Role {
  private final NamesrvController controller;
  private final int port;

  NameServer(JSONObject settings) throws Exception {
    Settings.announceVersion(MQVersion.CURRENT_VERSION);
    String folder = settings.getString("folder");
    port = settings.getInteger("port") == null ? Ports.free() : settings.getInteger("port");
    NamesrvConfig config = new NamesrvConfig();
    config.setRocketmqHome(folder);
    config.setKvConfigPath(folder + "/kvConfig.json");
    config.setConfigStorePath(folder + "/namesrv.properties");
    NettyServerConfig server = new NettyServerConfig();
    server.setListenPort(port);
    Settings.bindToLoopback(server);
    controller = new NamesrvController(config, server);
    if (!controller.initialize()) {
      throw new IllegalStateException("NamesrvController.initialize says false");
    }
    controller.start();
  }

  @Override
  public Object perform(String op, JSONObject command) {
    switch (op) {
      case "started":
        return port;
      case "shutdown":
        controller.shutdown();
        return true;
      default:
        throw Role.unknown(op);
    }
  }
}
