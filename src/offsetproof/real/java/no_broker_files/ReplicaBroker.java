package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.nio.file.Path;
import java.util.Map;

/** A release whose broker is not published: the rig of replicas has nothing to run there, and says so. */
final class ReplicaBroker {
  ReplicaBroker(Path folder, int r, JSONObject settings, boolean knowsTopic) throws NotOnReleaseException {
    throw new NotOnReleaseException("a broker and its slave: the broker of this release is not published");
  }

  private static UnsupportedOperationException missing() {
    return new UnsupportedOperationException("no broker");
  }

  void load() {
    throw missing();
  }

  void persist() {
    throw missing();
  }

  void commit(int queue, long offset) {
    throw missing();
  }

  Object answerQuery(int queue) {
    throw missing();
  }

  boolean servesPulls() {
    throw missing();
  }

  byte[] sendTable() {
    throw missing();
  }

  void takeTable(byte[] table, boolean knowsTopic) {
    throw missing();
  }

  void takeSlavesTable(byte[] table) {
    throw missing();
  }

  void takeVersion(ReplicaBroker other) {
    throw missing();
  }

  void moveVersion() {
    throw missing();
  }

  void mark(long target) {
    throw missing();
  }

  Long marker(int queue) {
    throw missing();
  }

  long takeMarker() {
    throw missing();
  }

  Long row(int queue) {
    throw missing();
  }

  static Map<Integer, Long> rowsOf(byte[] table) {
    throw missing();
  }

  static Map<Integer, Long> rowsIn(Path folder) {
    throw missing();
  }
}
