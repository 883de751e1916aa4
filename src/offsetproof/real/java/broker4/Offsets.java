package offsetproof;

import java.nio.file.Path;
import org.apache.rocketmq.broker.offset.ConsumerOffsetManager;

/** The real ConsumerOffsetManager, with a file of its own. */
final class Offsets extends ConsumerOffsetManager {
  private final Path file;

  Offsets(Path file) {
    this.file = file;
  }

  @Override
  public String configFilePath() {
    return file.toString();
  }
}
