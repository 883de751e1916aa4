package offsetproof;

/** A thread waits for a lock that another one has, which is held at a line: it goes on when that one does. */
final class LockedOutException extends IllegalStateException {
  LockedOutException(String message) {
    super(message);
  }
}
