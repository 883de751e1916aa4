package offsetproof.whole;

import com.alibaba.fastjson.JSONObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;

/** A push consumer of one topic, whose listener does as a script says and writes down what it was given. */
final class Consumer implements Role {
  private final DefaultMQPushConsumer consumer;
  private final List<Map<String, Object>> deliveries = new ArrayList<>();
  private final AtomicInteger batches = new AtomicInteger();
  private final Notes notes = new Notes();
  private final String topic;
  private volatile Script script;

  Consumer(JSONObject settings) throws Exception {
    topic = settings.getString("topic");
    script = new Script(settings.getJSONObject("script"));
    consumer = new DefaultMQPushConsumer(settings.getString("group"));
    consumer.setNamesrvAddr(settings.getString("nameServer"));
    consumer.setClientIP(Settings.LOOPBACK);
    consumer.setInstanceName(settings.getString("instance"));
    Settings.setMessageModel(consumer, settings.getString("model"));
    consumer.setConsumeFromWhere(ConsumeFromWhere.valueOf(settings.getString("from")));
    consumer.setConsumeMessageBatchMaxSize(settings.getIntValue("batch"));
    consumer.setAwaitTerminationMillisWhenShutdown(settings.getLongValue("awaitMillis"));
    consumer.subscribe(topic, "*");
    if (settings.getBooleanValue("orderly")) {
      consumer.registerMessageListener((MessageListenerOrderly) this::consumeOrderly);
    } else {
      consumer.registerMessageListener((MessageListenerConcurrently) this::consume);
    }
    if (settings.getBooleanValue("noted")) {
      notes.look(seen -> {
        seen.see("owned", queues(true));
        seen.see("in table", queues(false));
      });
    }
    consumer.start();
  }

  /** The queues of the topic that the client has in its table, with those that it has dropped or without. */
  private Map<List<Object>, Object> queues(boolean withoutDropped) {
    Map<List<Object>, Object> queues = new HashMap<>();
    consumer.getDefaultMQPushConsumerImpl().getRebalanceImpl().getProcessQueueTable().forEach((queue, process) -> {
      if (queue.getTopic().equals(topic) && !(withoutDropped && process.isDropped())) {
        queues.put(Arrays.asList(queue.getTopic(), queue.getQueueId()), true);
      }
    });
    return queues;
  }

  @Override
  public Object perform(String op, JSONObject command) {
    switch (op) {
      case "started":
        return true;
      case "deliveries":
        return since(command.getIntValue("from"));
      case "listen":
        script = new Script(command.getJSONObject("script"));
        return true;
      case "notes":
        return notes.since(command.getIntValue("from"));
      case "cells":
        return cells();
      case "paused":
        return consumer.getDefaultMQPushConsumerImpl().isPause();
      case "persist":
        consumer.getDefaultMQPushConsumerImpl().persistConsumerOffset();
        return true;
      case "shutdown":
        consumer.shutdown();
        return true;
      default:
        throw Role.unknown(op);
    }
  }

  private ConsumeConcurrentlyStatus consume(List<MessageExt> messages, ConsumeConcurrentlyContext context) {
    JSONObject behaviour = script.of(messages);
    int batch = note("begins", batches.incrementAndGet(), messages, null);
    Script.work(behaviour);
    if (behaviour.getInteger("ackIndex") != null) {
      context.setAckIndex(behaviour.getIntValue("ackIndex"));
    }
    String answer = behaviour.getString("answer");
    note("ends", batch, messages, answer);
    return ConsumeConcurrentlyStatus.valueOf(answer.equals("SUCCESS") ? "CONSUME_SUCCESS" : answer);
  }

  private ConsumeOrderlyStatus consumeOrderly(List<MessageExt> messages, ConsumeOrderlyContext context) {
    JSONObject behaviour = script.of(messages);
    context.setAutoCommit(!behaviour.getBooleanValue("manual"));
    int batch = note("begins", batches.incrementAndGet(), messages, null);
    Script.work(behaviour);
    String answer = behaviour.getString("answer");
    note("ends", batch, messages, answer);
    return ConsumeOrderlyStatus.valueOf(answer);
  }

  /** Writes down that the listener begins or ends with a batch. */
  private int note(String what, int batch, List<MessageExt> messages, String answer) {
    synchronized (deliveries) {
      for (MessageExt message : messages) {
        Map<String, Object> delivery = new TreeMap<>();
        delivery.put("what", what);
        delivery.put("at", System.currentTimeMillis());
        delivery.put("batch", batch);
        delivery.put("body", Script.body(message));
        delivery.put("queue", message.getQueueId());
        delivery.put("offset", message.getQueueOffset());
        delivery.put("retries", message.getReconsumeTimes());
        delivery.put("answer", answer);
        deliveries.add(delivery);
      }
    }
    return batch;
  }

  private List<Map<String, Object>> since(int from) {
    synchronized (deliveries) {
      return new ArrayList<>(deliveries.subList(from, deliveries.size()));
    }
  }

  /** The client's own offsets of the topic, by queue. */
  private Map<String, Long> cells() {
    Map<String, Long> cells = new TreeMap<>();
    consumer
        .getDefaultMQPushConsumerImpl()
        .getOffsetStore()
        .cloneOffsetTable(topic)
        .forEach((queue, offset) -> cells.put(Integer.toString(queue.getQueueId()), offset));
    return cells;
  }
}
