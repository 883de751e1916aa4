package offsetproof;

import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Collects the consume requests instead of running them. */
final class CollectedNow extends ThreadPoolExecutor {
  private final Consumer<Runnable> collect;

  CollectedNow(Consumer<Runnable> collect) {
    super(0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    this.collect = collect;
  }

  @Override
  public Future<?> submit(Runnable task) {
    collect.accept(task);
    return null;
  }
}
