package offsetproof;

import java.lang.reflect.Field;
import java.nio.file.Path;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.offset.ConsumerOffsetManager;
import org.apache.rocketmq.common.BrokerConfig;
import sun.misc.Unsafe;

/**
 * The real ConsumerOffsetManager, with a file of its own.
 *
 * It asks its broker for one thing, the configuration: so that is all that the broker has here, which is never started.
 */
final class Offsets extends ConsumerOffsetManager {
  private static final BrokerController BROKER = broker();

  private final Path file;

  Offsets(Path file) {
    super(BROKER);
    this.file = file;
  }

  private static BrokerController broker() {
    try {
      Field field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      Object broker = ((Unsafe) field.get(null)).allocateInstance(BrokerController.class);
      Fields.set(BrokerController.class, "brokerConfig", broker, new BrokerConfig());
      return (BrokerController) broker;
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public String configFilePath() {
    return file.toString();
  }
}
