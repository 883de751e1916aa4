package offsetproof.whole;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.Future;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;

/** What has to be set before a release's classes are used, and is spelt otherwise in another. */
final class Settings {
  static final String LOOPBACK = "127.0.0.1";

  private Settings() {}

  /** The start-up scripts' classes do this. Without it a broker's first registration is one of version 0, and ignored. */
  static void announceVersion(int version) {
    System.setProperty("rocketmq.remoting.version", Integer.toString(version));
  }

  /** Clustering or broadcasting: the enumeration is in another package in each line of releases. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static void setMessageModel(DefaultMQPushConsumer consumer, String model) throws ReflectiveOperationException {
    for (Method method : DefaultMQPushConsumer.class.getMethods()) {
      if (method.getName().equals("setMessageModel")) {
        method.invoke(consumer, Enum.valueOf((Class<Enum>) method.getParameterTypes()[0], model));
        return;
      }
    }
    throw new NoSuchMethodException("DefaultMQPushConsumer.setMessageModel");
  }

  /** A slave copies when it is told to, and not by its timer, which each line of releases has in its own way. */
  static void stopCopies(BrokerController slave) throws ReflectiveOperationException {
    try {
      Field last = BrokerController.class.getDeclaredField("lastSyncTimeMs");
      last.setAccessible(true);
      last.setLong(slave, Long.MAX_VALUE / 2);
    } catch (NoSuchFieldException release49) {
      Field timer = BrokerController.class.getDeclaredField("slaveSyncFuture");
      timer.setAccessible(true);
      ((Future<?>) timer.get(slave)).cancel(false);
    }
  }

  /** The slave acts as master while the master is away, which 5.x alone can be told. */
  static void letSlaveAct(Object brokerConfig, Object storeConfig) throws ReflectiveOperationException {
    brokerConfig.getClass().getMethod("setEnableSlaveActingMaster", boolean.class).invoke(brokerConfig, true);
    storeConfig.getClass().getMethod("setTotalReplicas", int.class).invoke(storeConfig, 2);
  }

  /** A reset is done by clients, as in 4.9, which knows no other. */
  static void haveClientsReset(Object brokerConfig) throws IllegalAccessException, InvocationTargetException {
    try {
      brokerConfig.getClass().getMethod("setUseServerSideResetOffset", boolean.class).invoke(brokerConfig, false);
    } catch (NoSuchMethodException release49) {
      // It is so.
    }
  }

  /** A server listens on loopback alone where the release can be told to; 4.9 cannot, and listens at every address. */
  static void bindToLoopback(Object serverConfig) throws IllegalAccessException, InvocationTargetException {
    try {
      serverConfig.getClass().getMethod("setBindAddress", String.class).invoke(serverConfig, LOOPBACK);
    } catch (NoSuchMethodException release49) {
      // It listens at every address, and tells others the one on loopback.
    }
  }
}
