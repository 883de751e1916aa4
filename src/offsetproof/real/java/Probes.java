package offsetproof;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.consumer.store.RemoteBrokerOffsetStore;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.client.impl.consumer.RebalancePushImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * Calls that no action of a model stands for: every public method of the classes that hold offsets and caches, with
 * arguments made up by type. Who calls one finds out whether it changes what a model knows.
 */
final class Probes {
  /** Methods that begin or end the process, or wait for seconds; a reset, which sleeps, is a step of the model's. */
  private static final Set<String> NOT_CALLED =
      Set.of(
          "start", "shutdown", "destroy", "unregisterConsumer", "unregisterProducer", "queryMessage", "resetOffset",
          "resetOffsetByTimeStamp", "setConsumerGroup", "wait", "hashCode", "equals", "toString");

  private Probes() {}

  /** The classes whose methods are called. */
  private static final List<Class<?>> CLASSES =
      List.of(
          RemoteBrokerOffsetStore.class,
          ProcessQueue.class,
          RebalancePushImpl.class,
          DefaultMQPushConsumerImpl.class,
          MQClientInstance.class);

  /** All methods that can be called with made-up arguments, in a fixed order. */
  static final List<Method> METHODS = methods();

  private static List<Method> methods() {
    List<Method> methods = new ArrayList<>();
    for (Class<?> each : CLASSES) {
      methods.addAll(of(each));
    }
    return methods;
  }

  private static List<Method> of(Class<?> type) {
    List<Method> methods = new ArrayList<>();
    for (Method method : type.getMethods()) {
      boolean known = Arrays.stream(method.getParameterTypes()).allMatch(Probes::canMake);
      boolean asked = !NOT_CALLED.contains(method.getName()) && !Modifier.isStatic(method.getModifiers());
      if (known && asked && method.getDeclaringClass() != Object.class) {
        methods.add(method);
      }
    }
    methods.sort(Comparator.comparing(Probes::name));
    return methods;
  }

  /** How reports call a method: {@code RemoteBrokerOffsetStore.removeOffset(MessageQueue)}. */
  static String name(Method method) {
    List<String> types = new ArrayList<>();
    for (Class<?> type : method.getParameterTypes()) {
      types.add(type.getSimpleName());
    }
    String owner = method.getDeclaringClass().getSimpleName();
    return owner + "." + method.getName() + "(" + String.join(", ", types) + ")";
  }

  private static boolean canMake(Class<?> type) {
    return List.of(MessageQueue.class, String.class, long.class, int.class, boolean.class, Set.class, Map.class,
        ReadOffsetType.class).contains(type);
  }

  /** Arguments for a method: this queue and topic, and otherwise what changes most: 1, true, the store. */
  static Object[] arguments(Method method, MessageQueue queue) {
    List<Object> made = new ArrayList<>();
    int texts = 0;
    for (Class<?> type : method.getParameterTypes()) {
      if (type == String.class) {
        made.add(texts++ == 0 ? queue.getTopic() : RigBroker.GROUP);
      } else {
        made.add(made(type, queue));
      }
    }
    return made.toArray();
  }

  private static Object made(Class<?> type, MessageQueue queue) {
    if (type == MessageQueue.class) {
      return queue;
    } else if (type == long.class) {
      return 1L;
    } else if (type == int.class) {
      return 1;
    } else if (type == boolean.class) {
      return true;
    } else if (type == Set.class) {
      return new HashSet<>(Set.of(queue));
    } else if (type == Map.class) {
      return Map.of(queue, 1L);
    }
    return ReadOffsetType.MEMORY_FIRST_THEN_STORE;
  }
}
