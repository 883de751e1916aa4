package offsetproof;

import java.util.List;

/** How long the rig waits for a thread: how it ends and after how many milliseconds, for a thread of each kind. */
final class WorkerAwait {
  private static final long PATIENCE = 500;

  private WorkerAwait() {
  }

  public static void main(String[] args) throws Throwable {
    tell("works a while", () -> spin(3 * PATIENCE));
    tell("works for ever", () -> spin(Long.MAX_VALUE / 2_000_000));
    tell("waits", () -> Thread.sleep(60_000));
    System.exit(0);
  }

  private static void spin(long milliseconds) {
    long end = System.nanoTime() + milliseconds * 1_000_000;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  private static void tell(String about, Worker.Body body) throws Throwable {
    Worker worker = new Worker(new Gates(), List.of(), "", body);
    long begin = System.nanoTime();
    worker.start();
    String how;
    try {
      how = worker.await(PATIENCE) == null ? "over" : "stops";
    } catch (IllegalStateException late) {
      how = late.getMessage().replaceAll(" at .*", "");
    }
    System.out.println(about + "\t" + how + "\t" + (System.nanoTime() - begin) / PATIENCE / 1_000_000);
  }
}
