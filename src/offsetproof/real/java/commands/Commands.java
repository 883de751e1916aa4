package offsetproof.commands;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.JSONObject;
import com.alibaba.fastjson.serializer.SerializerFeature;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * What a JVM is told: commands, a JSON object per line. Each is answered with one line; whatever else prints goes to
 * stderr. Input is read by a thread of its own, so that the JVM halts with its input even while a command is under way.
 */
public final class Commands {
  private final BlockingQueue<JSONObject> waiting = new LinkedBlockingQueue<>();

  /** What does a command; an exception is an answer, too, and is printed whole. */
  public interface Performer {
    Object perform(String op, JSONObject command) throws Exception;
  }

  private Commands() {}

  /** Answers commands for as long as the JVM lives. */
  public static void serve(Performer performer) throws InterruptedException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    Commands commands = new Commands();
    Thread reader = new Thread(commands::read, "commands");
    reader.setDaemon(true);
    reader.start();
    while (true) {
      answers.println(answer(performer, commands.waiting.take()));
    }
  }

  private void read() {
    try {
      BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        waiting.add(JSON.parseObject(line));
      }
    } catch (IOException error) {
      error.printStackTrace();
    }
    Runtime.getRuntime().halt(0);
  }

  private static String answer(Performer performer, JSONObject command) {
    JSONObject answer = new JSONObject(true);
    answer.put("id", command.get("id"));
    try {
      answer.put("ok", performer.perform(command.getString("op"), command));
    } catch (Throwable error) {
      error.printStackTrace();
      answer.put("error", error.toString());
    }
    return JSON.toJSONString(answer, SerializerFeature.WriteMapNullValue);
  }
}
