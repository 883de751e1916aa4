package offsetproof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.rocketmq.client.consumer.store.LocalFileOffsetStore;
import org.apache.rocketmq.client.consumer.store.OffsetStore;

/** An offset file on the disk: the main file, its backup, and what string2File writes first. */
final class OffsetFiles {
  final Path main;
  final Path backup;
  final Path tmp;

  OffsetFiles(Path main) {
    this.main = main;
    backup = Path.of(main + ".bak");
    tmp = Path.of(main + ".tmp");
  }

  /** The files of a client's store. */
  static OffsetFiles of(OffsetStore store) {
    try {
      return new OffsetFiles(Path.of(Fields.<String>get(LocalFileOffsetStore.class, "storePath", store)));
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  /** The text of a file; null where there is none. */
  static String text(Path file) throws IOException {
    return Files.exists(file) ? Files.readString(file, StandardCharsets.UTF_8) : null;
  }

  /** What the files hold now, to be put back by what this gives: as if nobody had written meanwhile. */
  Restore kept() throws IOException {
    String mainText = text(main);
    String backupText = text(backup);
    return () -> {
      delete();
      if (mainText != null) {
        Files.writeString(main, mainText);
      }
      if (backupText != null) {
        Files.writeString(backup, backupText);
      }
    };
  }

  /** Puts files back. */
  interface Restore {
    void run() throws IOException;
  }

  void delete() throws IOException {
    for (Path each : List.of(main, backup, tmp)) {
      Files.deleteIfExists(each);
    }
  }

  /** What a power failure leaves of a file: all, nothing, or a beginning. */
  static void suffer(Path file, String fate) throws IOException {
    String text = text(file);
    switch (fate) {
      case "EMPTIED":
        Files.writeString(file, "");
        break;
      case "CUT_SHORT":
        Files.writeString(file, text.substring(0, text.length() / 2));
        break;
      default:
        break;
    }
  }
}
