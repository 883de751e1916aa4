package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.util.Map;

/** A process that has an offset file: the classes of a broker or of a broadcast consumer which read and write it. */
interface FileOwner {
  /** Reads the file; false where that fails. */
  boolean load() throws Exception;

  /** A call of the real classes, by name, for a worker to run; null for a call that is none of them. */
  Worker.Body body(String call, JSONObject arguments);

  /** What the class makes of a text in its file: offsets by queue; an exception where it can make nothing of it. */
  Map<Integer, Long> read(String text) throws Exception;

  /** A queue's offset in memory; null for none. */
  Long offset(int queue) throws Exception;

  /** Has its consumer this queue? */
  boolean lists(int queue);

  /** Where its consumer goes on in a queue that it has. */
  Long position(int queue);

  /** The process is gone. */
  void leave();

  /** Shuts down, in one step; an exception where that ends so. */
  default void shutDown() {
    // Nothing is to be done, unless an owner says so.
  }

  /** Nobody reads the file any more: ends what runs by itself. */
  default void end() {
    // Nothing does, unless an owner says so.
  }
}
