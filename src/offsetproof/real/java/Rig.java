package offsetproof;

import com.alibaba.fastjson.JSONObject;

/** Real classes that a trace can be replayed on, step by step. */
interface Rig {
  /** Does one step; what it came to, and the state that it left. */
  JSONObject step(JSONObject command) throws Exception;

  /** What can be seen, in the model's words. */
  JSONObject state() throws Exception;

  /** Ends all that runs. */
  void close();
}
