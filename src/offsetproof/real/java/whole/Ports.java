package offsetproof.whole;

import java.io.IOException;
import java.net.ServerSocket;

/** Ports that nobody listens at. Between the look and the use another program may take one; then the start fails. */
final class Ports {
  private static final int TRIES = 100;

  private Ports() {}

  static int free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** A port for a broker, which listens two ports below as well. */
  static int freeForBroker() throws IOException {
    for (int i = 0; i < TRIES; i++) {
      int port = free();
      try (ServerSocket first = new ServerSocket(port);
          ServerSocket second = new ServerSocket(port - 2)) {
        return first.getLocalPort();
      } catch (IOException taken) {
        continue;
      }
    }
    throw new IOException("no port is free whose second lower neighbour is free as well");
  }
}
