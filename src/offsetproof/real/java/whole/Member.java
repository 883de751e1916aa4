package offsetproof.whole;

import com.alibaba.fastjson.JSONObject;
import offsetproof.commands.Commands;

/** One JVM of a cluster: a name server, a broker, the tools' side or a consumer, as its first command says. */
public final class Member {
  private Role role;

  public static void main(String[] arguments) throws Exception {
    Commands.serve(new Member()::perform);
  }

  private Object perform(String op, JSONObject command) throws Exception {
    if (op.equals("start")) {
      role = started(command);
      return role.perform("started", command);
    }
    if (role == null) {
      throw new IllegalStateException("`" + op + "` before `start`");
    }
    return role.perform(op, command);
  }

  private static Role started(JSONObject settings) throws Exception {
    String kind = settings.getString("role");
    switch (kind) {
      case "name server":
        return new NameServer(settings);
      case "broker":
        return new Broker(settings);
      case "tools":
        return new Tools(settings);
      case "consumer":
        return new Consumer(settings);
      default:
        throw new IllegalArgumentException("no such role: " + kind);
    }
  }
}
