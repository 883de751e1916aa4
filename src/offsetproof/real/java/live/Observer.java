package offsetproof.live;

import com.alibaba.fastjson.JSONObject;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import offsetproof.commands.Commands;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.ClientRemotingProcessor;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.common.protocol.ResponseCode;
import org.apache.rocketmq.common.protocol.header.QueryConsumerOffsetRequestHeader;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;

/**
 * Reads what brokers and clients of a group have. Each command is one request to one server, or none.
 *
 * It asks through MQClientAPIImpl, the class by which the release's own tools (DefaultMQAdminExt) ask. Without the rest
 * of a client there are no timers: no heartbeat registers anything at a broker. No request that it knows writes
 * anything there or at a client; `consumerRunningInfo`, which writes a client's offset, is not among them.
 */
public final class Observer {
  private static final int NO_ANSWER = -1;

  private MQClientAPIImpl api;
  private long millis;

  public static void main(String[] arguments) throws Exception {
    Commands.serve(new Observer()::perform);
  }

  private Object perform(String op, JSONObject command) throws Exception {
    try {
      return op.equals("start") ? start(command) : asked(op, command);
    } catch (MQBrokerException refused) {
      return failed(refused.getResponseCode(), refused.getErrorMessage());
    } catch (MQClientException refused) {
      return failed(refused.getResponseCode(), refused.getErrorMessage());
    } catch (RemotingException silent) {
      return failed(NO_ANSWER, silent.getMessage());
    }
  }

  private boolean start(JSONObject settings) {
    System.setProperty("rocketmq.remoting.version", Integer.toString(MQVersion.CURRENT_VERSION));
    millis = settings.getLongValue("millis");
    ClientConfig config = new ClientConfig();
    config.setVipChannelEnabled(false);
    NettyClientConfig net = new NettyClientConfig();
    net.setUseTLS(config.isUseTLS());
    net.setClientWorkerThreads(1);
    net.setClientCallbackExecutorThreads(1);
    api = new MQClientAPIImpl(net, new ClientRemotingProcessor(null), null, config);
    api.updateNameServerAddressList(settings.getString("nameServer"));
    api.start();
    return true;
  }

  private Object asked(String op, JSONObject command) throws Exception {
    String address = command.getString("address");
    String group = command.getString("group");
    String topic = command.getString("topic");
    switch (op) {
      case "route":
        return route(topic);
      case "version":
        return api.getBrokerRuntimeInfo(address, millis).getTable().get("brokerVersionDesc");
      case "settings":
        return api.getBrokerConfig(address, millis).getProperty("useServerSideResetOffset");
      case "offsets":
        return offsets(address, group, topic);
      case "ends":
        return ends(address, topic);
      case "members":
        return members(address, group);
      case "cells":
        return cells(address, topic, group);
      case "row":
        return row(address, group, topic, command.getInteger("queue"));
      case "given":
        return api.viewBrokerStatsData(address, "GROUP_GET_NUMS", topic + "@" + group, millis).getStatsMinute().getSum();
      default:
        throw new IllegalArgumentException("no such command: " + op);
    }
  }

  private static Map<String, Object> failed(int code, String why) {
    Map<String, Object> answer = new TreeMap<>();
    answer.put("code", code);
    answer.put("why", why);
    return answer;
  }

  /** The addresses of the brokers that have a topic, by the broker's name and its number: 0 is the master. */
  private Map<String, Object> route(String topic) throws Exception {
    Map<String, Object> brokers = new TreeMap<>();
    api.getTopicRouteInfoFromNameServer(topic, millis).getBrokerDatas().forEach(broker -> {
      Map<String, String> addresses = new TreeMap<>();
      broker.getBrokerAddrs().forEach((number, address) -> addresses.put(Long.toString(number), address));
      brokers.put(broker.getBrokerName(), addresses);
    });
    return brokers;
  }

  /** Topic, queue, the group's offset, and the queue's end, for each queue; of a group without an offset it is 0. */
  private List<List<Object>> offsets(String address, String group, String topic) throws Exception {
    List<List<Object>> rows = new ArrayList<>();
    api.getConsumeStats(address, group, topic, millis).getOffsetTable().forEach((queue, row) ->
        rows.add(List.of(queue.getTopic(), queue.getQueueId(), row.getConsumerOffset(), row.getBrokerOffset())));
    return rows;
  }

  /** The first offset and the end of each queue. */
  private List<List<Object>> ends(String address, String topic) throws Exception {
    List<List<Object>> rows = new ArrayList<>();
    api.getTopicStatsInfo(address, topic, millis).getOffsetTable().forEach((queue, row) ->
        rows.add(List.of(queue.getQueueId(), row.getMinOffset(), row.getMaxOffset())));
    return rows;
  }

  private Map<String, Object> members(String address, String group) throws Exception {
    Map<String, Object> answer = new TreeMap<>();
    List<List<String>> clients = new ArrayList<>();
    var found = api.getConsumerConnectionList(address, group, millis);
    found.getConnectionSet().forEach(each -> clients.add(List.of(each.getClientId(), each.getClientAddr(),
        String.valueOf(each.getLanguage()), MQVersion.getVersionDesc(each.getVersion()))));
    answer.put("clients", clients);
    answer.put("model", String.valueOf(found.getMessageModel()));
    Map<String, String> topics = new TreeMap<>();
    found.getSubscriptionTable().forEach((topic, each) -> topics.put(topic, each.getSubString()));
    answer.put("topics", topics);
    return answer;
  }

  /** Each client's own offsets, as broker, queue, offset, by the client's id: the broker asks them. */
  private Map<String, Object> cells(String address, String topic, String group) throws Exception {
    Map<String, Object> clients = new TreeMap<>();
    api.invokeBrokerToGetConsumerStatus(address, topic, group, "", millis).forEach((client, table) -> {
      List<List<Object>> cells = new ArrayList<>();
      for (Map.Entry<MessageQueue, Long> cell : table.entrySet()) {
        cells.add(List.of(cell.getKey().getBrokerName(), cell.getKey().getQueueId(), cell.getValue()));
      }
      clients.put(client, cells);
    });
    return clients;
  }

  /** The group's offset of a queue; -1 where the broker says that it has none, which brokers of 4.9 do not always. */
  private long row(String address, String group, String topic, int queue) throws Exception {
    QueryConsumerOffsetRequestHeader header = new QueryConsumerOffsetRequestHeader();
    header.setConsumerGroup(group);
    header.setTopic(topic);
    header.setQueueId(queue);
    askForNoZero(header);
    try {
      return api.queryConsumerOffset(address, header, millis);
    } catch (MQBrokerException refused) {
      if (refused.getResponseCode() == ResponseCode.QUERY_NOT_FOUND) {
        return -1;
      }
      throw refused;
    }
  }

  /** 5.x can be told not to answer 0 in place of `not found`. */
  private static void askForNoZero(Object header) throws IllegalAccessException, InvocationTargetException {
    try {
      header.getClass().getMethod("setSetZeroIfNotFound", Boolean.class).invoke(header, false);
    } catch (NoSuchMethodException release49) {
      // It answers 0 for a queue whose first message is still in memory.
    }
  }
}
