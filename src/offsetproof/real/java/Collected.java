package offsetproof;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Collects what is to run later instead of running it; when it is shut down it takes nothing more. */
final class Collected extends ScheduledThreadPoolExecutor {
  private final Consumer<Runnable> collect;

  Collected(Consumer<Runnable> collect) {
    super(0);
    this.collect = collect;
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    if (isShutdown()) {
      throw new RejectedExecutionException("shut down");
    }
    collect.accept(task);
    return null;
  }
}
