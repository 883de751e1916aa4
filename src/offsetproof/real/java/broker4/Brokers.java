package offsetproof;

import java.lang.reflect.Field;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.store.MessageStore;
import sun.misc.Unsafe;

/** A broker that is never started, with the parts that processors ask it for. */
final class Brokers {
  private Brokers() {}

  static BrokerController with(Offsets offsets, MessageStore store) {
    try {
      Field field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      Object broker = ((Unsafe) field.get(null)).allocateInstance(BrokerController.class);
      Fields.set(BrokerController.class, "consumerOffsetManager", broker, offsets);
      Fields.set(BrokerController.class, "messageStore", broker, store);
      return (BrokerController) broker;
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  /** What a search for a time later than the last message's finds: that message. */
  static long foundBeyond(long end) {
    return Math.max(0, end - 1);
  }
}
