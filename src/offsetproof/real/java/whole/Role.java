package offsetproof.whole;

import com.alibaba.fastjson.JSONObject;

/** What a JVM of a cluster is. Who constructs it has started it. */
interface Role {
  /** One command and its answer; `started` is the first. */
  Object perform(String op, JSONObject command) throws Exception;

  static IllegalArgumentException unknown(String op) {
    return new IllegalArgumentException("no such command: " + op);
  }
}
