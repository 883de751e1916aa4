package offsetproof;

import java.nio.file.Path;

/** A release whose broker the rig of files does not know: it has no such broker, and says so. */
final class BrokerFiles {
  private BrokerFiles() {}

  static Path in(Path folder) throws NotOnReleaseException {
    throw missing();
  }

  static FileOwner owner(Path file, int queues, String filler) throws NotOnReleaseException {
    throw missing();
  }

  static FileOwner refused(Path folder, int queues, String filler, boolean hasTopics) throws NotOnReleaseException {
    throw missing();
  }

  private static NotOnReleaseException missing() {
    return new NotOnReleaseException("a broker's offset file: the broker of this release is not published");
  }
}
